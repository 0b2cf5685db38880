import { CodedError } from '../../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../errors.js';
import type { Args, Contract, Implementation, Method, MethodName, Note, NoteName, Progress, Result } from '../method.js';
import { type CallOptions, PendingCalls } from './calls.js';
import { decodeMessage, encodeMessage, fromWireError, type Message, toWireError } from './messages.js';

/** Calls of the other side that may run at once. */
const MAX_RUNNING = 4_096;

export interface PeerOptions<Local, Remote> {
  local: Local;
  implementation: Implementation<Local>;
  remote: Remote;
  /** Takes one line. Throws a coded error when it can't. */
  send: (line: string) => void;
  /** Told of each message that was refused and of each note whose implementation threw. */
  onRefused: (error: unknown) => void;
}

/** What the gate lets through is looked up here; types are those of the contract, which was checked. */
type AnyMethod = Method<unknown, unknown, unknown>;
type AnyNote = Note<unknown>;
type AnyFunction = (args: unknown, call?: unknown) => unknown;

/**
 * One end of a channel. Outgoing calls wait in a table; every incoming message passes the gate first: a sound envelope, a method that is an
 * own key of the contract, arguments that fit and are rebuilt. What does not pass is answered with an error where it had an id, and
 * reported; it never reaches an implementation.
 */
export class Peer<Local extends object, Remote extends object> {
  readonly #options: PeerOptions<Local, Remote>;
  readonly #pending = new PendingCalls((id) => this.#trySend({ type: 'cancel', id }));
  readonly #running = new Map<number, AbortController>();
  #closed: unknown;

  constructor(options: PeerOptions<Local, Remote>) {
    this.#options = options;
  }

  get pendingCalls(): number {
    return this.#pending.size;
  }

  /** Rejects with the other side's error, `DEADLINE_EXCEEDED`, `ABORTED`, or whatever `close` was given. */
  async call<M extends MethodName<Remote>>(
    method: M,
    args: Args<Remote[M]>,
    options: CallOptions<Progress<Remote[M]>> = {},
  ): Promise<Result<Remote[M]>> {
    if (this.#closed !== undefined) throw this.#closed;
    const spec = (this.#options.remote as Contract)[method] as unknown as AnyMethod;
    const { id, promise } = this.#pending.open({
      method,
      result: spec.result,
      progress: spec.progress,
      deadlineMs: options.deadlineMs ?? spec.deadlineMs,
      abortGraceMs: spec.abortGraceMs ?? 0,
      signal: options.signal,
      onProgress: options.onProgress,
    });
    try {
      this.#options.send(encodeMessage({ type: 'call', id, method, args }));
    } catch (error) {
      this.#pending.fail(id, error);
    }
    return (await promise) as Result<Remote[M]>;
  }

  notify<N extends NoteName<Remote>>(method: N, args: Args<Remote[N]>): void {
    if (this.#closed === undefined) this.#options.send(encodeMessage({ type: 'note', method, args }));
  }

  /** Takes the lines of a frame. Never throws. */
  receive(lines: string): void {
    for (let start = 0; start < lines.length; ) {
      const end = lines.indexOf('\n', start);
      const line = end < 0 ? lines.slice(start) : lines.slice(start, end);
      start = end < 0 ? lines.length : end + 1;
      if (line !== '' && this.#closed === undefined) this.#receiveLine(line);
    }
  }

  /** The other side is gone: all that waits fails with `error`, all that runs for it is aborted, nothing more is sent or taken. */
  close(error: CodedError): void {
    if (this.#closed !== undefined) return;
    this.#closed = error;
    this.#pending.closeAll(error);
    for (const running of this.#running.values()) running.abort(error);
    this.#running.clear();
  }

  #receiveLine(line: string): void {
    try {
      this.#dispatch(decodeMessage(line));
    } catch (error) {
      this.#options.onRefused(error);
    }
  }

  #dispatch(message: Message): void {
    switch (message.type) {
      case 'call':
        this.#answer(message);
        return;
      case 'note': {
        const args = this.#entry<AnyNote>('note', message.method).args(message.args, message.method);
        this.#implementation(message.method)(args);
        return;
      }
      case 'result':
        this.#pending.settle(message.id, message.value);
        return;
      case 'error':
        this.#pending.fail(message.id, fromWireError(message.error));
        return;
      case 'progress':
        this.#pending.progress(message.id, message.value);
        return;
      case 'cancel':
        this.#running.get(message.id)?.abort();
        return;
    }
  }

  /** Runs a call and sends its one answer; one that the gate refuses is answered too. */
  #answer({ id, method, args }: Extract<Message, { type: 'call' }>): void {
    if (this.#running.has(id)) throw new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `${method}: call ${id} runs already`);
    let checked: unknown;
    try {
      if (this.#running.size >= MAX_RUNNING) throw new CodedError(BOUNDARY_ERRORS.BUSY, `${MAX_RUNNING} calls run already`);
      checked = this.#entry<AnyMethod>('method', method).args(args, method);
    } catch (refusal) {
      this.#trySend({ type: 'error', id, error: toWireError(refusal) });
      throw refusal;
    }
    const controller = new AbortController();
    this.#running.set(id, controller);
    const progress = (value: unknown): void => {
      if (this.#running.get(id) === controller) this.#trySend({ type: 'progress', id, value });
    };
    const done = (value: unknown): void => this.#finish(id, controller, { type: 'result', id, value: value ?? null });
    const failed = (error: unknown): void => this.#finish(id, controller, { type: 'error', id, error: toWireError(error) });
    try {
      const outcome = this.#implementation(method)(checked, { signal: controller.signal, progress });
      if (outcome instanceof Promise) outcome.then(done, failed);
      else done(outcome);
    } catch (error) {
      failed(error);
    }
  }

  #finish(id: number, controller: AbortController, answer: Message): void {
    if (this.#running.get(id) === controller) this.#running.delete(id);
    this.#trySend(answer);
  }

  /** Sends; a value that can't be written becomes the call's error, so that nobody waits for ever. */
  #trySend(message: Message): void {
    if (this.#closed !== undefined) return;
    try {
      this.#options.send(encodeMessage(message));
    } catch (error) {
      if (message.type !== 'result') {
        this.#options.onRefused(error);
        return;
      }
      this.#trySend({ type: 'error', id: message.id, error: toWireError(error) });
    }
  }

  #entry<E>(kind: 'method' | 'note', name: string): E {
    const contract = this.#options.local as Contract;
    const found = Object.hasOwn(contract, name) ? contract[name] : undefined;
    if (found?.kind !== kind)
      throw new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `No ${kind} ${JSON.stringify(name.slice(0, 100))}`);
    return found as unknown as E;
  }

  #implementation(name: string): AnyFunction {
    const implementation = this.#options.implementation as unknown as Record<string, AnyFunction>;
    const found = Object.hasOwn(implementation, name) ? implementation[name] : undefined;
    if (!found) throw new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `${name} is not implemented`);
    return found;
  }
}
