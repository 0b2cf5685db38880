import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import { promisify } from 'node:util';
import type { CurrentExtension, WorkerExtension } from './current-extension.js';

type AnyFunction = (...args: unknown[]) => unknown;
type Clear = () => void;

/**
 * Records what an extension starts and the end of its instance must stop: timers, immediates and listeners on `process`. Each is noted
 * under the extension whose code made it; what nobody's code made is nobody's.
 */
export class Leftovers {
  readonly #current: CurrentExtension;
  readonly #open = new Map<WorkerExtension, Map<unknown, Clear>>();
  readonly #exitHandlers = new Map<WorkerExtension, Set<AnyFunction>>();

  constructor(current: CurrentExtension) {
    this.#current = current;
  }

  /** Puts recording versions in the place of Node's. Once, before any extension is loaded. */
  install(): void {
    this.#recordTimer('setTimeout', 'clearTimeout', true);
    this.#recordTimer('setInterval', 'clearInterval', false);
    this.#recordTimer('setImmediate', 'clearImmediate', true);
    syncBuiltinESMExports();
    this.#recordProcessListeners();
  }

  count(extension: WorkerExtension): number {
    return this.#open.get(extension)?.size ?? 0;
  }

  /** Stops everything the instance has left. */
  clear(extension: WorkerExtension): void {
    const open = this.#open.get(extension);
    this.#open.delete(extension);
    this.#exitHandlers.delete(extension);
    for (const clear of open?.values() ?? []) clear();
  }

  /** What `process.on('exit')` was given: run once, when the extension ends for good. A throw ends its own handler only. */
  runExitHandlers(onError: (extension: WorkerExtension, error: unknown) => void): void {
    for (const [extension, handlers] of this.#exitHandlers) {
      for (const handler of handlers) {
        try {
          this.#current.run(extension, () => handler.call(process, 0));
        } catch (error) {
          onError(extension, error);
        }
      }
    }
    this.#exitHandlers.clear();
  }

  #add(extension: WorkerExtension, key: unknown, clear: Clear): void {
    const open = this.#open.get(extension) ?? new Map<unknown, Clear>();
    this.#open.set(extension, open);
    open.set(key, clear);
  }

  #remove(extension: WorkerExtension, key: unknown): void {
    const open = this.#open.get(extension);
    open?.delete(key);
    if (open?.size === 0) this.#open.delete(extension);
  }

  #recordTimer(
    set: 'setTimeout' | 'setInterval' | 'setImmediate',
    clear: 'clearTimeout' | 'clearInterval' | 'clearImmediate',
    once: boolean,
  ) {
    const originalSet = globalThis[set] as unknown as AnyFunction;
    const originalClear = globalThis[clear] as unknown as AnyFunction;
    // Node marks its timer functions with what `util.promisify` shall use in their place.
    const promisified = (originalSet as unknown as Record<symbol, unknown>)[promisify.custom];
    const recorded = (callback: unknown, ...rest: unknown[]): unknown => {
      const extension = this.#current.get();
      if (!extension || typeof callback !== 'function') return originalSet(callback, ...rest);
      const timer: unknown = originalSet(
        (...args: unknown[]) => {
          if (once) this.#remove(extension, timer);
          return this.#current.run(extension, () => (callback as AnyFunction)(...args));
        },
        ...rest,
      );
      this.#add(extension, timer, () => originalClear(timer));
      return timer;
    };
    const recordedClear = (timer: unknown): void => {
      const extension = this.#current.get();
      if (extension) this.#remove(extension, timer);
      originalClear(timer);
    };
    Object.defineProperty(recorded, 'name', { value: set });
    if (promisified !== undefined) Object.defineProperty(recorded, promisify.custom, { value: promisified });
    for (const target of [globalThis, timers] as Record<string, unknown>[]) {
      target[set] = recorded;
      target[clear] = recordedClear;
    }
  }

  #recordProcessListeners(): void {
    const add = (name: 'on' | 'addListener' | 'once' | 'prependListener' | 'prependOnceListener'): void => {
      const original = process[name] as unknown as AnyFunction;
      const recorded = (event: unknown, listener: unknown): unknown => {
        const extension = this.#current.get();
        if (!extension || typeof listener !== 'function') return original.call(process, event, listener);
        if (event === 'exit') {
          // This thread's own exit is not the program's; the handlers are run at shutdown.
          const handlers = this.#exitHandlers.get(extension) ?? new Set();
          this.#exitHandlers.set(extension, handlers.add(listener as AnyFunction));
          return process;
        }
        this.#add(extension, listener, () => process.removeListener(event as string, listener as AnyFunction));
        return original.call(process, event, listener);
      };
      Object.defineProperty(process, name, { value: recorded, configurable: true, writable: true });
    };
    for (const name of ['on', 'addListener', 'once', 'prependListener', 'prependOnceListener'] as const) add(name);
  }
}
