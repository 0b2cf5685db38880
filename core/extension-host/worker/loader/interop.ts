import { types } from 'node:util';

type Exports = Record<PropertyKey, unknown>;

/** By what they are views of; while that lives. */
const views = new WeakMap<object, object>();

/**
 * What `import` sees of a module that is not one of ours: its exports as properties that stay current, `default`, and the mark that says so.
 * For CommonJS `default` is all of `module.exports`, or its own `default` when it was compiled from a module.
 */
export function importView(exports: unknown): Exports {
  if (exports === null || (typeof exports !== 'object' && typeof exports !== 'function')) return view(null, {}, exports);
  if (isCompiledModule(exports)) return exports as Exports;
  const known = views.get(exports);
  if (known) return known as Exports;
  const made = types.isModuleNamespaceObject(exports) ? view(null, exports) : view(exports, exports, exports);
  views.set(exports, made);
  return made as Exports;
}

/** True for what `import` may use as it is. */
export const isCompiledModule = (exports: object): boolean =>
  (exports as Exports).__esModule === true && 'default' in exports && !types.isModuleNamespaceObject(exports);

/** `prototype` gives what has no key yet, or none that can be listed: methods of an instance, additions of a module still running. */
function view(prototype: object | null, source: object, fallback?: unknown): Exports {
  const made = Object.create(prototype) as Exports;
  for (const key of Object.keys(source)) {
    if (key === '__esModule') continue;
    Object.defineProperty(made, key, { enumerable: true, configurable: true, get: () => (source as Exports)[key] });
  }
  Object.defineProperty(made, '__esModule', { value: true });
  if (fallback !== undefined) Object.defineProperty(made, 'default', { enumerable: true, configurable: true, value: fallback });
  return made;
}
