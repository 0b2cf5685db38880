import { CodedError, isCoded, messageOf } from '../../base/coded-error.js';
import type { RawJson } from '../../base/raw-json.js';
import { redact } from '../../base/secrets.js';
import type { CommandName, Params, Result } from '../../protocol/commands/index.js';
import { PROTOCOL_ERRORS } from '../../protocol/errors.js';
import { isCommandName, validateCommand } from '../../protocol/validators.js';
import type { OutgoingResponse } from '../output/record-queue.js';

/** What a handler may do besides returning its result. */
export interface Call {
  /** As the client sent it. */
  readonly id: unknown;
  /** Runs after the response was sent: for what must not be seen before it. */
  afterResponse(run: () => void): void;
  /** Lets the next ordered command start before this one is done. */
  release(): void;
}

/**
 * `now` handlers only read and run at once, whatever else is going on. `ordered` ones change something and start in the order of
 * arrival, each when the one before has returned or released.
 */
export interface Handler<N extends CommandName> {
  order: 'now' | 'ordered';
  /** True when an `ordered` one need not wait for extensions that are being loaded, nor for those that do. */
  early?(params: Params<N>): boolean;
  run(params: Params<N>, call: Call): Promise<Result<N> | RawJson> | Result<N> | RawJson;
}
/** A missing handler does not compile. */
export type Handlers = { [N in CommandName]: Handler<N> };

export interface DispatcherOptions {
  handlers: Handlers;
  send: (response: OutgoingResponse) => void;
  /** Resolves when extensions have loaded; undefined when there is nothing to wait for. */
  loading?: () => Promise<void> | undefined;
  /** Resolves when those who are told of a change have heard of it; undefined when nobody is. */
  heard?: () => Promise<void> | undefined;
  /** Records that are not commands, such as `extension_ui_response`. True when it was taken. */
  intercept: (record: { type: string }) => boolean;
}

/** Commands whose change extensions are told of. */
const CHANGES: ReadonlySet<CommandName> = new Set([
  'set_model',
  'cycle_model',
  'set_thinking_level',
  'cycle_thinking_level',
  'set_session_name',
]);

/** From a line of stdin to its one response. The only place where errors become `success: false`. */
export class CommandDispatcher {
  readonly #options: DispatcherOptions;
  #ordered: (() => void)[] = [];
  #busy = false;
  #unanswered = 0;
  #waiting: (() => void)[] = [];

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  dispatchLine(line: string): void {
    if (line.trim() === '') return;
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch (error) {
      this.#refuseLine(`Failed to parse command: ${messageOf(error)}`, PROTOCOL_ERRORS.PARSE_FAILED);
      return;
    }
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      const kind = record === null ? 'null' : Array.isArray(record) ? 'an array' : `a ${typeof record}`;
      this.#refuseLine(`Failed to parse command: expected a JSON object, got ${kind}`, PROTOCOL_ERRORS.PARSE_FAILED);
      return;
    }
    this.#dispatch(record);
  }

  /** Resolves when every command so far has its response. */
  answered(): Promise<void> {
    if (this.#unanswered === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** A line over the limit was skipped by the reader. */
  refuseTooLong(bytes: number, maxBytes: number): void {
    this.#refuseLine(
      `Failed to parse command: the line has ${bytes} bytes, at most ${maxBytes} are accepted`,
      PROTOCOL_ERRORS.LINE_TOO_LONG,
    );
  }

  #dispatch(record: object): void {
    const type: unknown = Reflect.get(record, 'type');
    const id: unknown = Reflect.get(record, 'id');
    if (typeof type === 'string' && this.#options.intercept({ ...record, type })) return;
    if (!isCommandName(type)) {
      const name = typeof type === 'string' ? type : String(type);
      this.#fail(id, name, new CodedError(PROTOCOL_ERRORS.UNKNOWN_COMMAND, `Unknown command: ${name}`));
      return;
    }
    this.#start(type, id, record);
  }

  #start<N extends CommandName>(name: N, id: unknown, record: object): void {
    const checked = validateCommand(name, record);
    if (!checked.ok) {
      this.#fail(id, name, new CodedError(PROTOCOL_ERRORS.INVALID_PARAMS, checked.error));
      return;
    }
    const handler: Handlers[N] = this.#options.handlers[name];
    this.#unanswered += 1;
    const loading = this.#options.loading?.();
    if (handler.order === 'now' || (loading && handler.early?.(checked.params))) {
      void this.#run(name, handler, checked.params, id, () => undefined);
      return;
    }
    this.#ordered.push(() => {
      let held = true;
      void this.#run(name, handler, checked.params, id, () => {
        if (!held) return;
        held = false;
        this.#busy = false;
        this.#next();
      });
    });
    this.#next();
  }

  #next(): void {
    while (!this.#busy) {
      const loading = this.#ordered.length > 0 ? this.#options.loading?.() : undefined;
      if (loading) {
        this.#busy = true;
        void loading.then(() => {
          this.#busy = false;
          this.#next();
        });
        return;
      }
      const start = this.#ordered.shift();
      if (!start) return;
      this.#busy = true;
      start();
    }
  }

  /** Never rejects: every outcome is a response. */
  async #run<N extends CommandName>(
    name: N,
    handler: Handler<N>,
    params: Params<N>,
    id: unknown,
    release: () => void,
  ): Promise<void> {
    const after: (() => void)[] = [];
    try {
      const outcome = handler.run(params, { id, afterResponse: (run) => after.push(run), release });
      // A result that is there at once is answered at once: commands written together are answered in their order.
      const data = outcome instanceof Promise ? await outcome : outcome;
      const heard = handler.order === 'ordered' && CHANGES.has(name) ? this.#options.heard?.() : undefined;
      if (heard) await heard;
      this.#options.send({
        ...idOf(id),
        type: 'response',
        command: name,
        success: true,
        ...(data === undefined ? {} : { data }),
      });
      for (const run of after) run();
    } catch (error) {
      this.#fail(id, name, error);
    } finally {
      release();
      this.#unanswered -= 1;
      if (this.#unanswered === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  #fail(id: unknown, command: string, error: unknown): void {
    const code = isCoded(error) ? { code: error.code } : {};
    this.#options.send({ ...idOf(id), type: 'response', command, success: false, error: redact(messageOf(error)), ...code });
  }

  #refuseLine(error: string, code: string): void {
    this.#options.send({ type: 'response', command: 'parse', success: false, error, code });
  }
}

function idOf(id: unknown): { id?: unknown } {
  return id === undefined ? {} : { id };
}
