import { CodedError } from '../../../base/coded-error.js';
import { abortedError } from '../../../base/deadline.js';
import { BASE_ERRORS } from '../../../base/errors.js';
import type { Shape } from '../shape.js';

export interface CallOptions<P> {
  signal?: AbortSignal | undefined;
  /** Replaces the deadline of the contract. */
  deadlineMs?: number | undefined;
  onProgress?: ((value: P) => void) | undefined;
}

/** A call that has been sent, as the table needs to know it. */
export interface CallDescription {
  method: string;
  result: Shape<unknown>;
  progress: Shape<unknown> | undefined;
  deadlineMs: number | undefined;
  abortGraceMs: number;
  signal: AbortSignal | undefined;
  onProgress: ((value: never) => void) | undefined;
}

interface Pending extends CallDescription {
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
  timer: NodeJS.Timeout | undefined;
  onAbort: (() => void) | undefined;
}

/**
 * Calls that wait for their answer. Each ends exactly once: with its result, an error, its deadline, its caller's abort, or `closeAll`
 * when the other side is gone. Answers that come after that are dropped.
 */
export class PendingCalls {
  readonly #pending = new Map<number, Pending>();
  readonly #sendCancel: (id: number) => void;
  #lastId = 0;

  constructor(sendCancel: (id: number) => void) {
    this.#sendCancel = sendCancel;
  }

  get size(): number {
    return this.#pending.size;
  }

  open(call: CallDescription): { id: number; promise: Promise<unknown> } {
    const id = ++this.#lastId;
    const promise = new Promise<unknown>((resolve, reject) => {
      const pending: Pending = { ...call, resolve, reject, timer: undefined, onAbort: undefined };
      this.#pending.set(id, pending);
      if (call.deadlineMs !== undefined) this.#expireAfter(id, pending, call.deadlineMs, () => this.#late(call));
      if (call.signal) this.#watch(id, pending, call.signal);
    });
    return { id, promise };
  }

  settle(id: number, value: unknown): void {
    const pending = this.#take(id);
    if (!pending) return;
    try {
      pending.resolve(pending.result(value, `${pending.method} result`));
    } catch (error) {
      pending.reject(error);
    }
  }

  fail(id: number, error: unknown): void {
    this.#take(id)?.reject(error);
  }

  progress(id: number, value: unknown): void {
    const pending = this.#pending.get(id);
    if (!pending?.progress || !pending.onProgress) return;
    const checked = pending.progress(value, `${pending.method} progress`);
    // The type of the listener follows from the shape that was just checked.
    (pending.onProgress as (value: unknown) => void)(checked);
  }

  /** Fails all that waits. */
  closeAll(error: unknown): void {
    for (const id of [...this.#pending.keys()]) this.fail(id, error);
  }

  #watch(id: number, pending: Pending, signal: AbortSignal): void {
    const onAbort = (): void => {
      this.#sendCancel(id);
      if (pending.abortGraceMs === 0) this.fail(id, abortedError(signal));
      else this.#expireAfter(id, pending, pending.abortGraceMs, () => abortedError(signal));
    };
    pending.onAbort = onAbort;
    if (signal.aborted) queueMicrotask(() => this.#pending.has(id) && onAbort());
    else signal.addEventListener('abort', onAbort, { once: true });
  }

  #expireAfter(id: number, pending: Pending, ms: number, error: () => CodedError): void {
    clearTimeout(pending.timer);
    pending.timer = setTimeout(() => {
      const reason = error();
      if (reason.code === BASE_ERRORS.DEADLINE_EXCEEDED) this.#sendCancel(id);
      this.fail(id, reason);
    }, ms);
  }

  #late(call: CallDescription): CodedError {
    return new CodedError(BASE_ERRORS.DEADLINE_EXCEEDED, `${call.method} took longer than ${call.deadlineMs} ms`);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    if (!pending) return undefined;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    if (pending.onAbort) pending.signal?.removeEventListener('abort', pending.onAbort);
    return pending;
  }
}
