import { AsyncLocalStorage } from 'node:async_hooks';
import { SHARED_WORDS } from '../contract/shared-memory.js';

/** An extension as the worker knows it. Each instance has an object of its own. */
export interface WorkerExtension {
  readonly name: string;
  readonly path: string;
  /** Order of loading in this worker, from 0. */
  readonly index: number;
}

/**
 * Says whose code runs. Through `await`, timers and callbacks the context carries the name; for the supervisor, which can ask a busy
 * thread nothing, the synchronous part is also marked in shared memory.
 */
export class CurrentExtension {
  readonly #context = new AsyncLocalStorage<WorkerExtension>();
  readonly #request = new AsyncLocalStorage<AbortSignal>();
  readonly #words: Int32Array;
  #last: WorkerExtension | undefined;
  /** Called before another extension's code runs than the last time. */
  onSwitch: () => void = () => undefined;

  constructor(words: Int32Array) {
    this.#words = words;
  }

  get(): WorkerExtension | undefined {
    return this.#context.getStore();
  }

  run<T>(extension: WorkerExtension, code: () => T): T {
    if (extension !== this.#last) {
      this.#last = extension;
      this.onSwitch();
    }
    const outer = Atomics.exchange(this.#words, SHARED_WORDS.current, extension.index + 1);
    try {
      return this.#context.run(extension, code);
    } finally {
      Atomics.store(this.#words, SHARED_WORDS.current, outer);
    }
  }

  /** Fires when nobody waits any longer for what the code that runs was asked. */
  get request(): AbortSignal | undefined {
    return this.#request.getStore();
  }

  /** Runs code, of one extension or several, that answers a request. */
  answering<T>(request: AbortSignal, code: () => T): T {
    return this.#request.run(request, code);
  }

  /** Runs what belongs to no extension, whoever's code is waiting outside. */
  none<T>(code: () => T): T {
    return this.#context.exit(code);
  }
}
