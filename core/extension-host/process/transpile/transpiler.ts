import { readFileSync } from 'node:fs';
import { background } from '../../../base/background.js';
import { CodedError, messageOf } from '../../../base/coded-error.js';
import type { Logger } from '../../../base/logger.js';
import { cacheFileName, formatTranspiled } from '../../contract/transpiled-code.js';
import { CacheFolder, type CacheLimits, DEFAULT_LIMITS } from './cache-folder.js';
import { compileModule } from './compile-module.js';
import { TRANSPILE_ERRORS } from './errors.js';
import { Lowering } from './lowering.js';
import { loadSucrase } from './sucrase.js';

export interface TranspilerOptions {
  /** Shared by all processes of a user. */
  cacheDir: string;
  log: Logger;
  limits?: CacheLimits;
}

export interface TranspileRequest {
  /** Absolute. Its extension says the language. */
  path: string;
  /** What is in the file, when that is known. */
  source?: string;
}

/**
 * Makes code that a worker evaluates from the files of extensions, once per content. Neither sucrase nor esbuild is loaded before a
 * source is met that is not in the cache.
 */
export class Transpiler {
  readonly #log: Logger;
  readonly #limits: CacheLimits;
  readonly #folder: CacheFolder;
  /** By name of the cache file. */
  readonly #running = new Map<string, Promise<{ file: string }>>();
  readonly #lowering = new Lowering();
  #pruned = false;

  constructor({ cacheDir, log, limits = DEFAULT_LIMITS }: TranspilerOptions) {
    this.#log = log;
    this.#limits = limits;
    this.#folder = new CacheFolder(cacheDir, (error) =>
      log.warn('extensions are transpiled anew each time: the cache folder can not be used', {
        cacheDir,
        error: messageOf(error),
      }),
    );
  }

  /** Where workers look for code before they ask: the folder wished for, or its replacement. */
  get cacheDir(): string {
    return this.#folder.path;
  }

  /** Throws `TRANSPILE_SYNTAX_ERROR` or `TRANSPILE_UNREADABLE_SOURCE`, with a message that names file and line. */
  async transpile({ path, source = readSource(path) }: TranspileRequest): Promise<{ file: string }> {
    const name = cacheFileName(path, source);
    if (this.#folder.holds(name)) return { file: this.#folder.file(name) };
    const running = this.#running.get(name) ?? this.#make(name, path, source).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }

  /** Does ahead of time what `transpile` will be asked for. Whatever is wrong comes out there. */
  async prepare(paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      try {
        await this.transpile({ path });
      } catch (error) {
        this.#log.debug('not prepared', { path, error: messageOf(error) });
      }
      // Others have their turn between files.
      await new Promise(setImmediate);
    }
  }

  async dispose(): Promise<void> {
    await this.#lowering.dispose();
    this.#folder.dispose();
  }

  async #make(name: string, path: string, source: string): Promise<{ file: string }> {
    const sucrase = await loadSucrase();
    const text = formatTranspiled(await compileModule(path, source, { sucrase, lowering: this.#lowering }));
    const file = this.#folder.write(name, text);
    if (!this.#pruned) {
      this.#pruned = true;
      background(this.#folder.prune(this.#limits, Date.now()), this.#log, 'pruning the transpile cache');
    }
    return { file };
  }
}

function readSource(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new CodedError(TRANSPILE_ERRORS.UNREADABLE, `${path} can not be read: ${messageOf(cause)}`, { cause });
  }
}
