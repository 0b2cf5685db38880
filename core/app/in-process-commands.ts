import { CodedError } from '../base/coded-error.js';
import { RawJson } from '../base/raw-json.js';
import { type OutgoingRecord, type OutgoingResponse, RecordQueue } from '../modes/output/record-queue.js';
import { CommandDispatcher } from '../modes/rpc/dispatcher.js';
import { createHandlers } from '../modes/rpc/rpc-mode.js';
import type { CommandName } from '../protocol/commands/index.js';
import type { AgentEvent } from '../protocol/events.js';
import type { App } from './compose.js';
import { rpcServices } from './rpc-services.js';

interface Waiting {
  resolve: (data: unknown) => void;
  reject: (error: Error) => void;
}

/** The commands of the protocol without a process between: the same checks, the same order, the same results and codes. */
export class InProcessCommands {
  readonly #dispatcher: CommandDispatcher;
  readonly #waiting = new Map<string, Waiting>();
  #serial = 0;

  /** `emit`: events that a command brings with it, as the output of `bash`. */
  constructor(app: App, version: string, emit: (event: AgentEvent) => void) {
    const services = rpcServices(app, version);
    const output = {
      queue: new RecordQueue({ sequenceNumbers: false }),
      // Handlers send events only: responses come the other way.
      send: (record: OutgoingRecord) => emit(record as AgentEvent),
    };
    this.#dispatcher = new CommandDispatcher({
      handlers: createHandlers(services, output),
      send: (response) => this.#answered(response),
      loading: () => (services.extensions.isReady ? undefined : services.extensions.ready),
      heard: () => services.extensions.heard(),
      intercept: () => false,
    });
  }

  /** Rejects with the code that a client would get. */
  request(command: CommandName, params: object): Promise<unknown> {
    const id = String(++this.#serial);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      // As it would cross: nobody gets hold of what is the program's own.
      this.#dispatcher.dispatchLine(JSON.stringify({ ...params, id, type: command }));
    });
  }

  #answered({ id, success, data, error, code }: OutgoingResponse): void {
    const waiting = this.#waiting.get(String(id));
    this.#waiting.delete(String(id));
    if (success) waiting?.resolve(data instanceof RawJson ? JSON.parse(data.text) : structuredClone(data ?? {}));
    else waiting?.reject(new CodedError(code ?? 'FAILED', String(error)));
  }
}
