import Module, { createRequire as createNativeRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ModuleScope, OwnModule } from './module-node.js';
import type { Way } from './resolver.js';

export interface Requests {
  import(specifier: string, from: string): Promise<object>;
  require(specifier: string, from: string): unknown;
  /** Absolute path, name of a built-in module or URL. */
  resolve(specifier: string, from: string, way: Way): string;
}

/** What files find around them: `require`, `import()`, `import.meta`, and a `node:module` whose `createRequire` knows the same files. */
export class ModuleSurroundings {
  readonly moduleBuiltin: unknown;
  readonly #requests: Requests;
  readonly #native = createNativeRequire(import.meta.url);

  constructor(requests: Requests) {
    this.#requests = requests;
    const createRequire = (location: string | URL): NodeJS.Require => this.requireAt(toPath(location));
    this.moduleBuiltin = new Proxy(Module, {
      get: (target, key) => (key === 'createRequire' ? createRequire : Reflect.get(target, key)),
    });
  }

  of(module: OwnModule): ModuleScope {
    const { path: file, query, dependencies } = module;
    module.module.paths = nodeModulesAbove(module.module.path);
    return {
      require: this.requireAt(file),
      imported: (index) => dependencies[index]?.namespace,
      // As a promise also when the conversion throws.
      import: async (specifier) => this.#requests.import(`${specifier}`, file),
      meta: this.#metaOf(file, query),
    };
  }

  requireAt(file: string): NodeJS.Require {
    const requests = this.#requests;
    const require = (specifier: string): unknown => requests.require(checked(specifier), file);
    const resolve = (specifier: string, options?: { paths?: string[] }): string => {
      const folders = options?.paths;
      if (!folders) return requests.resolve(checked(specifier), file, 'require');
      return firstOf(folders, (folder) => requests.resolve(checked(specifier), path.resolve(folder, 'noop.js'), 'require'));
    };
    resolve.paths = (specifier: string): string[] | null =>
      Module.isBuiltin(specifier)
        ? null
        : /^\.\.?\//.test(specifier)
          ? [path.dirname(file)]
          : nodeModulesAbove(path.dirname(file));
    const { cache, extensions } = this.#native;
    // Its type does not allow for options without `paths`, which Node does.
    return Object.assign(require, { resolve, main: undefined, cache, extensions }) as NodeJS.Require;
  }

  #metaOf(file: string, query: string): object {
    const url = pathToFileURL(file).href + query;
    const resolve = (specifier: string): string => {
      const text = `${specifier}`;
      if (/^\.\.?\//.test(text)) return this.#resolveRelative(text, file, url);
      const found = this.#requests.resolve(text, file, 'import');
      if (path.isAbsolute(found)) return pathToFileURL(found).href;
      return Module.isBuiltin(found) && !found.startsWith('node:') ? `node:${found}` : found;
    };
    return Object.assign(Object.create(null), { dirname: path.dirname(file), filename: file, resolve, url });
  }

  /** Also of files that are not there, as Node does. */
  #resolveRelative(specifier: string, file: string, url: string): string {
    try {
      return pathToFileURL(this.#requests.resolve(specifier, file, 'import')).href;
    } catch {
      return new URL(specifier, url).href;
    }
  }
}

function checked(specifier: unknown): string {
  if (typeof specifier === 'string' && specifier !== '') return specifier;
  throw Object.assign(new TypeError('require takes the name of a module'), { code: 'ERR_INVALID_ARG_VALUE' });
}

function firstOf<T>(items: readonly string[], attempt: (item: string) => T): T {
  let failure: unknown = new Error('No folder was given');
  for (const item of items) {
    try {
      return attempt(item);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** A folder, with a slash at its end, stands for a file in it. */
function toPath(location: string | URL): string {
  const file = typeof location === 'string' && !location.startsWith('file:') ? location : fileURLToPath(location);
  if (!path.isAbsolute(file)) throw new TypeError(`createRequire takes an absolute path or a file URL, not '${file}'`);
  return /[\\/]$/.test(file) ? path.join(file, 'noop.js') : file;
}

function nodeModulesAbove(folder: string): string[] {
  const result: string[] = [];
  for (let at = folder; ; at = path.dirname(at)) {
    if (path.basename(at) !== 'node_modules') result.push(path.join(at, 'node_modules'));
    if (path.dirname(at) === at) return result;
  }
}
