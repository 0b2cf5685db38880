/** What a tool may send to the model, whichever is reached first. Source: extensions.md "Output Truncation". */
export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 * 1024;

export interface OutputLimits {
  maxLines?: number;
  /** UTF-8 bytes. */
  maxBytes?: number;
}

/** How a text was cut. A last newline ends a line and does not begin one. */
export interface TruncationResult {
  content: string;
  truncated: boolean;
  truncatedBy: 'lines' | 'bytes' | null;
  totalLines: number;
  totalBytes: number;
  outputLines: number;
  outputBytes: number;
  /** The kept part begins (tail) or ends (head) inside a line that is longer than the limit by itself. */
  lastLinePartial: boolean;
  firstLineExceedsLimit: boolean;
  maxLines: number;
  maxBytes: number;
}

/** {@link TruncationResult} as it is stored beside a result that already has the content. */
export type TruncationDetails = Omit<TruncationResult, 'content'>;

/** Keeps the beginning: whole lines, or the first part of a first line that is too long by itself. */
export function truncateHead(text: string, limits: OutputLimits = {}): TruncationResult {
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = limits;
  const totals = { totalLines: countLines(text), totalBytes: Buffer.byteLength(text) };
  if (totals.totalLines <= maxLines && totals.totalBytes <= maxBytes) return whole(text, totals, maxLines, maxBytes);
  let end = 0;
  for (let line = 0; line < maxLines && end < text.length; line += 1) {
    const newline = text.indexOf('\n', end);
    end = newline < 0 ? text.length : newline + 1;
  }
  let content = text.slice(0, end);
  let truncatedBy: 'lines' | 'bytes' = 'lines';
  let partial = false;
  if (Buffer.byteLength(content) > maxBytes) {
    truncatedBy = 'bytes';
    const fitting = cutHead(content, maxBytes);
    const newline = fitting.lastIndexOf('\n');
    partial = newline < 0;
    content = partial ? fitting : fitting.slice(0, newline + 1);
  }
  return { ...cut(content, totals, truncatedBy, maxLines, maxBytes), lastLinePartial: partial, firstLineExceedsLimit: partial };
}

/**
 * Keeps the end: whole lines, or the last part of a last line that is too long by itself. `totals` are those of the whole when `text`
 * is only the end of something longer.
 */
export function truncateTail(
  text: string,
  limits: OutputLimits = {},
  totals: { totalLines: number; totalBytes: number } = { totalLines: countLines(text), totalBytes: Buffer.byteLength(text) },
): TruncationResult {
  const { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = limits;
  if (totals.totalLines <= maxLines && totals.totalBytes <= maxBytes) return whole(text, totals, maxLines, maxBytes);
  let content = maxLines <= 0 ? '' : text.slice(startOfLastLines(text, maxLines));
  let truncatedBy: 'lines' | 'bytes' = 'lines';
  let partial = false;
  if (Buffer.byteLength(content) > maxBytes) {
    truncatedBy = 'bytes';
    const fitting = cutTail(content, maxBytes);
    const atLineStart = content[content.length - fitting.length - 1] === '\n';
    const newline = atLineStart ? -1 : fitting.indexOf('\n');
    // A newline that is the very last character only ends the one long line.
    partial = !atLineStart && (newline < 0 || newline === fitting.length - 1);
    content = partial || atLineStart ? fitting : fitting.slice(newline + 1);
  }
  return { ...cut(content, totals, truncatedBy, maxLines, maxBytes), lastLinePartial: partial, firstLineExceedsLimit: false };
}

/** One line cut to `maxBytes`, with an ellipsis when something is missing. */
export function truncateLine(line: string, maxBytes: number): { text: string; wasTruncated: boolean } {
  if (Buffer.byteLength(line) <= maxBytes) return { text: line, wasTruncated: false };
  return { text: `${cutHead(line, Math.max(0, maxBytes - 3))}...`, wasTruncated: true };
}

/** `1.5MB`, `50KB`, `12B`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  const [value, unit] = bytes < 1024 * 1024 ? [bytes / 1024, 'KB'] : [bytes / (1024 * 1024), 'MB'];
  return `${Number.isInteger(value) ? value : value.toFixed(1)}${unit}`;
}

/** Lines of a text; a last newline does not begin another. */
export function countLines(text: string): number {
  if (text === '') return 0;
  return countNewlines(text) + (text.endsWith('\n') ? 0 : 1);
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** The longest beginning of at most `maxBytes` UTF-8 bytes that ends between two characters as a reader sees them. */
export function cutHead(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  // A UTF-16 unit is at least one byte, so the cut lies within the first `maxBytes` units.
  const bytes = Buffer.from(text.slice(0, maxBytes));
  let end = Math.min(maxBytes, bytes.length);
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  const units = bytes.toString('utf8', 0, end).length;
  return text.slice(0, borderNear(text, units, 'before'));
}

/** The longest end of at most `maxBytes` UTF-8 bytes that begins between two characters as a reader sees them. */
export function cutTail(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  if (maxBytes <= 0) return '';
  const bytes = Buffer.from(text.slice(-maxBytes));
  let start = Math.max(0, bytes.length - maxBytes);
  while (start < bytes.length && isContinuation(bytes[start])) start += 1;
  const units = bytes.toString('utf8', start).length;
  return text.slice(borderNear(text, text.length - units, 'after'));
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Longest cluster looked at: beyond it (hundreds of stacked accents) only surrogate pairs are kept together. */
const CLUSTER_WINDOW = 64;
let segmenter: Intl.Segmenter | undefined;

function borderNear(text: string, at: number, side: 'before' | 'after'): number {
  if (at <= 0 || at >= text.length) return at;
  const from = Math.max(0, at - CLUSTER_WINDOW);
  const window = text.slice(from, at + CLUSTER_WINDOW);
  // Plain ASCII has a border everywhere, and the segmenter costs a millisecond to make.
  if (/^[\x20-\x7e\n\t]*$/.test(window)) return at;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let before = from;
  for (const { index } of segmenter.segment(window)) {
    const border = from + index;
    if (border === at) return at;
    if (border > at) return side === 'after' ? border : before > from ? before : pairBorder(text, at, side);
    before = border;
  }
  if (side === 'before' && before > from) return before;
  return pairBorder(text, at, side);
}

function pairBorder(text: string, at: number, side: 'before' | 'after'): number {
  const inside = /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
  return inside ? at + (side === 'after' ? 1 : -1) : at;
}

function startOfLastLines(text: string, lines: number): number {
  let at = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let line = 0; line < lines; line += 1) {
    const newline = at > 0 ? text.lastIndexOf('\n', at - 1) : -1;
    if (newline < 0) return 0;
    at = newline;
  }
  return at + 1;
}

type Totals = { totalLines: number; totalBytes: number };

function whole(content: string, totals: Totals, maxLines: number, maxBytes: number): TruncationResult {
  return {
    content,
    truncated: false,
    truncatedBy: null,
    ...totals,
    outputLines: totals.totalLines,
    outputBytes: totals.totalBytes,
    lastLinePartial: false,
    firstLineExceedsLimit: false,
    maxLines,
    maxBytes,
  };
}

function cut(content: string, totals: Totals, truncatedBy: 'lines' | 'bytes', maxLines: number, maxBytes: number) {
  return {
    content,
    truncated: true as const,
    truncatedBy,
    ...totals,
    outputLines: countLines(content),
    outputBytes: Buffer.byteLength(content),
    maxLines,
    maxBytes,
  };
}
