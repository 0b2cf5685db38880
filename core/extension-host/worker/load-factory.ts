import { pathToFileURL } from 'node:url';
import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { ExtensionFactory } from '../contract/public.js';

/**
 * The default export of an extension file, which must be JavaScript that Node runs as it is. A module imported this way is never unloaded:
 * a reload needs a new worker.
 */
export async function loadFactory(path: string): Promise<ExtensionFactory> {
  const module = (await import(pathToFileURL(path).href)) as { default?: unknown };
  if (typeof module.default !== 'function')
    throw new CodedError(BOUNDARY_ERRORS.NOT_LOADED, `${path} does not export a function by default`);
  return module.default as ExtensionFactory;
}
