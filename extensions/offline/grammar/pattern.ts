import { type Reading, readFile, readFiles, readFolder, readScope } from './references.js';
import type { FileRef, Scope } from './steps.js';
import { isData, type Token } from './tokens.js';

/**
 * The notation of the grammar's rules.
 *
 * - `read|open` one of these words; `[ … ]` may be missing; `<the>` a named part of {@link PARTS}
 * - `{name}` one or more words, as few as fit, or one quoted text; `{name:kind}` where kind is `data` (quoted), `code` (backticks), `block`, `one` (a token),
 *   `raw` (all that is left), `number`, `range` (`3-10`), `file`, `word` (a file, or any single word), `files`, `folder`, `scope` (files or a folder) or `inFiles` (a scope of named files)
 * - colons and commas are skipped everywhere, and so is punctuation at the end
 */
const PARTS: Readonly<Record<string, string>> = {
  the: '[ the|a|an|my|our|this|that|every|each|all|any|some ] [ of ] [ the|my|our|these|those ]',
  in: 'in|inside|within|into|of|from|at|under|across|throughout|through|on|over',
  noun: '[ the|a|an ] [ text|word|words|string|phrase|term|line|name|value|function|class|method|variable|constant|identifier|symbol|type|title|keyword|expression|version|port|number|heading|setting|key|label|message|colour|color ]',
  called: '[ called|named ]',
};

type Element =
  | { kind: 'words'; words: ReadonlySet<string> }
  | { kind: 'maybe'; body: readonly Element[] }
  | { kind: 'capture'; name: string; type: string };

export type Pattern = readonly Element[];

export interface Capture {
  /** The content of a quoted token, else the source as it stands. */
  text: string;
  tokens: readonly Token[];
  isData: boolean;
  file?: FileRef;
  files?: FileRef[];
  folder?: string;
  scope?: Scope;
  /** First and last line of a range. */
  range?: readonly [number, number];
}

export type Captures = Readonly<Record<string, Capture | undefined>>;

/** A span longer than this is no name, text or phrase but prose. */
const LONGEST_SPAN = 40;

export function compile(source: string): Pattern {
  const parts = source.match(/\{[^}]+\}|<\w+>|\[|\]|[^\s[\]]+/g) ?? [];
  let at = 0;
  const sequence = (): Element[] => {
    const body: Element[] = [];
    while (at < parts.length && parts[at] !== ']') {
      const part = parts[at++] ?? '';
      if (part === '[') {
        body.push({ kind: 'maybe', body: sequence() });
        at += 1;
      } else if (part.startsWith('<')) {
        const named = PARTS[part.slice(1, -1)];
        if (named === undefined) throw new Error(`The grammar has no part ${part}`);
        body.push(...compile(named));
      } else if (part.startsWith('{')) {
        const [name = '', type = 'span'] = part.slice(1, -1).split(':');
        body.push({ kind: 'capture', name, type });
      } else {
        body.push({ kind: 'words', words: new Set(part.split('|')) });
      }
    }
    return body;
  };
  return sequence();
}

/** What the captures hold if the whole of `tokens` fits, else undefined. */
export function match(pattern: Pattern, tokens: readonly Token[], source: string): Captures | undefined {
  const captures: Record<string, Capture | undefined> = {};

  const run = (body: readonly Element[], index: number, at: number, done: (at: number) => boolean): boolean => {
    const element = body[index];
    if (element === undefined) return done(at);
    const next = (end: number): boolean => run(body, index + 1, end, done);
    if (element.kind === 'maybe') return run(element.body, 0, at, next) || next(at);
    const token = tokens[at];
    if (token === undefined) return false;
    if (element.kind === 'words') {
      if (element.words.has(token.lower) && next(at + 1)) return true;
    } else {
      for (const { value, end } of readCapture(element.type, tokens, at, source)) {
        captures[element.name] = value;
        if (next(end)) return true;
        captures[element.name] = undefined;
      }
    }
    return isSkippable(token) && run(body, index, at + 1, done);
  };

  const atEnd = (at: number): boolean => tokens.slice(at).every((token) => token.kind === 'mark');
  return run(pattern, 0, 0, atEnd) ? captures : undefined;
}

const isSkippable = (token: Token): boolean => token.kind === 'mark' && ':,('.includes(token.text);

function* readCapture(type: string, tokens: readonly Token[], at: number, source: string): Generator<Reading<Capture>> {
  const token = tokens[at];
  if (token === undefined) return;
  const capture = (end: number, more: Partial<Capture> = {}): Reading<Capture> => ({
    value: { ...plain(tokens.slice(at, end), source), ...more },
    end,
  });
  switch (type) {
    case 'span':
      if (token.kind === 'mark') return;
      // Quoted text is a whole: nothing is said by half of it, or by it and the words around it.
      for (let end = at + 1; end <= Math.min(tokens.length, at + LONGEST_SPAN); end += 1) {
        const last = tokens[end - 1];
        if (last && isData(last) && end > at + 1) return;
        yield capture(end);
        if (isData(token)) return;
      }
      return;
    case 'raw':
      if (token.kind !== 'mark') yield capture(tokens.length);
      return;
    case 'one':
      if (token.kind !== 'mark') yield capture(at + 1);
      return;
    case 'data':
      if (isData(token)) yield capture(at + 1);
      return;
    case 'code':
    case 'block':
      if (token.kind === type) yield capture(at + 1);
      return;
    case 'number': {
      const number = readNumber(token);
      if (number !== undefined) yield capture(at + 1, { range: [number, number] });
      return;
    }
    case 'range': {
      const ends = /^(\d+)[-–](\d+)$/.exec(token.lower);
      if (ends) yield capture(at + 1, { range: [Number(ends[1]), Number(ends[2])] });
      return;
    }
    case 'file':
    case 'word':
      for (const { value, end } of readFile(tokens, at, type === 'word')) yield capture(end, { file: value });
      return;
    case 'files':
      for (const { value, end } of readFiles(tokens, at, false)) yield capture(end, { files: value });
      return;
    case 'folder':
      for (const { value, end } of readFolder(tokens, at)) yield capture(end, { folder: value });
      return;
    case 'inFiles':
      for (const { value, end } of readFiles(tokens, at, false)) {
        if (value.every((file) => file.kind === 'path')) yield capture(end, { scope: { kind: 'files', files: value } });
      }
      return;
    case 'scope':
      for (const { value, end } of readScope(tokens, at)) yield capture(end, { scope: value });
      return;
    default:
      throw new Error(`The grammar has no capture of kind ${type}`);
  }
}

function plain(tokens: readonly Token[], source: string): Capture {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (first && tokens.length === 1 && isData(first)) return { text: first.text, tokens, isData: true };
  return { text: first && last ? source.slice(first.start, last.end) : '', tokens, isData: false };
}

const NUMBERS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

function readNumber(token: Token): number | undefined {
  if (/^\d{1,9}$/.test(token.lower)) return Number(token.lower);
  const index = NUMBERS.indexOf(token.lower);
  return token.kind === 'word' && index > 0 ? index : undefined;
}
