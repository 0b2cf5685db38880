import { CodedError, codeOf, messageOf } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { HookOutcome } from '../contract/hooks.js';
import type { CallContext, Implementation } from '../contract/method.js';
import {
  type CoreForWorkerContract,
  type CoreSyncContract,
  coreForWorkerContract,
  coreSyncContract,
  workerContract,
} from '../contract/sides.js';
import type { CallOptions } from '../contract/wire/calls.js';
import { decodeMessage, encodeMessage, toWireError } from '../contract/wire/messages.js';
import { Outbox } from '../contract/wire/outbox.js';
import { Peer } from '../contract/wire/peer.js';
import type { Gate } from './capability-gate.js';

/** Events one worker may subscribe to. */
const MAX_EVENTS = 1_000;

/** What the core does for extensions: every method's first argument is the extension's name, checked to be one of the worker's own. */
export type CoreForExtensions = Omit<Implementation<CoreForWorkerContract>, 'hooks.subscribed'>;
export type CoreAtOnce = Implementation<CoreSyncContract>;

export interface WorkerBridgeOptions {
  send: (lines: string) => void;
  sendSync: (answer: string) => void;
  core: CoreForExtensions;
  atOnce: CoreAtOnce;
  /** Names of the extensions that live in this worker. */
  owns: (extension: string) => boolean;
  /** Says what may cross. */
  gate: Gate;
  /** The one extension that has the whole channel; left out where several share it. */
  speaker?: string;
  /** After the factory: an extension began or ceased to listen. */
  onSubscribed: (extension: string, event: string, active: boolean) => void;
  onRefused: (error: unknown) => void;
}

/** The core's end of one worker's channel: who listens to what there, and what may be asked. */
export class WorkerBridge {
  readonly #options: WorkerBridgeOptions;
  readonly #peer: Peer<typeof coreForWorkerContract, typeof workerContract>;
  readonly #outbox: Outbox;
  /** Event name -> extensions that have a handler for it. */
  readonly #subscribed = new Map<string, Set<string>>();

  constructor(options: WorkerBridgeOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options.send);
    this.#peer = new Peer({
      local: coreForWorkerContract,
      remote: workerContract,
      implementation: {
        ...guarded(options),
        'hooks.subscribed': ([extension, event, active]) => {
          if (!options.gate.admitEvent(extension, event)) return;
          this.subscribe(extension, event, active);
          options.onSubscribed(extension, event, active);
        },
      } as Implementation<CoreForWorkerContract>,
      send: (line) => this.#outbox.add(line),
      onRefused: options.onRefused,
    });
  }

  get pendingCalls(): number {
    return this.#peer.pendingCalls;
  }

  /** Asks the worker. Rejects with its error, `WORKER_EXITED`, `HOST_EXITED`, `DEADLINE_EXCEEDED` or `ABORTED`. */
  get call(): Peer<typeof coreForWorkerContract, typeof workerContract>['call'] {
    return this.#peer.call.bind(this.#peer);
  }

  get notify(): Peer<typeof coreForWorkerContract, typeof workerContract>['notify'] {
    return this.#peer.notify.bind(this.#peer);
  }

  /** Whether `pi.events` of others may be heard here. */
  get hearsBus(): boolean {
    const { speaker, gate } = this.#options;
    return speaker === undefined || gate.hearsBus(speaker);
  }

  hasHandlers(event: string): boolean {
    return (this.#subscribed.get(event)?.size ?? 0) > 0;
  }

  isSubscribed(extension: string, event: string): boolean {
    return this.#subscribed.get(event)?.has(extension) ?? false;
  }

  subscribe(extension: string, event: string, active: boolean): void {
    if (!this.#options.owns(extension)) throw foreign(extension);
    const extensions = this.#subscribed.get(event) ?? new Set();
    if (active) extensions.add(extension);
    else extensions.delete(extension);
    if (extensions.size === 0) this.#subscribed.delete(event);
    else if (this.#subscribed.has(event) || this.#subscribed.size < MAX_EVENTS) this.#subscribed.set(event, extensions);
    else throw new CodedError(BOUNDARY_ERRORS.TOO_LARGE, `The extensions of one worker may listen to ${MAX_EVENTS} events`);
  }

  async runHook(
    extensions: readonly string[],
    event: Record<string, unknown>,
    outcome: Record<string, unknown>,
    options: CallOptions<never>,
  ): Promise<HookOutcome> {
    const result = await this.#peer.call('hooks.run', [[...extensions], event, outcome], options);
    const { speaker, gate } = this.#options;
    if (speaker === undefined || !gate.onlyObserves(speaker, String(event.type))) return result;
    return { outcome, stopped: false, timesUs: result.timesUs };
  }

  /** Tells the worker's listeners, in order with everything else; nothing crosses when there are none. */
  emit(event: Record<string, unknown> & { type: string }): void {
    if (this.hasHandlers(event.type) || this.#followsMessages(event.type)) this.#peer.notify('hooks.emit', [event]);
  }

  receive(lines: string): void {
    this.#peer.receive(lines);
  }

  /** Answers a call for which the worker's thread waits. Always answers, whatever is wrong with it. */
  receiveSync(line: string): void {
    let id = 0;
    try {
      const message = decodeMessage(line);
      if (message.type !== 'call') throw new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, 'Only calls may be asked this way');
      id = message.id;
      const spec = Object.hasOwn(coreSyncContract, message.method)
        ? coreSyncContract[message.method as keyof CoreSyncContract]
        : undefined;
      if (!spec) throw new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `No method ${JSON.stringify(message.method.slice(0, 100))}`);
      const given = spec.args(message.args, message.method) as [string, ...unknown[]];
      if (!this.#options.owns(given[0])) throw foreign(given[0]);
      const args = this.#options.gate.admit(message.method, given, this.#options.speaker);
      const run = this.#options.atOnce[message.method as keyof CoreSyncContract] as (
        args: unknown,
        call: CallContext<never>,
      ) => unknown;
      this.#answerSync(encodeMessage({ type: 'result', id, value: run(args, NO_CALL) ?? null }));
    } catch (error) {
      if (id === 0) this.#options.onRefused(error);
      else
        this.#answerSync(
          encodeMessage({
            type: 'error',
            id,
            error: { ...toWireError(error), code: codeOf(error) ?? BOUNDARY_ERRORS.THREW, message: messageOf(error) },
          }),
        );
    }
  }

  /** Sends now what this tick gathered: before state that must not arrive earlier. */
  flush(): void {
    this.#outbox.flush();
  }

  /** The extensions of this worker are loaded anew: nothing they listened to counts. */
  forget(extension: string): void {
    for (const [event, extensions] of this.#subscribed) {
      extensions.delete(extension);
      if (extensions.size === 0) this.#subscribed.delete(event);
    }
  }

  close(error: CodedError): void {
    this.#peer.close(error);
    this.#subscribed.clear();
  }

  /** Who listens to a message that grows must know how it began. */
  #followsMessages(type: string): boolean {
    return (type === 'message_start' || type === 'message_end') && this.hasHandlers('message_update');
  }

  #answerSync(answer: string): void {
    this.#outbox.flush();
    this.#options.sendSync(answer);
  }
}

const NO_CALL: CallContext<never> = { signal: new AbortController().signal, progress: () => undefined };

/** Every member refuses what speaks for an extension of another worker, and what the gate does not let through. */
function guarded({ core, owns, gate, speaker }: WorkerBridgeOptions): CoreForExtensions {
  const entries = Object.entries(core) as [string, (args: unknown[], call: unknown) => unknown][];
  return Object.fromEntries(
    entries.map(([name, run]) => [
      name,
      (args: unknown[], call: unknown) => {
        const extension = extensionOf(name, args);
        if (extension !== null && !owns(extension)) throw foreign(extension);
        const admitted = gate.admit(name, args, speaker);
        return admitted === null ? undefined : run(admitted as unknown[], call);
      },
    ]),
  ) as unknown as CoreForExtensions;
}

/** Notes of a whole worker, and failures nobody could be named for, speak for no extension. */
function extensionOf(method: string, args: unknown[]): string | null {
  if (method === 'env.set') return null;
  if (method === 'hooks.failed') return (args[0] as { extension: string }).extension || null;
  return args[0] as string | null;
}

function foreign(extension: string): CodedError {
  return new CodedError(
    BOUNDARY_ERRORS.BAD_MESSAGE,
    `${JSON.stringify(String(extension).slice(0, 100))} does not live in this worker`,
  );
}
