/** Errors that were thrown here. */
const refusals = new WeakSet<Error>();

export const isRefusal = (error: Error): boolean => refusals.has(error);

export function refuse(message: string): never {
  const error = new TypeError(message);
  refusals.add(error);
  throw error;
}

const refuseKey = (key: PropertyKey): never => refuse(`Cannot assign to '${String(key)}': extensions of one worker share it`);

/** Some libraries that look properties up by descriptor ask a getter for the value behind it by this name. */
function readerOf(value: unknown): () => unknown {
  const read = (): unknown => value;
  Object.defineProperty(read, 'originalValue', { value });
  return read;
}

/** In place of a value that objects may inherit: assigned to one that does, it becomes that one's own; where it is, it stays. */
export function makeOverridable(holder: object, key: PropertyKey): void {
  const descriptor = Reflect.getOwnPropertyDescriptor(holder, key);
  if (!descriptor?.configurable || !('value' in descriptor)) return;
  const { value, enumerable = false } = descriptor;
  Object.defineProperty(holder, key, {
    get: readerOf(value),
    set(this: unknown, given: unknown) {
      if (this === holder && given === value) return;
      const own = { value: given, writable: true, enumerable: true, configurable: true };
      // An own accessor or read-only value does not lead here: this only fails where nothing may be added.
      if (this === holder || !Reflect.defineProperty(Object(this), key, own)) refuseKey(key);
    },
    enumerable,
    configurable: false,
  });
}

/** A global of Node: whoever sets what is there already (`globalThis.fetch ??= …`, `global.Buffer = Buffer`) may. */
export function fixGlobal(name: string): void {
  const descriptor = Reflect.getOwnPropertyDescriptor(globalThis, name);
  if (!descriptor?.configurable) return;
  const value: unknown = Reflect.get(globalThis, name);
  Object.defineProperty(globalThis, name, {
    get: readerOf(value),
    set(given: unknown) {
      if (given !== value) refuseKey(name);
    },
    enumerable: descriptor.enumerable ?? false,
    configurable: false,
  });
}

/** A value stays; a getter stays the one it is. */
export function fixProperty(holder: object, key: PropertyKey): void {
  const descriptor = Reflect.getOwnPropertyDescriptor(holder, key);
  if (!descriptor || (descriptor.configurable === false && descriptor.writable !== true)) return;
  Object.defineProperty(holder, key, 'value' in descriptor ? { writable: false, configurable: false } : { configurable: false });
}

/** Redefining makes V8 keep a prototype as a slow table, until something is made that inherits it. */
export function makeQuickAgain(prototype: object): void {
  Object.create(prototype);
}
