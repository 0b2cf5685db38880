import { realpathSync } from 'node:fs';
import path from 'node:path';
import { CodedError, messageOf } from '../../../base/coded-error.js';
import type { CodeSource } from './code-store.js';
import { LOADER_ERRORS } from './errors.js';
import { VirtualPackages } from './foreign-modules.js';
import { ModuleGraph } from './module-graph.js';
import { NativeModules } from './native-modules.js';

export interface ModuleLoaderOptions extends CodeSource {
  /**
   * Loads a package that comes with the program. Asked with the name all its aliases share (`typebox` for `@sinclair/typebox`); undefined for
   * a path the package does not have: then what is installed is looked for.
   */
  virtual(specifier: string): (() => Promise<object>) | undefined;
  /** A real file that stands for such a package, for extensions that look for its folder. */
  virtualPath?(specifier: string): string | undefined;
}

/**
 * Loads the files of extensions in a worker. Their own are evaluated as scripts, never by Node's `import`, which keeps what it loaded
 * for ever: `renew` lets go of all of them. Installed packages are Node's.
 */
export class ModuleLoader {
  readonly #options: ModuleLoaderOptions;
  readonly #natives = new NativeModules();
  readonly #virtuals: VirtualPackages;
  #graph: ModuleGraph;

  constructor(options: ModuleLoaderOptions) {
    this.#options = options;
    this.#virtuals = new VirtualPackages((specifier) => options.virtual(specifier));
    this.#graph = this.#emptyGraph();
  }

  /**
   * Namespace of the file, run with all it imports unless it was. Throws what its code throws, and errors of `errors.ts` whose message
   * names file, line and who imported it.
   */
  async load(file: string): Promise<Record<string, unknown>> {
    const asked = path.resolve(file);
    let real: string;
    try {
      real = realpathSync(asked);
    } catch (cause) {
      throw new CodedError(LOADER_ERRORS.NOT_FOUND, `Cannot find ${asked}: ${messageOf(cause)}`, { cause });
    }
    return (await this.#graph.load(real, asked)) as Record<string, unknown>;
  }

  /** Loads a package that comes with the program ahead of its first import. */
  async preload(specifiers: Iterable<string>): Promise<void> {
    await Promise.all(Array.from(specifiers, (specifier) => this.#virtuals.load(specifier)));
  }

  /** Forgets all files of extensions: the next `load` reads and runs them anew. Code that still runs keeps what it has. */
  renew(): void {
    this.#graph = this.#emptyGraph();
  }

  /** True when an installed package that was loaded is no longer what is on disk: only a new worker can load it. */
  nativeChanged(): boolean {
    return this.#natives.changed();
  }

  /** Files of extensions that were loaded since the last `renew`, with links resolved. */
  files(): Iterable<string> {
    return this.#graph.files();
  }

  #emptyGraph(): ModuleGraph {
    const { virtualPath } = this.#options;
    return new ModuleGraph({
      code: this.#options,
      natives: this.#natives,
      virtuals: this.#virtuals,
      virtualPath: (specifier) => virtualPath?.call(this.#options, specifier),
    });
  }
}
