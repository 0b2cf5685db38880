import {
  LANGUAGE_GLOBALS,
  OPEN_ERROR_KEYS,
  OVERRIDDEN,
  OVERRIDDEN_IN_ARRAYS,
  OVERRIDDEN_IN_FUNCTIONS,
  OVERRIDDEN_IN_PROMISES,
  WATCHED_KEYS,
} from './fixed-names.js';
import { fixProperty, makeOverridable, makeQuickAgain } from './fixed-property.js';
import type { FixedWatch } from './fixed-watch.js';

/** What no global name leads to. */
function hiddenIntrinsics(): unknown[] {
  const generator = function* () {};
  const asyncGenerator = async function* () {};
  const iterators = [[].values(), new Map().entries(), new Set().values(), ''[Symbol.iterator](), ''.matchAll(/x/g), generator()];
  return [...iterators, generator, asyncGenerator, asyncGenerator(), async () => {}].map((each) => Object.getPrototypeOf(each));
}

/** Everything that is reached from the language's globals and hidden objects, each once. */
function collectIntrinsics(): Set<object> {
  const found = new Set<object>();
  const look: unknown[] = [...hiddenIntrinsics()];
  for (const name of LANGUAGE_GLOBALS) look.push(Reflect.get(globalThis, name));
  while (look.length > 0) {
    const next = look.pop();
    if ((typeof next !== 'object' && typeof next !== 'function') || next === null || next === globalThis || found.has(next))
      continue;
    found.add(next);
    look.push(Object.getPrototypeOf(next));
    for (const key of Reflect.ownKeys(next)) {
      if (next === Error && OPEN_ERROR_KEYS.has(key)) continue;
      const descriptor = Reflect.getOwnPropertyDescriptor(next, key);
      if (descriptor && 'value' in descriptor) look.push(descriptor.value);
      else look.push(descriptor?.get, descriptor?.set);
    }
  }
  return found;
}

/** Prototypes of which nobody assigns `constructor` in a class of his own, or which lose speed when anything in them is redefined. */
function isFrozenWhole(object: object): boolean {
  const { prototype: array } = Array;
  const whole: readonly object[] = [array, Promise.prototype, String.prototype, Number.prototype, Boolean.prototype];
  return whole.includes(object) || object === Symbol.prototype || object === BigInt.prototype;
}

function overriddenIn(object: object): readonly PropertyKey[] {
  if (object === Function.prototype) return [...OVERRIDDEN, ...OVERRIDDEN_IN_FUNCTIONS];
  if (object === Array.prototype) return [...OVERRIDDEN, ...OVERRIDDEN_IN_ARRAYS];
  if (object === Promise.prototype) return [...OVERRIDDEN, ...OVERRIDDEN_IN_PROMISES];
  // Not of strings: their conversion is quick only while nothing in it was redefined.
  if (object === String.prototype) return [];
  const collections: readonly object[] = [Map.prototype, Set.prototype, WeakMap.prototype, WeakSet.prototype];
  return collections.includes(object) ? Object.getOwnPropertyNames(object).filter((key) => key !== 'constructor') : OVERRIDDEN;
}

/**
 * Fixes the language's own objects. How each is fixed follows what V8 (Node 20 to 24, measured) takes notice of: freezing keeps its
 * assumptions about arrays, promises and iterators where redefining a property ends them; but objects below a frozen prototype store their
 * elements slowly (typed arrays, Node 20), so those are sealed and redefined; and `RegExp.prototype` can't be touched at all, it is
 * watched. Returns what was fixed.
 */
export function fixLanguage(watch: FixedWatch): Set<object> {
  const intrinsics = collectIntrinsics();
  intrinsics.delete(RegExp.prototype);
  watch.addAll(RegExp.prototype);
  for (const intrinsic of intrinsics) {
    if (typeof intrinsic !== 'object' && intrinsic !== Function.prototype) continue;
    for (const key of overriddenIn(intrinsic)) makeOverridable(intrinsic, key);
  }
  for (const intrinsic of intrinsics) {
    if (intrinsic === Error) fixAllBut(intrinsic, (key) => OPEN_ERROR_KEYS.has(key));
    else if (isOpenPrototype(intrinsic)) fixPrototype(intrinsic, watch);
    else Object.freeze(intrinsic);
  }
  for (const name of LANGUAGE_GLOBALS) fixProperty(globalThis, name);
  return intrinsics;
}

function isOpenPrototype(object: object): boolean {
  if (object === Function.prototype) return true;
  return typeof object === 'object' && !isFrozenWhole(object) && WATCHED_KEYS.some((key) => Object.hasOwn(object, key));
}

/** Sealed, which changes no property's value or kind, and then read-only but for what is watched. */
function fixPrototype(prototype: object, watch: FixedWatch): void {
  Object.seal(prototype);
  for (const key of WATCHED_KEYS) watch.add(prototype, key);
  fixAllBut(prototype, (key) => WATCHED_KEYS.includes(key));
  makeQuickAgain(prototype);
}

function fixAllBut(object: object, isOpen: (key: PropertyKey) => boolean): void {
  for (const key of Reflect.ownKeys(object)) if (!isOpen(key)) fixProperty(object, key);
  Object.preventExtensions(object);
}
