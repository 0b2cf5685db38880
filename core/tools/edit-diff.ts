/** Unchanged lines shown around a change. */
const CONTEXT_LINES = 4;
/** Beyond this many changed lines the shortest script is not worth its time: the old lines are shown removed, the new ones added. */
const MAX_EDIT_LENGTH = 1000;

export interface EditDiff {
  /** Numbered lines for people: `+12 text`, `-12 text`, ` 12 text`. */
  diff: string;
  /** A unified patch for programs. */
  patch: string;
  /** Of the new file, from 1. */
  firstChangedLine: number | undefined;
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each with its sign: ' ', '-', '+', or '\' for the note about a missing last newline. */
  lines: string[];
}

/** Shows what changed between two texts. Both forms come from the same hunks. */
export async function describeChange(path: string, before: string, after: string): Promise<EditDiff> {
  // Loaded by the first edit only.
  const { formatPatch, structuredPatch } = await import('diff');
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDIT_LENGTH };
  const patch = structuredPatch(path, path, before, after, undefined, undefined, options) ?? wholesale(path, before, after);
  return { diff: numbered(patch.hunks), patch: formatPatch(patch), firstChangedLine: firstChange(patch.hunks) };
}

function numbered(hunks: readonly Hunk[]): string {
  const width = String(
    Math.max(1, ...hunks.map((hunk) => Math.max(hunk.oldStart + hunk.oldLines, hunk.newStart + hunk.newLines))),
  ).length;
  const shown: string[] = [];
  for (const [at, hunk] of hunks.entries()) {
    if (at > 0) shown.push(` ${' '.repeat(width)} ...`);
    let [oldLine, newLine] = [hunk.oldStart, hunk.newStart];
    for (const line of hunk.lines) {
      const sign = line[0] ?? ' ';
      if (sign === '\\') continue;
      const number = sign === '-' ? oldLine : newLine;
      shown.push(`${sign}${String(number).padStart(width)} ${line.slice(1)}`);
      if (sign !== '+') oldLine += 1;
      if (sign !== '-') newLine += 1;
    }
  }
  return shown.join('\n');
}

function firstChange(hunks: readonly Hunk[]): number | undefined {
  const [hunk] = hunks;
  if (!hunk) return undefined;
  const index = hunk.lines.findIndex((line) => line.startsWith('+') || line.startsWith('-'));
  return index < 0 ? undefined : Math.max(1, hunk.newStart + index);
}

/** One hunk from the first to the last changed line. */
function wholesale(path: string, before: string, after: string) {
  const [old, now] = [splitLines(before), splitLines(after)];
  let same = 0;
  while (same < old.length && same < now.length && old[same] === now[same]) same += 1;
  let sameEnd = 0;
  while (sameEnd < old.length - same && sameEnd < now.length - same && old.at(-1 - sameEnd) === now.at(-1 - sameEnd))
    sameEnd += 1;
  const from = Math.max(0, same - CONTEXT_LINES);
  const after_ = Math.min(sameEnd, CONTEXT_LINES);
  const part = (lines: string[], sign: string, start: number, end: number): string[] =>
    lines.slice(start, end).flatMap((line) => signed(sign, line));
  const lines = [
    ...part(old, ' ', from, same),
    ...part(old, '-', same, old.length - sameEnd),
    ...part(now, '+', same, now.length - sameEnd),
    ...part(now, ' ', now.length - sameEnd, now.length - sameEnd + after_),
  ];
  const hunk: Hunk = {
    oldStart: from + 1,
    oldLines: old.length - sameEnd + after_ - from,
    newStart: from + 1,
    newLines: now.length - sameEnd + after_ - from,
    lines,
  };
  return { oldFileName: path, newFileName: path, oldHeader: undefined, newHeader: undefined, hunks: [hunk] };
}

/** Lines with their ends, so that a missing last newline is a difference. */
const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function signed(sign: string, line: string): string[] {
  return line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'];
}
