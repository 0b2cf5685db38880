import { isAscii, isUtf8 } from 'node:buffer';
import { readSync } from 'node:fs';

/** One line of a file. `bytes` is reused: read what is needed before returning. */
export interface RawLine {
  bytes: Buffer;
  /** The line within `bytes`, without its line end (LF or CRLF). */
  start: number;
  end: number;
  /** Offset of the line in the file. */
  offset: number;
  /** False only for a last line without LF. */
  terminated: boolean;
  /** Valid UTF-8 without raw U+2028, U+2029 and U+0085, which careless readers take for line ends. */
  safe: boolean;
}

const LF = 0x0a;
const CR = 0x0d;
const FIRST_BLOCK = 1 << 20;
/** U+2028, U+2029 and U+0085 as UTF-8. */
const SEPARATORS = [Buffer.from('\u2028'), Buffer.from('\u2029'), Buffer.from('\u0085')];

/**
 * Streams a file's lines through one block, which grows only for a longer line. `onLine` returns false to stop.
 * Returns the bytes read. File system errors are thrown as they are.
 */
export function readLines(fd: number, onLine: (line: RawLine) => boolean): number {
  let block = Buffer.allocUnsafe(FIRST_BLOCK);
  let filled = 0;
  let blockOffset = 0;
  for (;;) {
    if (filled === block.length) {
      const larger = Buffer.allocUnsafe(block.length * 2);
      block.copy(larger, 0, 0, filled);
      block = larger;
    }
    const read = readSync(fd, block, filled, block.length - filled, blockOffset + filled);
    const searchFrom = filled;
    filled += read;
    const atEnd = read === 0;
    const lastBreak = atEnd ? -1 : block.subarray(searchFrom, filled).lastIndexOf(LF);
    const usable = atEnd ? filled : lastBreak < 0 ? 0 : searchFrom + lastBreak + 1;
    if (usable > 0 && !emitLines(block.subarray(0, usable), blockOffset, onLine)) return blockOffset + usable;
    if (atEnd) return blockOffset + filled;
    block.copyWithin(0, usable, filled);
    blockOffset += usable;
    filled -= usable;
  }
}

function emitLines(bytes: Buffer, offset: number, onLine: (line: RawLine) => boolean): boolean {
  const plain = isAscii(bytes);
  const unsafe = plain ? [] : separatorPlaces(bytes);
  const allUtf8 = plain || isUtf8(bytes);
  let nextUnsafe = 0;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LF, start);
    const lineEnd = found < 0 ? bytes.length : found;
    const end = lineEnd > start && bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd;
    while (nextUnsafe < unsafe.length && (unsafe[nextUnsafe] ?? 0) < start) nextUnsafe++;
    const clear = nextUnsafe >= unsafe.length || (unsafe[nextUnsafe] ?? 0) >= end;
    const safe = clear && (allUtf8 || isUtf8(bytes.subarray(start, end)));
    if (!onLine({ bytes, start, end, offset: offset + start, terminated: found >= 0, safe })) return false;
    start = lineEnd + 1;
  }
  return true;
}

/** Where raw separators begin, in ascending order. */
function separatorPlaces(bytes: Buffer): number[] {
  const places: number[] = [];
  for (const separator of SEPARATORS) {
    for (let at = bytes.indexOf(separator); at >= 0; at = bytes.indexOf(separator, at + 1)) places.push(at);
  }
  return places.sort((a, b) => a - b);
}
