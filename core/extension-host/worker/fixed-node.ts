import { EventEmitter } from 'node:events';
import timers from 'node:timers';
import { NODE_CLASSES, NODE_GLOBALS, OPEN_PROCESS_FUNCTIONS, OVERRIDDEN, WATCHED_KEYS } from './fixed-names.js';
import { fixGlobal, fixProperty, makeOverridable, makeQuickAgain } from './fixed-property.js';

const EVENT_METHODS: readonly string[] = ['addEventListener', 'removeEventListener', 'dispatchEvent'];

/**
 * Fixes what Node and the web add and all extensions share. Only what has a name of letters: Node keeps its own state under symbols and
 * names with `_` in the same objects, and goes on writing there. Returns what was fixed.
 */
export function fixNode(): object[] {
  const emitter: object = EventEmitter.prototype;
  // Instances and subclasses replace these all the time.
  fixPrototype(emitter, Object.getOwnPropertyNames(emitter).filter(isFunctionIn(emitter)));
  const classes = NODE_CLASSES.map((name): unknown => Reflect.get(globalThis, name)).filter((one) => typeof one === 'function');
  for (const each of classes) {
    fixFunctions(each, () => true);
    fixProperty(each, 'prototype');
    fixPrototype(each.prototype as object, [...OVERRIDDEN, ...EVENT_METHODS]);
  }
  fixFunctions(console, () => true);
  fixFunctions(process, (key) => !OPEN_PROCESS_FUNCTIONS.has(key));
  fixFunctions(timers, () => true);
  for (const name of NODE_GLOBALS) fixGlobal(name);
  return [emitter, console, process, timers, ...classes, ...classes.map(({ prototype }) => prototype as object)];
}

function fixPrototype(prototype: object, overridden: readonly string[]): void {
  for (const key of overridden) if (!isOpen(key)) makeOverridable(prototype, key);
  for (const key of Object.getOwnPropertyNames(prototype)) if (!isOpen(key)) fixProperty(prototype, key);
  Object.preventExtensions(prototype);
  makeQuickAgain(prototype);
}

const isOpen = (key: string): boolean => key.startsWith('_') || WATCHED_KEYS.includes(key);

function fixFunctions(object: object, isFixed: (key: string) => boolean): void {
  for (const key of Object.getOwnPropertyNames(object).filter(isFunctionIn(object)))
    if (!isOpen(key) && isFixed(key)) fixProperty(object, key);
}

/** Without running getters, some of which load what nobody may need. */
const isFunctionIn =
  (object: object) =>
  (key: string): boolean =>
    typeof Reflect.getOwnPropertyDescriptor(object, key)?.value === 'function';
