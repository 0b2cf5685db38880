import path from 'node:path';
import { types } from 'node:util';
import { assertNever } from '../../../base/assert-never.js';
import { CodedError } from '../../../base/coded-error.js';
import type { CodeSource } from './code-store.js';
import { codeOfFile } from './code-store.js';
import { evaluate, evaluateNow } from './evaluation.js';
import { explained, type Importer } from './explain.js';
import { BuiltinModule, NativeFile, UrlModule, type VirtualPackages } from './foreign-modules.js';
import { importView } from './interop.js';
import { type ForeignModule, type ModuleNode, type ModuleScope, OwnModule } from './module-node.js';
import { ModuleSurroundings } from './module-surroundings.js';
import type { NativeModules } from './native-modules.js';
import { Resolver, type Target, type Way } from './resolver.js';

export interface GraphParts {
  code: CodeSource;
  natives: NativeModules;
  virtuals: VirtualPackages;
  /** A real file that stands for a package that comes with the program. */
  virtualPath: (specifier: string) => string | undefined;
}

/**
 * All files of extensions loaded since the last reload, each once, and what they import of others. Nothing outside holds on to it but the
 * code of its modules itself.
 */
export class ModuleGraph {
  readonly #parts: GraphParts;
  readonly #linkedFrom = new Set<string>();
  readonly #resolver: Resolver;
  readonly #modules = new Map<string, OwnModule>();
  readonly #foreign = new Map<string, ForeignModule>();
  readonly #surroundings: ModuleSurroundings;
  readonly #scopeOf = (module: OwnModule): ModuleScope => this.#surroundings.of(module);

  constructor(parts: GraphParts) {
    this.#parts = parts;
    this.#resolver = new Resolver({ isVirtual: (specifier) => parts.virtuals.has(specifier), linkedFrom: this.#linkedFrom });
    this.#surroundings = new ModuleSurroundings({
      import: (specifier, from) => this.import(specifier, from),
      require: (specifier, from) => this.require(specifier, from),
      resolve: (specifier, from, way) => this.resolve(specifier, from, way),
    });
  }

  files(): Iterable<string> {
    return new Set(Array.from(this.#modules.values(), (module) => module.path));
  }

  /** The file at `real`, asked for as `asked`, which may be a link to it. */
  async load(real: string, asked: string): Promise<object> {
    if (path.dirname(asked) !== path.dirname(real)) this.#linkedFrom.add(path.dirname(asked));
    return this.#evaluated((fresh) => this.#own(real, '', undefined, fresh));
  }

  async import(specifier: string, from: string): Promise<object> {
    const importer = { file: from };
    const target = this.#target(specifier, importer, 'import');
    if (target.kind === 'own') return this.#evaluated((fresh) => this.#own(target.path, target.query, importer, fresh));
    if (target.kind === 'virtual') return this.#parts.virtuals.load(target.specifier);
    if (target.kind === 'builtin') return isModuleBuiltin(target.name) ? this.#node(target).namespace : import(target.name);
    if (target.kind === 'url') return import(target.url);
    const exports = await this.#parts.natives.import(target.path);
    return types.isModuleNamespaceObject(exports) ? (exports as object) : importView(exports);
  }

  require(specifier: string, from: string): unknown {
    const importer = { file: from };
    const target = this.#target(specifier, importer, 'require');
    if (target.kind === 'native') return this.#parts.natives.require(target.path);
    if (target.kind === 'builtin') return this.#builtin(target.name);
    if (target.kind === 'virtual') return this.#parts.virtuals.get(target.specifier);
    if (target.kind === 'url')
      throw new CodedError('ERR_UNSUPPORTED_ESM_URL_SCHEME', `'${specifier}' can be imported, but not required`);
    const module = this.#transaction([], (fresh) => this.#own(target.path, target.query, importer, fresh));
    if (module.state === 'failed') throw module.error;
    if (module.state === 'linked') evaluateNow(module, this.#scopeOf);
    return module.module.exports;
  }

  /** The file, or name of a built-in module, that a specifier means. */
  resolve(specifier: string, from: string, way: Way): string {
    const target = this.#target(specifier, { file: from }, way);
    if (target.kind === 'own' || target.kind === 'native') return target.path;
    if (target.kind === 'builtin') return target.name;
    if (target.kind === 'url') return target.url;
    return this.#parts.virtualPath(target.specifier) ?? target.specifier;
  }

  async #evaluated(link: (fresh: OwnModule[]) => OwnModule): Promise<object> {
    const fresh: OwnModule[] = [];
    const module = this.#transaction(fresh, link);
    await this.#preload(fresh);
    await evaluate(module, this.#scopeOf);
    return module.namespace;
  }

  /** Finds a module and all it imports; when one of them is not to be had, none of those that are new stays. */
  #transaction(fresh: OwnModule[], link: (fresh: OwnModule[]) => OwnModule): OwnModule {
    const start = fresh.length;
    try {
      return link(fresh);
    } catch (error) {
      for (const module of fresh.splice(start)) this.#modules.delete(module.path + module.query);
      throw error;
    }
  }

  /** `require` can't wait: what it will ask for by a literal name and can only be had asynchronously is made ready. Also of files it loads. */
  async #preload(fresh: OwnModule[]): Promise<void> {
    const loading = new Set<string>();
    // Grows while it is walked.
    for (const module of fresh) {
      for (const specifier of module.code?.requires ?? []) {
        const target = this.#tryTarget(specifier, module.path);
        if (target?.kind === 'virtual') loading.add(target.specifier);
        else if (target?.kind === 'own') this.#tryLink(target, fresh);
      }
    }
    if (loading.size > 0) await Promise.all(Array.from(loading, (specifier) => this.#parts.virtuals.load(specifier)));
  }

  #tryTarget(specifier: string, from: string): Target | undefined {
    try {
      return this.#resolver.resolve(specifier, from, 'require');
    } catch {
      // Not there: whoever really requires it will hear of it, and may be prepared.
      return undefined;
    }
  }

  #tryLink(target: Target & { kind: 'own' }, fresh: OwnModule[]): void {
    try {
      this.#transaction(fresh, () => this.#own(target.path, target.query, undefined, fresh));
    } catch {
      // As above.
    }
  }

  #own(file: string, query: string, importer: Importer | undefined, fresh: OwnModule[]): OwnModule {
    const known = this.#modules.get(file + query);
    if (known) return known;
    const module = new OwnModule(file, query, this.#code(file, importer));
    this.#modules.set(file + query, module);
    fresh.push(module);
    module.dependencies = (module.code?.imports ?? []).map(([specifier, line]) => {
      const here = { file, line, by: importer };
      const target = this.#target(specifier, here, 'import');
      return target.kind === 'own' ? this.#own(target.path, target.query, here, fresh) : this.#node(target);
    });
    return module;
  }

  #code(file: string, importer: Importer | undefined) {
    if (/\.json$/i.test(file)) return undefined;
    try {
      return codeOfFile(this.#parts.code, file);
    } catch (error) {
      throw explained(error, importer);
    }
  }

  #target(specifier: string, importer: Importer, way: Way): Target {
    try {
      return this.#resolver.resolve(specifier, importer.file, way);
    } catch (error) {
      throw explained(error, importer);
    }
  }

  #node(target: Exclude<Target, { kind: 'own' }>): ModuleNode {
    const key = JSON.stringify(target);
    let node = this.#foreign.get(key);
    if (!node) {
      node = this.#makeNode(target);
      this.#foreign.set(key, node);
    }
    return node;
  }

  #makeNode(target: Exclude<Target, { kind: 'own' }>): ForeignModule {
    switch (target.kind) {
      case 'native':
        return new NativeFile(this.#parts.natives, target.path);
      case 'virtual':
        return this.#parts.virtuals.node(target.specifier);
      case 'url':
        return new UrlModule(target.url);
      case 'builtin':
        return new BuiltinModule(this.#builtin(target.name));
      default:
        return assertNever(target);
    }
  }

  #builtin(name: string): unknown {
    return isModuleBuiltin(name) ? this.#surroundings.moduleBuiltin : this.#parts.natives.builtin(name);
  }
}

/** Its `createRequire` has to know the files evaluated here. */
const isModuleBuiltin = (name: string): boolean => name === 'module' || name === 'node:module';
