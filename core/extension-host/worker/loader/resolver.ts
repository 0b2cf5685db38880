import { realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exports as packageExports, imports as packageImports } from 'resolve.exports';
import { CodedError, messageOf } from '../../../base/coded-error.js';
import { LOADER_ERRORS } from './errors.js';
import { installedFolder, type Package, PackageFiles } from './package-files.js';
import { probeFile } from './probe-file.js';
import { splitPackage, virtualSpecifier } from './virtual-specifiers.js';

/** How a module is asked for: packages may answer differently. */
export type Way = 'import' | 'require';

export type Target =
  /** A file of extensions: evaluated here. `query` makes another instance of it. */
  | { kind: 'own'; path: string; query: string }
  /** A file of an installed package, or a native add-on: Node's. */
  | { kind: 'native'; path: string }
  | { kind: 'builtin'; name: string }
  /** Comes with the program; the name all its aliases share. */
  | { kind: 'virtual'; specifier: string }
  /** `data:` and whatever else Node takes or refuses. */
  | { kind: 'url'; url: string };

export interface ResolverOptions {
  isVirtual: (specifier: string) => boolean;
  /** Folders where the entries were asked for, when a link led elsewhere: packages may be installed beside the link. */
  linkedFrom: ReadonlySet<string>;
}

// Node knows it since it can `require` modules.
const MODULE_SYNC = 'require_module' in process.features ? ['module-sync'] : [];
const CONDITIONS = ['node-addons', ...MODULE_SYNC];

/** Says which file or package a specifier means. Caches: for one module graph only. */
export class Resolver {
  readonly packages = new PackageFiles();
  readonly #options: ResolverOptions;

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  /** Throws `ERR_MODULE_NOT_FOUND`, `MODULE_NOT_FOUND`, `ERR_PACKAGE_PATH_NOT_EXPORTED` or `ERR_INVALID_PACKAGE_CONFIG`. */
  resolve(specifier: string, from: string, way: Way): Target {
    if (isBuiltin(specifier)) return { kind: 'builtin', name: specifier };
    const virtual = virtualSpecifier(specifier);
    if (virtual !== undefined && this.#options.isVirtual(virtual)) return { kind: 'virtual', specifier: virtual };
    if (specifier.startsWith('file:')) return this.#file(...fromFileUrl(specifier), specifier, from, way);
    if (/^[a-z][a-z\d+.-]+:/i.test(specifier) && !path.isAbsolute(specifier)) return { kind: 'url', url: specifier };
    if (path.isAbsolute(specifier) || /^\.\.?(?:$|[\\/])/.test(specifier)) return this.#relative(specifier, from, way);
    if (specifier.startsWith('#')) return this.#internal(specifier, from, way);
    return this.#package(specifier, from, way);
  }

  #relative(specifier: string, from: string, way: Way): Target {
    const folder = path.dirname(from);
    const asFile = (text: string): string | undefined => {
      // `path.resolve` drops what asks for a folder.
      const asksFolder = /(?:^|[\\/])\.{0,2}$/.test(text);
      return probeFile(path.resolve(folder, text) + (asksFolder ? path.sep : ''), this.packages);
    };
    // A file name may hold what means something in a URL; what there is counts first.
    const exact = asFile(specifier);
    if (exact !== undefined) return this.#place(exact, '', from);
    const query = /[?#]/.exec(specifier)?.index ?? specifier.length;
    for (const text of [specifier.slice(0, query), decoded(specifier.slice(0, query))]) {
      const found = asFile(text);
      if (found !== undefined) return this.#place(found, specifier.slice(query), from);
    }
    throw notFound(way, `Cannot find '${specifier}'`);
  }

  #file(file: string, query: string, specifier: string, from: string, way: Way): Target {
    const found = probeFile(file, this.packages);
    if (found === undefined) throw notFound(way, `Cannot find '${specifier}'`);
    return this.#place(found, query, from);
  }

  /** `#name`: the `imports` of the package itself. */
  #internal(specifier: string, from: string, way: Way): Target {
    const own = this.packages.of(from);
    const targets = own?.json.imports === undefined ? undefined : this.#mapped(own, specifier, way, 'imports');
    for (const target of targets ?? []) {
      if (!target.startsWith('./')) return this.resolve(target, from, way);
      const found = own && probeFile(path.join(own.folder, target), this.packages);
      if (found !== undefined) return this.#place(found, '', from);
    }
    throw notFound(
      way,
      `Cannot find '${specifier}', which ${own ? `${own.folder}/package.json` : 'no package.json'} defines as an import`,
    );
  }

  #package(specifier: string, from: string, way: Way): Target {
    const { name, subpath } = splitPackage(specifier);
    const own = this.packages.of(from);
    // A package may import itself by its name, if it says what it exports.
    const itself = own?.json.name === name && own.json.exports !== undefined ? own : undefined;
    let nearest: Package | undefined;
    for (const found of itself ? [itself] : this.#installed(name, path.dirname(from))) {
      nearest ??= found;
      const file = this.#packageFile(found, subpath, way);
      if (file !== undefined) return this.#place(file, '', from);
    }
    if (nearest) throw notFound(way, `Cannot find '${specifier}' in ${nearest.folder}`);
    throw notFound(way, `Cannot find package '${name}'`, { hint: installHint(name, own, from) });
  }

  *#installed(name: string, folder: string): Generator<Package> {
    for (const start of [folder, ...this.#options.linkedFrom]) yield* this.packages.find(name, start);
  }

  #packageFile(found: Package, subpath: string, way: Way): string | undefined {
    if (found.json.exports === undefined || found.json.exports === null)
      return probeFile(path.join(found.folder, subpath), this.packages);
    for (const target of this.#mapped(found, `.${subpath}`, way, 'exports')) {
      const file = probeFile(path.join(found.folder, target), this.packages);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  #mapped({ folder, json }: Package, entry: string, way: Way, field: 'exports' | 'imports'): string[] {
    const resolveField = field === 'exports' ? packageExports : packageImports;
    try {
      return (
        resolveField(json as object as Parameters<typeof packageExports>[0], entry, {
          require: way === 'require',
          conditions: CONDITIONS,
        }) ?? []
      );
    } catch (cause) {
      throw new CodedError(LOADER_ERRORS.NOT_EXPORTED, `${messageOf(cause)} (${folder}/package.json)`, { cause });
    }
  }

  /**
   * Links are followed, as Node does. Installed packages are Node's; but not those that Node can't load (TypeScript) or that would
   * get the wrong host packages.
   */
  #place(file: string, query: string, from: string): Target {
    const real = realpathSync(file);
    if (/\.(?:node|wasm)$/i.test(real)) return { kind: 'native', path: real };
    const folder = installedFolder(real);
    const isOwn =
      folder === undefined ||
      folder === installedFolder(from) ||
      (/\.[cm]?tsx?$/i.test(real) && !/\.d\.[cm]?ts$/i.test(real)) ||
      this.packages.read(folder)?.usesHost;
    return isOwn ? { kind: 'own', path: real, query } : { kind: 'native', path: real };
  }
}

function installHint(name: string, own: Package | undefined, from: string): string {
  const isListed = own?.json.dependencies.includes(name) ?? false;
  return `Run "npm install${isListed ? '' : ` ${name}`}" in ${own?.folder ?? path.dirname(from)}`;
}

function notFound(way: Way, message: string, data?: Record<string, string>): CodedError {
  const code = way === 'import' ? LOADER_ERRORS.NOT_FOUND : LOADER_ERRORS.REQUIRE_NOT_FOUND;
  return new CodedError(code, message, data && { data });
}

function fromFileUrl(specifier: string): [file: string, query: string] {
  const url = new URL(specifier);
  const query = url.search + url.hash;
  url.search = '';
  url.hash = '';
  return [fileURLToPath(url), query];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone `%` is just a character.
    return text;
  }
}
