import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { ExtensionFactory } from '../contract/public.js';

/** Evaluates modules of extensions. */
export interface ModuleSource {
  /** The namespace of a file, evaluated anew after each `renew`. */
  load(path: string): Promise<Record<string, unknown>>;
  renew(): void;
  /** A package that was imported natively is another one on disk now: only a new thread can have it. */
  nativeChanged(): boolean;
}

/** The function that an extension file exports by default, also where CommonJS or a compiler put it one level deeper. */
export async function loadFactory(modules: ModuleSource, path: string): Promise<ExtensionFactory> {
  const found = defaultExport(await modules.load(path));
  if (typeof found !== 'function')
    throw new CodedError(BOUNDARY_ERRORS.NOT_LOADED, `${path} does not export a function by default`);
  return found as ExtensionFactory;
}

function defaultExport(module: unknown): unknown {
  if (typeof module === 'function' || typeof module !== 'object' || module === null) return module;
  const inner = (module as { default?: unknown }).default;
  return typeof inner === 'object' && inner !== null && 'default' in inner ? (inner as { default: unknown }).default : inner;
}
