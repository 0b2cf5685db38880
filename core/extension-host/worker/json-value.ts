import { CodedError, messageOf } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';

const MAX_LEVELS = 1_000;
const told = new Set<string>();

/**
 * A value as it will be in a record: what JSON keeps of it. What can't be written at all (a cycle, a BigInt, a throwing getter, too many
 * levels) is an error that names the member; what silently vanishes (functions, symbols) is said once on stderr.
 */
export function withoutLosses(value: unknown, member: string, extension: string): unknown {
  if (value === undefined) return undefined;
  const lost = new Set<string>();
  let text: string | undefined;
  try {
    text = JSON.stringify(value, (key, one: unknown) => {
      if (typeof one === 'function' || typeof one === 'symbol') lost.add(key);
      return one;
    });
  } catch (error) {
    const why = error instanceof RangeError ? `it has more than ${MAX_LEVELS} levels` : messageOf(error);
    throw new CodedError(BOUNDARY_ERRORS.UNWRITABLE, `${member}: the value can't be written as JSON: ${why}`, { cause: error });
  }
  if (text === undefined) {
    throw new CodedError(BOUNDARY_ERRORS.UNWRITABLE, `${member}: a ${typeof value} can't be written as JSON`);
  }
  if (lost.size > 0) tellOnce(`${extension}: ${member}: functions and symbols are not kept: ${[...lost].slice(0, 5).join(', ')}`);
  return JSON.parse(text);
}

function tellOnce(text: string): void {
  if (told.has(text)) return;
  told.add(text);
  process.stderr.write(`${text}\n`);
}
