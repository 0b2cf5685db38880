import { CodedError } from '../../base/coded-error.js';
import { PACKAGE_ERRORS } from './errors.js';

/**
 * Names that exist so that an import of them never fails, and say what to do instead when they are used. The page about the
 * packages is made from what {@link unsupportedReason} finds, so that there is no second list to keep.
 */
const REASON = Symbol('unsupported');

/** What stands for a missing function or class: called, constructed and extended, it throws. */
export type Unsupported = new (...args: never[]) => object;
export type UnsupportedFunction = (...args: unknown[]) => never;

/** A function of `packageName` that throws when it is called. `instead` is a sentence that names the way out. */
export function unsupportedFunction(packageName: string, name: string, instead: string): UnsupportedFunction {
  const refuse = (): never => {
    throw refusal(packageName, name, instead);
  };
  return marked(refuse, name, instead);
}

/** A class of `packageName` that can be extended and throws when it, or a class made from it, is constructed. */
export function unsupportedClass(packageName: string, name: string, instead: string): Unsupported {
  class Refused {
    constructor() {
      throw refusal(packageName, name, instead);
    }
  }
  return marked(Refused as unknown as Unsupported, name, instead); // its constructor never returns
}

/** An object of `packageName` that throws when a member of it is read. */
export function unsupportedObject(packageName: string, name: string, instead: string): Readonly<Record<string, unknown>> {
  const target = marked({}, name, instead);
  return new Proxy(target, {
    get: (_, member) => {
      // Loaders and printers look at symbols, and promises at `then`: that is no use of it.
      if (typeof member === 'symbol' || member === 'then' || member === '__esModule') return Reflect.get(target, member);
      throw refusal(packageName, name, instead);
    },
  });
}

/** The way out of an exported value that throws when it is used; undefined for everything that works. */
export function unsupportedReason(value: unknown): string | undefined {
  const isThing = typeof value === 'function' || (typeof value === 'object' && value !== null);
  if (!isThing || !Object.hasOwn(value, REASON)) return undefined;
  return (value as unknown as { [REASON]: string })[REASON];
}

function refusal(packageName: string, name: string, instead: string): CodedError {
  return new CodedError(PACKAGE_ERRORS.UNSUPPORTED, `${name} of ${packageName} is not available here. ${instead}`, {
    data: { package: packageName, name },
  });
}

function marked<T extends object>(value: T, name: string, instead: string): T {
  Object.defineProperty(value, 'name', { value: name });
  Object.defineProperty(value, REASON, { value: instead });
  return value;
}
