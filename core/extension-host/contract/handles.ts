import { method, note } from './method.js';
import { integer, json, list, tuple } from './shape.js';

/** Functions of an extension that the core was given: they stay in the worker and are reached by number until released. */
export const workerHandles = {
  /** Number, arguments. What the function says between, through `progress`. */
  'handles.call': method({ args: tuple(integer(1), list(json)), result: json, progress: json, abortGraceMs: 2_000 }),
  'handles.release': note(tuple(integer(1))),
};
