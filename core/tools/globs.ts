import { CodedError } from '../base/coded-error.js';
import { TOOL_ERRORS } from './errors.js';

/** Longest pattern taken: the library's regular expressions grow with it. */
const MAX_GLOB_LENGTH = 1000;

/**
 * A test for paths relative to the searched folder, `/` between names. A pattern without `/` looks at the last name only, as in `.gitignore`;
 * dot files match. Throws `TOOL_BAD_ARGUMENT`.
 */
export async function createGlob(pattern: string): Promise<(relativePath: string) => boolean> {
  if (pattern === '') throw new CodedError(TOOL_ERRORS.BAD_ARGUMENT, 'The pattern is empty');
  if (pattern.length > MAX_GLOB_LENGTH)
    throw new CodedError(TOOL_ERRORS.BAD_ARGUMENT, `The pattern is longer than ${MAX_GLOB_LENGTH} characters`);
  const { default: picomatch } = await import('picomatch');
  const anchored = pattern.replace(/^\.?\//, '');
  const nameOnly = !pattern.includes('/');
  try {
    const matches = picomatch(anchored, { dot: true, strictSlashes: true });
    return (path) => matches(nameOnly ? path.slice(path.lastIndexOf('/') + 1) : path);
  } catch (error) {
    throw new CodedError(TOOL_ERRORS.BAD_ARGUMENT, `${pattern} is not a valid glob pattern`, { cause: error });
  }
}
