export interface TextEdit {
  oldText: string;
  newText: string;
}

interface Span {
  start: number;
  end: number;
}

/** Where `wanted` stands in `text`, from left to right and apart; whole words only if asked. */
export function occurrences(text: string, wanted: string, wholeWord: boolean): number[] {
  const found: number[] = [];
  if (wanted === '') return found;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at)) {
    if (wholeWord && (isWordChar(text[at - 1]) || isWordChar(text[at + wanted.length]))) {
      at += 1;
      continue;
    }
    found.push(at);
    at += wanted.length;
  }
  return found;
}

const isWordChar = (char: string | undefined): boolean => char !== undefined && /[\p{L}\p{N}_$]/u.test(char);

/**
 * Edits that replace every occurrence, each old text being in the file exactly once: the lines around an occurrence are taken in until
 * that is so. The whole file is unique, so there always are such edits; none when nothing is to be replaced.
 */
export function uniqueEdits(
  text: string,
  oldText: string,
  newText: string,
  wholeWord: boolean,
): { edits: TextEdit[]; count: number } {
  const found = occurrences(text, oldText, wholeWord);
  const spans: Span[] = [];
  for (const at of found) addSpan(spans, uniqueSpan(text, wholeLines(text, { start: at, end: at + oldText.length })));
  // Spans that grew into one another were merged, and a merged one is as unique as its parts.
  const edits = spans.map(({ start, end }) => {
    let result = '';
    let from = start;
    for (const at of found) {
      if (at < start || at >= end) continue;
      result += text.slice(from, at) + newText;
      from = at + oldText.length;
    }
    return { oldText: text.slice(start, end), newText: result + text.slice(from, end) };
  });
  return { edits, count: found.length };
}

/** An edit that adds lines after the last line of a text that is not empty, whether or not it ends with a newline. */
export function editAtEnd(text: string, added: string): TextEdit {
  const end = text.replace(/[\r\n]+$/, '').length || text.length;
  const span = uniqueSpan(text, wholeLines(text, { start: Math.max(0, end - 1), end }));
  const oldText = text.slice(span.start, span.end);
  return { oldText, newText: `${oldText.slice(0, end - span.start)}\n${added}${oldText.slice(end - span.start)}` };
}

export function editAtStart(text: string, added: string): TextEdit {
  const span = uniqueSpan(text, wholeLines(text, { start: 0, end: 1 }));
  const oldText = text.slice(span.start, span.end);
  return { oldText, newText: `${added}\n${oldText}` };
}

function wholeLines(text: string, { start, end }: Span): Span {
  const first = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
  // A span that ends with a line break has its last line whole.
  const last = text.indexOf('\n', text[end - 1] === '\n' ? end - 1 : end);
  return { start: first, end: Math.max(end, last < 0 ? text.length : last) };
}

function uniqueSpan(text: string, span: Span): Span {
  let { start, end } = span;
  while (!isUnique(text, text.slice(start, end)) && (start > 0 || end < text.length)) {
    // One line more on each side in turn keeps the occurrence in the middle.
    if (start > 0) start = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
    if (isUnique(text, text.slice(start, end))) break;
    if (end < text.length) {
      const next = text.indexOf('\n', end + 1);
      end = next < 0 ? text.length : next;
    }
  }
  return { start, end };
}

const isUnique = (text: string, part: string): boolean => part !== '' && text.indexOf(part) === text.lastIndexOf(part);

/** Spans come in order; one that touches those before it swallows them. */
function addSpan(spans: Span[], span: Span): void {
  let { start, end } = span;
  for (let before = spans.at(-1); before && before.end > start; before = spans.at(-1)) {
    start = Math.min(start, before.start);
    end = Math.max(end, before.end);
    spans.pop();
  }
  spans.push({ start, end });
}
