import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { CodedError, messageOf } from '../../../base/coded-error.js';
import { LOADER_ERRORS } from './errors.js';
import { isHostPackage } from './virtual-specifiers.js';

/** What matters here of a `package.json`; as `resolve.exports` wants it. */
export interface PackageJson {
  name: string;
  main?: unknown;
  exports?: unknown;
  imports?: unknown;
  /** Names a package of the program among its dependencies. */
  usesHost: boolean;
  /** All names in its lists of dependencies. */
  dependencies: string[];
}

export interface Package {
  folder: string;
  json: PackageJson;
}

const NODE_MODULES = `${path.sep}node_modules${path.sep}`;

/** The folder of the innermost package of `node_modules` that a file is in; undefined outside of any. */
export function installedFolder(file: string): string | undefined {
  const at = file.lastIndexOf(NODE_MODULES);
  if (at < 0) return undefined;
  const start = at + NODE_MODULES.length;
  const [first = '', second = ''] = file.slice(start).split(path.sep);
  return file.slice(0, start) + (first.startsWith('@') ? path.join(first, second) : first);
}

export const isFile = (file: string): boolean => statOf(file)?.isFile() ?? false;
export const isFolder = (folder: string): boolean => statOf(folder)?.isDirectory() ?? false;

/** Undefined for what is not there, and for what may not be looked at: a restricted process sees little of the folders above its own. */
export function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** `package.json` files, each read once. */
export class PackageFiles {
  readonly #read = new Map<string, PackageJson | undefined>();

  /** Undefined when there is none. Throws `ERR_INVALID_PACKAGE_CONFIG`. */
  read(folder: string): PackageJson | undefined {
    if (!this.#read.has(folder)) this.#read.set(folder, readPackage(path.join(folder, 'package.json')));
    return this.#read.get(folder);
  }

  /** The package a file belongs to: its folder or the nearest above with a `package.json`, within `node_modules` at most. */
  of(file: string): Package | undefined {
    for (const folder of foldersFrom(path.dirname(file))) {
      if (path.basename(folder) === 'node_modules') return undefined;
      const json = this.read(folder);
      if (json) return { folder, json };
    }
    return undefined;
  }

  /** The installed packages of this name that a file in `folder` sees, nearest first, with links resolved. */
  *find(name: string, folder: string): Generator<Package> {
    for (const above of foldersFrom(folder)) {
      if (path.basename(above) === 'node_modules') continue;
      const found = path.join(above, 'node_modules', name);
      if (!isFolder(found)) continue;
      const real = realpathSync(found);
      yield { folder: real, json: this.read(real) ?? { name, usesHost: false, dependencies: [] } };
    }
  }
}

function* foldersFrom(folder: string): Generator<string> {
  for (let at = folder; ; at = path.dirname(at)) {
    yield at;
    if (path.dirname(at) === at) return;
  }
}

function readPackage(file: string): PackageJson | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // Most folders have none.
    return undefined;
  }
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new CodedError(LOADER_ERRORS.BAD_PACKAGE, `${file} is not valid JSON: ${messageOf(cause)}`, { cause });
  }
  const { name, main, exports, imports, ...rest } = (json ?? {}) as Record<string, unknown>;
  const dependencies = ['dependencies', 'peerDependencies', 'optionalDependencies'].flatMap((list) =>
    Object.keys((rest[list] as object | undefined) ?? {}),
  );
  return {
    name: typeof name === 'string' ? name : '',
    main,
    exports,
    imports,
    usesHost: dependencies.some(isHostPackage),
    dependencies,
  };
}
