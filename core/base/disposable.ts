/** Something that holds a resource. `dispose` is idempotent. */
export interface Disposable {
  dispose(): void | Promise<void>;
}

/**
 * Owns what its maker opens and frees it in reverse order. Register on the line that makes:
 * `const worker = store.add(await openWorker(...))`. Adding to a disposed store disposes at once.
 */
export class DisposableStore implements Disposable {
  #items: Disposable[] = [];
  #disposed = false;

  get isDisposed(): boolean {
    return this.#disposed;
  }

  add<T extends Disposable>(item: T): T {
    if (this.#disposed) void item.dispose();
    else this.#items.push(item);
    return item;
  }

  /** Registers a plain function to run on dispose. */
  defer(run: () => void | Promise<void>): void {
    this.add({ dispose: run });
  }

  /** Frees all, last first. Failures of one do not keep the others; they are thrown together at the end. */
  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    const failures: unknown[] = [];
    for (const item of this.#items.reverse()) {
      try {
        await item.dispose();
      } catch (error) {
        failures.push(error);
      }
    }
    this.#items = [];
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} resources could not be freed`);
  }
}
