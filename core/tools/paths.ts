import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CodedError } from '../base/coded-error.js';
import { TOOL_ERRORS } from './errors.js';

export interface PathBase {
  cwd: string;
  /** What a leading `~` stands for. */
  home: string;
}

/**
 * The absolute path a model means: relative to the working directory, `~` for home, `file:` URLs, and a leading `@` dropped because models
 * copy it from users' file references (unless a file of that very name exists). Throws `TOOL_BAD_ARGUMENT`.
 */
export function resolvePath(path: string, base: PathBase): string {
  if (path === '') throw new CodedError(TOOL_ERRORS.BAD_ARGUMENT, 'The path is empty');
  if (path.includes('\0')) throw new CodedError(TOOL_ERRORS.BAD_ARGUMENT, 'The path contains a NUL character');
  if (path.startsWith('@') && !existsSync(resolve(base.cwd, path))) return resolvePath(path.slice(1) || '.', base);
  if (path.startsWith('file://')) return fromUrl(path);
  if (path === '~') return base.home;
  if (path.startsWith('~/')) return resolve(base.home, path.slice(2));
  return resolve(base.cwd, path);
}

/** How to name a path to the model: relative to the working directory when it lies inside. `/` separates everywhere. */
export function shownPath(path: string, base: PathBase): string {
  const inside = relative(base.cwd, path);
  const outside = inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return (outside ? path : inside || '.').split(sep).join('/');
}

function fromUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    throw new CodedError(TOOL_ERRORS.BAD_ARGUMENT, `${url} is not a valid file: URL`, { cause: error });
  }
}
