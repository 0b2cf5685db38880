import { messageOf } from '../base/coded-error.js';
import { decodeText } from './decode-text.js';
import { readCapped } from './read-capped.js';

/** More than anybody writes by hand for a model to read; a wall against files that are something else. */
export const MAX_RESOURCE_BYTES = 2 * 1024 * 1024;

/** The text of a skill or template. Undefined, with the reason told, for what is unreadable, too large or no text. */
export async function readResource(file: string, tell: (message: string) => void): Promise<string | undefined> {
  try {
    const { bytes, cut } = await readCapped(file, MAX_RESOURCE_BYTES, { mustBeFile: true });
    if (cut) tell(`it is larger than ${MAX_RESOURCE_BYTES} bytes, so it is not loaded`);
    else if (bytes.includes(0)) tell('it is no text file, so it is not loaded');
    else return decodeText(bytes);
  } catch (error) {
    tell(`it can't be read: ${messageOf(error)}`);
  }
  return undefined;
}
