/**
 * `word`: anything between blanks, without the punctuation after it (`mark`). `quoted`, `code` (backticks) and `block` (a fenced block or
 * the lines after a colon) are data: they never match a word of the grammar. `line` is a line break.
 */
export type TokenKind = 'word' | 'quoted' | 'code' | 'block' | 'mark' | 'line';

export interface Token {
  kind: TokenKind;
  /** What stands between the quotes; `\"` is a quote. */
  text: string;
  /** Lower case with straight apostrophes, for words and marks; empty for data. */
  lower: string;
  /** Place in the source, quotes included. */
  start: number;
  end: number;
}

const CLOSING: Readonly<Record<string, string>> = { '"': '"', '“': '”', '«': '»', '‘': '’', "'": "'", '`': '`' };
const OPENS_AFTER = /[\s([{,:]/;
const CLOSES_BEFORE = /[\s.,;:!?)\]}]/;
/** An apostrophe may be one, so the search for its end is short. */
const LONGEST_APOSTROPHED = 2000;
const MARKS = '.,;:!?)';

/** Splits a request into words, punctuation and quoted data. */
export function tokenise(source: string): Token[] {
  const tokens: Token[] = [];
  // Quotes that were opened and not closed: looking again from each of them would take for ever.
  const unclosed = new Set<string>();
  let at = 0;
  while (at < source.length) {
    const char = source[at] ?? '';
    if (char === '\n') {
      tokens.push({ kind: 'line', text: '\n', lower: '', start: at, end: ++at });
    } else if (/\s/.test(char)) {
      at += 1;
    } else {
      const data = readBlock(source, at) ?? readQuoted(source, at, unclosed);
      const previous = tokens.at(-1);
      const found = data ? [data] : readWord(source, at, previous !== undefined && isData(previous) && previous.end === at);
      tokens.push(...found);
      at = found.at(-1)?.end ?? at + 1;
    }
  }
  return tokens;
}

function readBlock(source: string, start: number): Token | undefined {
  if (!source.startsWith('```', start)) return undefined;
  const firstLine = source.indexOf('\n', start);
  if (firstLine < 0) return undefined;
  const close = source.indexOf('\n```', firstLine);
  if (close < 0) return undefined;
  return { kind: 'block', text: source.slice(firstLine + 1, close + 1), lower: '', start, end: close + 4 };
}

function readQuoted(source: string, start: number, unclosed: Set<string>): Token | undefined {
  const open = source[start] ?? '';
  const close = CLOSING[open];
  if (close === undefined || (start > 0 && !OPENS_AFTER.test(source[start - 1] ?? ''))) return undefined;
  if (unclosed.has(open)) return undefined;
  const oneLine = open === "'" || open === '‘';
  const limit = oneLine ? Math.min(source.length, start + LONGEST_APOSTROPHED) : source.length;
  for (let at = start + 1; at < limit; at += 1) {
    const char = source[at];
    if (char === '\\' && open !== '`' && at + 1 < source.length) {
      at += 1;
    } else if (char === '\n' && oneLine) {
      return undefined;
    } else if (char === close) {
      // An apostrophe inside a name ('it's here.txt') does not close.
      if (oneLine && at + 1 < source.length && !CLOSES_BEFORE.test(source[at + 1] ?? '')) continue;
      const raw = source.slice(start + 1, at);
      if (raw === '' && open === '`') return undefined;
      const text = open === '`' ? raw : raw.replaceAll(`\\${close}`, close);
      return { kind: open === '`' ? 'code' : 'quoted', text, lower: '', start, end: at + 1 };
    }
  }
  if (!oneLine) unclosed.add(open);
  return undefined;
}

const CONTRACTED = /^(what|where|who|how|that|it|there|which)'s$/;

function readWord(source: string, start: number, isAfterData: boolean): Token[] {
  if (source[start] === '(') return [mark('(', start)];
  let end = start;
  while (end < source.length && !/\s/.test(source[end] ?? '')) end += 1;
  let last = end;
  while (last > start && isTrailingMark(source, start, last)) last -= 1;
  // Right after a quote all of it is punctuation: `'a.txt'.` ends a sentence.
  if (
    isAfterData &&
    source
      .slice(start, end)
      .split('')
      .every((char) => MARKS.includes(char))
  )
    last = start;
  const tokens: Token[] = [];
  if (last > start) {
    const text = source.slice(start, last);
    const lower = text.toLowerCase().replaceAll('’', "'");
    const contracted = CONTRACTED.exec(lower)?.[1];
    if (contracted !== undefined) {
      const middle = start + contracted.length;
      tokens.push({ kind: 'word', text: text.slice(0, contracted.length), lower: contracted, start, end: middle });
      tokens.push({ kind: 'word', text: text.slice(contracted.length), lower: 'is', start: middle, end: last });
    } else {
      tokens.push({ kind: 'word', text, lower, start, end: last });
    }
  }
  for (let at = last; at < end; at += 1) tokens.push(mark(source[at] ?? '', at));
  return tokens;
}

const mark = (char: string, at: number): Token => ({ kind: 'mark', text: char, lower: char, start: at, end: at + 1 });

function isTrailingMark(source: string, start: number, end: number): boolean {
  const char = source[end - 1] ?? '';
  if (!MARKS.includes(char)) return false;
  const word = source.slice(start, end);
  // `.` and `..` are folders, `f()` is a call.
  if (char === '.') return !/(^|\/)\.+$/.test(word);
  return char !== ')' || !word.includes('(');
}

/** Escapes of double-quoted text, for what is to be written into a file. */
export function unescapeText(text: string): string {
  return text.replace(/\\([nt\\])/g, (_, char: string) => (char === 'n' ? '\n' : char === 't' ? '\t' : '\\'));
}

export const isData = (token: Token): boolean => token.kind === 'quoted' || token.kind === 'code' || token.kind === 'block';
