import { closeSync, constants, fstatSync, open, readSync } from 'node:fs';
import { messageOf } from '../base/coded-error.js';
import { decodeText } from './decode-text.js';
import { readCapped } from './read-capped.js';

/** More than anybody writes by hand for a model to read; a wall against files that are something else. */
export const MAX_RESOURCE_BYTES = 2 * 1024 * 1024;

const MAX_SMALL_BYTES = 64 * 1024;

/** Tells what is wrong with a file. An error keeps it from loading. */
export type TellProblem = (severity: 'error' | 'warning', message: string) => void;

/** The text of a skill or template. Undefined, with the reason told, for what is unreadable, too large or no text. */
export async function readResource(file: string, tell: TellProblem): Promise<string | undefined> {
  try {
    const { bytes, cut } = await readBytes(file);
    if (cut) {
      tell('error', `it is larger than ${MAX_RESOURCE_BYTES / 1024 / 1024} MB, so it is not loaded`);
      return undefined;
    }
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
  } catch (error) {
    tell('error', `it can't be read: ${messageOf(error)}`);
    return undefined;
  }
}

/**
 * Most files are small and there may be thousands: those are opened in the background, where a disk that does not answer keeps nobody
 * waiting, and read at once, which takes a third of the time that four trips to the thread pool take.
 */
async function readBytes(file: string): Promise<{ bytes: Buffer; cut: boolean }> {
  return (await readSmall(file)) ?? readCapped(file, MAX_RESOURCE_BYTES, { mustBeFile: true });
}

function readSmall(file: string): Promise<{ bytes: Buffer; cut: boolean } | undefined> {
  return new Promise((resolve, reject) => {
    open(file, constants.O_RDONLY | constants.O_NONBLOCK, (error, fd) => {
      if (error) {
        reject(error);
        return;
      }
      try {
        const stat = fstatSync(fd);
        const buffer = stat.isFile() && stat.size <= MAX_SMALL_BYTES ? Buffer.allocUnsafe(stat.size + 1) : undefined;
        const size = buffer ? readSync(fd, buffer, 0, buffer.length, null) : 0;
        // One byte more than it said: somebody is writing, or it is no common file.
        resolve(buffer && size <= stat.size ? { bytes: buffer.subarray(0, size), cut: false } : undefined);
      } catch (problem) {
        reject(problem);
      } finally {
        closeSync(fd);
      }
    });
  });
}

function isUtf16(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}
