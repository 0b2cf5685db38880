import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { CallContext } from '../contract/method.js';
import type { CurrentExtension, WorkerExtension } from './current-extension.js';

export type HandleFunction = (args: readonly unknown[], call: CallContext<unknown>) => unknown;

interface Handle {
  extension: WorkerExtension;
  run: HandleFunction;
}

/** Functions that the core may call by number, until it or the end of their instance releases them. */
export class Handles {
  readonly #current: CurrentExtension;
  readonly #handles = new Map<number, Handle>();
  #last = 0;

  constructor(current: CurrentExtension) {
    this.#current = current;
  }

  get size(): number {
    return this.#handles.size;
  }

  add(extension: WorkerExtension, run: HandleFunction): number {
    const id = ++this.#last;
    this.#handles.set(id, { extension, run });
    return id;
  }

  /** Rejects with what the function threw. */
  async call(id: number, args: readonly unknown[], context: CallContext<unknown>): Promise<unknown> {
    const handle = this.#handles.get(id);
    if (!handle) throw new CodedError(BOUNDARY_ERRORS.NOT_LOADED, `There is no function ${id}: it was released`);
    return (await this.#current.run(handle.extension, () => handle.run(args, context))) ?? null;
  }

  release(id: number): void {
    this.#handles.delete(id);
  }

  releaseAllOf(extension: WorkerExtension): void {
    for (const [id, handle] of this.#handles) if (handle.extension === extension) this.#handles.delete(id);
  }
}
