import { readFileSync } from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { CodedError, messageOf } from '../../../base/coded-error.js';
import { CODE_NAMES, type TranspiledCode, wrapCode } from '../../contract/transpiled-code.js';
import { LOADER_ERRORS } from './errors.js';
import { importView } from './interop.js';

/** The `module` a file sees. */
export interface CommonModule {
  id: string;
  filename: string;
  path: string;
  exports: unknown;
  loaded: boolean;
  children: unknown[];
  parent: undefined;
  paths: string[];
  require: NodeJS.Require;
}

/** What a file's code is called with, besides its `module`. */
export interface ModuleScope {
  require: NodeJS.Require;
  /** Exports of its `index`th static import, as `import` sees them. */
  imported: (index: number) => unknown;
  import: (specifier: unknown) => Promise<unknown>;
  meta: object;
}

type Steps = Iterator<void> | AsyncIterator<void>;

/** One of the files evaluated here. */
export class OwnModule {
  readonly kind = 'own';
  readonly path: string;
  readonly query: string;
  readonly module: CommonModule;
  /** What it imports statically, in order. Filled when all of them are found. */
  dependencies: ModuleNode[] = [];
  state: 'linked' | 'running' | 'done' | 'failed' = 'linked';
  /** While its group runs asynchronously. */
  running: Promise<void> | undefined;
  error: unknown;
  /** Gone when it has run: the functions made of it are enough. */
  #code: TranspiledCode | undefined;
  #steps: Steps | undefined;
  /** Of a module, unless it sets `module.exports` as a script does. */
  readonly #exports: object | undefined;

  /** `code` is undefined for JSON. */
  constructor(file: string, query: string, code: TranspiledCode | undefined) {
    this.path = file;
    this.query = query;
    this.#code = code;
    this.module = {
      id: file,
      filename: file,
      path: path.dirname(file),
      exports: {},
      loaded: false,
      children: [],
      parent: undefined,
      paths: [],
      require: undefined as unknown as NodeJS.Require,
    };
    if (code?.form !== 'module') return;
    this.#exports = createNamespace();
    this.module.exports = this.#exports;
  }

  /** What the transpiler found out about it; undefined for JSON, and after it has run. */
  get code(): TranspiledCode | undefined {
    return this.#code;
  }

  /** As `import` sees it. */
  get namespace(): object {
    return this.#exports && this.module.exports === this.#exports ? this.#exports : importView(this.module.exports);
  }

  get awaits(): boolean {
    return this.#code?.awaits ?? false;
  }

  /** A module comes into being: its functions can be called. The promise of it if that takes time. */
  begin(scopeOf: (module: OwnModule) => ModuleScope): unknown {
    if (this.#code?.form !== 'module') return undefined;
    this.state = 'running';
    this.#steps = this.#call(scopeOf(this), this.#code) as Steps;
    return this.#steps.next();
  }

  /** Runs it. The promise of it if it waits. */
  finish(scopeOf: (module: OwnModule) => ModuleScope): unknown {
    this.state = 'running';
    if (this.#steps) return this.#steps.next();
    if (this.#code) this.#call(scopeOf(this), this.#code);
    else this.module.exports = parseJson(this.path);
    return undefined;
  }

  settle(error?: { thrown: unknown }): void {
    this.state = error ? 'failed' : 'done';
    this.error = error?.thrown;
    this.module.loaded = !error;
    this.running = undefined;
    this.#code = undefined;
    this.#steps = undefined;
  }

  #call(scope: ModuleScope, code: TranspiledCode): unknown {
    const { module } = this;
    module.require = scope.require;
    const named = { [CODE_NAMES.imported]: scope.imported, [CODE_NAMES.import]: scope.import, [CODE_NAMES.meta]: scope.meta };
    return compile(this.path, code).call(
      module.exports,
      module.exports,
      scope.require,
      module,
      module.filename,
      module.path,
      ...Object.values(CODE_NAMES).map((name) => named[name]),
    );
  }
}

/**
 * As a namespace of Node it inherits nothing: an export may be called `constructor`, also where `Object.prototype` is frozen. The one method is
 * used by sucrase's code.
 */
function createNamespace(): object {
  return Object.create(null, {
    __esModule: { value: true },
    [Symbol.toStringTag]: { value: 'Module' },
    hasOwnProperty: { value: Object.prototype.hasOwnProperty, writable: true, configurable: true },
  }) as object;
}

/** Something that is not evaluated here. */
export interface ForeignModule {
  readonly kind: 'foreign';
  /** As `import` sees it, once it is loaded. */
  readonly namespace: object;
  /** Undefined when it is there already. */
  load(): Promise<unknown> | undefined;
  /** Throws `ERR_REQUIRE_ASYNC_MODULE` when that can't be had. */
  loadNow(): void;
}

export type ModuleNode = OwnModule | ForeignModule;

function compile(file: string, code: TranspiledCode): (...parameters: unknown[]) => unknown {
  const script = new vm.Script(wrapCode(code), {
    filename: file,
    // For an `import()` in text that extensions make at run time: Node's own. Holds nothing, where a function would keep the graph.
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return script.runInThisContext() as (...parameters: unknown[]) => unknown;
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new CodedError(LOADER_ERRORS.SYNTAX, `${file}: ${messageOf(cause)}`, { cause });
  }
}
