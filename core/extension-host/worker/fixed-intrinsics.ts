import { types } from 'node:util';
import { fixLanguage } from './fixed-language.js';
import { fixNode } from './fixed-node.js';
import { isRefusal, refuse } from './fixed-property.js';
import { FixedWatch } from './fixed-watch.js';

export interface Intrinsics {
  /** Whether an error comes of an attempt to change what is fixed. Never throws. An error about a frozen object of one's own may pass for it. */
  isBroken(error: unknown): boolean;
  /** Puts back what could not be fixed and was changed. Throws an error that names it. */
  assertIntact(): void;
  /** The same before every turn of another extension, where only values are looked at: about half a microsecond. Names what was changed. */
  restore(): string[];
}

/** Of a worker that one extension has for itself. */
export const NOTHING_FIXED: Intrinsics = { isBroken: () => false, assertIntact: () => undefined, restore: () => [] };

const MAX_CAUSES = 5;
const NAMED =
  /^Cannot (?:assign to read only property|delete property|redefine property:|define property|set property) '?(.+?)'?(?: of .*)?$/s;
const ADDED = /^Cannot (?:add|define) property .+, object is not extensible$/s;

/**
 * Fixes what extensions of one worker share, so that none can change another's world: the language's own objects, and what Node and the web
 * add. `globalThis` may still be added to, and objects and classes override what they inherit by assignment, as ever. Once in a thread,
 * after all that is to be replaced was replaced.
 */
export function fixIntrinsics(): Intrinsics {
  const watch = new FixedWatch();
  const fixed = [globalThis, ...fixLanguage(watch), ...fixNode()];
  const isFixedKey = (name: string): boolean =>
    fixed.some((object) => Reflect.ownKeys(object).some((key) => String(key) === name));
  const isOurs = (error: unknown): boolean => {
    if (!types.isNativeError(error)) return false;
    if (isRefusal(error)) return true;
    const { message } = error;
    if (!(error instanceof TypeError) || typeof message !== 'string') return false;
    if (ADDED.test(message)) return true;
    const [, key] = NAMED.exec(message) ?? [];
    return key !== undefined && isFixedKey(key);
  };
  return {
    isBroken(error) {
      try {
        let at = error;
        for (let depth = 0; depth < MAX_CAUSES && types.isNativeError(at); depth++) {
          if (isOurs(at)) return true;
          at = at.cause;
        }
      } catch {
        // An error whose own getters throw says nothing about us.
      }
      return false;
    },
    assertIntact() {
      const changed = watch.restore();
      if (changed.length > 0) refuse(`Changed '${changed.map(String).join("', '")}', which extensions of one worker share`);
    },
    restore: () => watch.restore(true).map(String),
  };
}
