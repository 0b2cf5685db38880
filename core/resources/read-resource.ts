import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { messageOf } from '../base/coded-error.js';
import { decodeText } from './decode-text.js';
import { readCapped } from './read-capped.js';

/** More than anybody writes by hand for a model to read; a wall against files that are something else. */
export const MAX_RESOURCE_BYTES = 2 * 1024 * 1024;

/** Tells what is wrong with a file. An error keeps it from loading. */
export type TellProblem = (severity: 'error' | 'warning', message: string) => void;

/** The text of a skill or template. Undefined, with the reason told, for what is unreadable, too large or no text. */
export async function readResource(file: string, tell: TellProblem): Promise<string | undefined> {
  try {
    const small = readSmall(file);
    if (small) return textOf(small, tell);
    const { bytes, cut } = await readCapped(file, MAX_RESOURCE_BYTES, { mustBeFile: true });
    if (!cut) return textOf(bytes, tell);
    tell('error', `it is larger than ${MAX_RESOURCE_BYTES / 1024 / 1024} MB, so it is not loaded`);
    return undefined;
  } catch (error) {
    tell('error', `it can't be read: ${messageOf(error)}`);
    return undefined;
  }
}

function textOf(bytes: Buffer, tell: TellProblem): string | undefined {
  const text = decodeText(bytes);
  // Looked for in the text, because UTF-16 has zero bytes of its own.
  if (text.includes('\0')) {
    tell('error', 'it is no text file, so it is not loaded');
    return undefined;
  }
  if (text.includes('\ufffd') && !bytes.includes('\ufffd', 0, 'utf8') && !isUtf16(bytes)) {
    tell('warning', 'it is not UTF-8 throughout; the characters that could not be read are shown as \ufffd');
  }
  return text;
}

/** Whoever gets bytes of it is done with them before the next file is read: they are decoded in the same turn. */
const SMALL = Buffer.allocUnsafe(64 * 1024 + 1);

/**
 * Most files are small, and there may be thousands: those are read at once. Their folder has just been listed, so the disk answers, and
 * the trips to the thread pool that it saves take five times as long as the reading. Undefined for any other file.
 */
function readSmall(file: string): Buffer | undefined {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size >= SMALL.length) return undefined;
    const size = readSync(fd, SMALL, 0, stat.size + 1, null);
    // One byte more than it said: somebody is writing, or it is no common file.
    return size <= stat.size ? SMALL.subarray(0, size) : undefined;
  } finally {
    closeSync(fd);
  }
}

function isUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}
