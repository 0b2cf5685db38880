import { stat } from 'node:fs/promises';
import { fileError } from './file-errors.js';
import { type PathBase, resolvePath } from './paths.js';

/** The place a search or listing begins: absolute path, and whether it is a folder. Throws when there is nothing. */
export async function searchRoot(value: unknown, base: PathBase): Promise<{ given: string; path: string; isFolder: boolean }> {
  const given = typeof value === 'string' && value !== '' ? value : '.';
  const path = resolvePath(given, base);
  try {
    return { given, path, isFolder: (await stat(path)).isDirectory() };
  } catch (error) {
    throw fileError(error, 'search', given);
  }
}

/** A limit argument as a whole number between 1 and `max`. */
export function limitOf(value: unknown, usual: number, max: number): number {
  return typeof value === 'number' && value >= 1 ? Math.min(Math.floor(value), max) : usual;
}
