import { sourceLines } from './source-lines.js';

interface Token {
  start: number;
  end: number;
}

/**
 * Lays generated code out so that its pieces stand on the lines they had in the source: stack traces are right without a source map.
 * Comments vanish. `code` must end its statements with semicolons, as esbuild's does. What was moved against the order of the source
 * (a few helpers, decorators) stands on a later line.
 */
export function alignLines(code: string, map: string, tokens: readonly Token[]): string {
  const wanted = wantedLines(code, map, tokens);
  let result = '';
  let line = 0;
  let last = '';
  let end = 0;
  for (const [index, token] of tokens.entries()) {
    const text = code.slice(token.start, token.end);
    const ahead = (wanted[index] ?? 0) - line;
    // Where a line break can't end a statement, as it does after `return`.
    if (ahead > 0 && /^[;{},([:]?$/.test(last)) {
      result += '\n'.repeat(ahead);
      line += ahead;
    } else if (token.start > end) result += ' ';
    result += text;
    // Templates have line breaks of their own.
    line += text.split('\n').length - 1;
    last = text;
    end = token.end;
  }
  return result;
}

/** For each token the line it should begin, if any: as many lines of the source as can be in their place together. */
function wantedLines(code: string, map: string, tokens: readonly Token[]): (number | undefined)[] {
  const pieces: { index: number; line: number }[] = [];
  const marks = sourceLines(map);
  let generated = 0;
  let lineStart = 0;
  let next = 0;
  for (const [index, { start }] of tokens.entries()) {
    for (let end = code.indexOf('\n', lineStart); end >= 0 && end < start; end = code.indexOf('\n', lineStart)) {
      lineStart = end + 1;
      generated++;
      next = 0;
    }
    // A mark may stand before the blanks before its token.
    let line: number | undefined;
    const inLine = marks[generated] ?? [];
    for (let mark = inLine[next]; mark && mark.column <= start - lineStart; mark = inLine[next]) {
      line = mark.line;
      next++;
    }
    // Neighbours of one line are one piece.
    if (line !== undefined && line !== pieces.at(-1)?.line) pieces.push({ index, line });
  }
  const result = new Array<number | undefined>(tokens.length);
  for (const piece of longestAscent(pieces)) result[piece.index] = piece.line;
  return result;
}

/** The longest subsequence whose lines rise: as many lines as can be in their place. */
function longestAscent<T extends { line: number }>(pieces: readonly T[]): T[] {
  interface Ascent {
    last: T;
    before: Ascent | undefined;
  }
  /** By length, minus one: of all ascents of that length the one that ends lowest. */
  const best: Ascent[] = [];
  for (const piece of pieces) {
    let low = 0;
    for (let high = best.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((best[middle]?.last.line ?? 0) < piece.line) low = middle + 1;
      else high = middle;
    }
    best[low] = { last: piece, before: best[low - 1] };
  }
  const result: T[] = [];
  for (let ascent = best.at(-1); ascent; ascent = ascent.before) result.push(ascent.last);
  return result;
}
