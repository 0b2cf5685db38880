import { isUtf8 } from 'node:buffer';
import { CodedError } from '../base/coded-error.js';
import { TOOL_ERRORS } from './errors.js';

export interface TextEdit {
  oldText: string;
  newText: string;
}

interface Match {
  /** Of the edit in the list. */
  index: number;
  start: number;
  end: number;
  newText: string;
}

export interface Replaced {
  data: Buffer;
  /** Both without BOM and with LF line ends, for showing what changed. */
  before: string;
  after: string;
}

/**
 * Applies edits that each match exactly one place of the original. Line ends match either way and keep the file's kind; BOM and every byte
 * outside the matches stay as they are, whatever the encoding. Throws `TOOL_EDIT_REFUSED` with the reason, changing nothing.
 */
export function replaceText(original: Buffer, edits: readonly TextEdit[], path: string): Replaced {
  // A text that is not UTF-8 is treated byte by byte, so that bytes nobody can read survive.
  const encoding = isUtf8(original) ? 'utf8' : 'latin1';
  const encode = (text: string): string => (encoding === 'utf8' ? text : Buffer.from(text).toString('latin1'));
  const source = new LineEndMap(original.toString(encoding));
  const matches = edits.map((edit, index) =>
    findOne(source, encode(toLf(edit.oldText)), index, edits.length, path, encode(toLf(edit.newText))),
  );
  matches.sort((a, b) => a.start - b.start);
  refuseOverlaps(matches, path);

  let result = '';
  let at = 0;
  for (const match of matches) {
    const [start, end] = [source.toSource(match.start), source.toSource(match.end)];
    const lineEnd = source.lineEndAt(match.start, match.end);
    result += source.text.slice(at, start) + (lineEnd === '\n' ? match.newText : match.newText.replaceAll('\n', lineEnd));
    at = end;
  }
  result += source.text.slice(at);
  const data = Buffer.from(result, encoding);
  if (data.equals(original)) throw refusal(`The edits would leave ${path} as it is: old and new text are the same`);
  return { data, before: shown(original), after: shown(data) };
}

const BOM = '\ufeff';
const toLf = (text: string): string => text.replaceAll('\r\n', '\n');
const shown = (data: Buffer): string => toLf(data.toString('utf8')).replace(BOM, '');
const refusal = (message: string): CodedError => new CodedError(TOOL_ERRORS.EDIT_REFUSED, message);

/** A text seen with LF line ends, and the way back to where things are in the original. */
class LineEndMap {
  readonly text: string;
  readonly normalized: string;
  /** Where in `normalized` the line ends are that have a CR in the original, ascending. */
  readonly #crlf: number[] = [];
  readonly #mostlyCrlf: boolean;

  constructor(text: string) {
    this.text = text;
    for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) this.#crlf.push(at - this.#crlf.length);
    this.normalized = this.#crlf.length === 0 ? text : toLf(text);
    this.#mostlyCrlf = this.#crlf.length > 0 && this.#crlf.length * 2 > this.normalized.split('\n').length - 1;
  }

  toSource(at: number): number {
    return at + this.#crlfBefore(at);
  }

  /** The line end to use in a replacement: that of the replaced lines, else the file's usual one. */
  lineEndAt(start: number, end: number): '\n' | '\r\n' {
    const newline = this.normalized.indexOf('\n', start);
    if (newline < 0 || newline >= end) return this.#mostlyCrlf ? '\r\n' : '\n';
    return this.#crlf[this.#crlfBefore(newline)] === newline ? '\r\n' : '\n';
  }

  /** How many CRs stand before a place; one right at a line end belongs to it. */
  #crlfBefore(at: number): number {
    let low = 0;
    let high = this.#crlf.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#crlf[middle] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function findOne(source: LineEndMap, oldText: string, index: number, count: number, path: string, newText: string): Match {
  const which = count === 1 ? 'oldText' : `edits[${index}].oldText`;
  if (oldText === '') throw refusal(`${which} is empty. To make or fill a file use write`);
  const places: number[] = [];
  const text = source.normalized;
  // Overlapping places count: "aa" is twice in "aaa", and nobody can know which one is meant.
  for (let at = text.indexOf(oldText); at >= 0; at = text.indexOf(oldText, at + 1)) places.push(at);
  const [start] = places;
  if (start === undefined)
    throw refusal(`${which} was not found in ${path}. It must match exactly, white space included.${nearMiss(text, oldText)}`);
  if (places.length > 1) {
    const lines = places.slice(0, 10).map((at) => lineOf(text, at));
    const more = places.length > lines.length ? ', …' : '';
    throw refusal(
      `${which} is in ${path} ${places.length} times (lines ${lines.join(', ')}${more}). Give more of the text around it, so that it is there once`,
    );
  }
  return { index, start, end: start + oldText.length, newText };
}

function refuseOverlaps(matches: readonly Match[], path: string): void {
  for (const [at, match] of matches.entries()) {
    const previous = matches[at - 1];
    if (previous && match.start < previous.end) {
      const [first, second] = [previous.index, match.index].sort((a, b) => a - b);
      throw refusal(`edits[${first}] and edits[${second}] overlap in ${path}. Make one edit of them`);
    }
  }
}

/** Where the text would match if white space did not count: the usual reason for a miss. */
function nearMiss(text: string, wanted: string): string {
  const squeeze = (line: string): string => line.replace(/\s+/g, '');
  const lines = wanted
    .split('\n')
    .map(squeeze)
    .filter((line) => line !== '');
  const [first] = lines;
  if (first === undefined) return '';
  const candidates = text
    .split('\n')
    .map((line, index) => ({ line: squeeze(line), number: index + 1 }))
    .filter(({ line }) => line !== '');
  for (const [at, candidate] of candidates.entries()) {
    if (candidate.line === first && lines.every((line, offset) => candidates[at + offset]?.line === line)) {
      return ` A text that differs from it only in white space begins at line ${candidate.number}; read it again`;
    }
  }
  return '';
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let newline = text.indexOf('\n'); newline >= 0 && newline < at; newline = text.indexOf('\n', newline + 1)) line += 1;
  return line;
}
