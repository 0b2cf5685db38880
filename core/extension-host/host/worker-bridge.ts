import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { GateOutcome, HookFailure, HookName } from '../contract/hooks.js';
import { coreForWorkerContract, workerContract } from '../contract/sides.js';
import type { BridgedTool, BridgedToolResult } from '../contract/tools.js';
import type { CallOptions } from '../contract/wire/calls.js';
import { Outbox } from '../contract/wire/outbox.js';
import { Peer } from '../contract/wire/peer.js';

/** Names and tools of one extension that count as too many. */
const MAX_TOOLS = 256;
const MAX_EVENTS = 1_000;

export interface WorkerBridgeOptions {
  send: (lines: string) => void;
  onPrinted: (extension: string | null, stream: 'stdout' | 'stderr', text: string) => void;
  onHookFailed: (failure: HookFailure) => void;
  onToolsChanged: () => void;
  onRefused: (error: unknown) => void;
}

export interface RegisteredTool {
  extension: string;
  definition: BridgedTool;
}

/** The core's end of one worker's channel: what its extensions registered, and what may be asked of them. */
export class WorkerBridge {
  readonly #peer: Peer<typeof coreForWorkerContract, typeof workerContract>;
  readonly #outbox: Outbox;
  readonly #tools = new Map<string, RegisteredTool>();
  /** Event name -> extensions that have a handler for it, in order of subscribing. */
  readonly #subscribed = new Map<string, Set<string>>();

  constructor(options: WorkerBridgeOptions) {
    this.#outbox = new Outbox(options.send);
    this.#peer = new Peer({
      local: coreForWorkerContract,
      remote: workerContract,
      implementation: {
        'hooks.subscribed': ([extension, event, active]) => this.#setSubscribed(extension, event, active),
        'hooks.failed': ([failure]) => options.onHookFailed(failure),
        'tools.registered': ([extension, definition]) => {
          this.#addTool(extension, definition);
          options.onToolsChanged();
        },
        'logs.printed': ([extension, stream, text]) => options.onPrinted(extension, stream, text),
      },
      send: (line) => this.#outbox.add(line),
      onRefused: options.onRefused,
    });
  }

  get tools(): readonly RegisteredTool[] {
    return [...this.#tools.values()];
  }

  get pendingCalls(): number {
    return this.#peer.pendingCalls;
  }

  hasHandlers(event: string): boolean {
    return (this.#subscribed.get(event)?.size ?? 0) > 0;
  }

  subscribers(event: string): readonly string[] {
    return [...(this.#subscribed.get(event) ?? [])];
  }

  runHook(
    hook: HookName,
    extensions: readonly string[],
    event: Record<string, unknown>,
    options: CallOptions<never>,
  ): Promise<GateOutcome> {
    return this.#peer.call('hooks.run', [hook, [...extensions], event], options);
  }

  /** Tells the worker's listeners, in order with everything else; nothing crosses when there are none. */
  emit(event: Record<string, unknown> & { type: string }): void {
    if (this.hasHandlers(event.type)) this.#peer.notify('hooks.emit', [event]);
  }

  executeTool(
    tool: RegisteredTool,
    toolCallId: string,
    args: Record<string, unknown>,
    options: CallOptions<BridgedToolResult>,
  ): Promise<BridgedToolResult> {
    return this.#peer.call('tools.execute', [tool.extension, tool.definition.name, toolCallId, args], options);
  }

  receive(lines: string): void {
    this.#peer.receive(lines);
  }

  /** Sends now what this tick gathered: before state that must not arrive earlier. */
  flush(): void {
    this.#outbox.flush();
  }

  close(error: CodedError): void {
    this.#peer.close(error);
    this.#tools.clear();
    this.#subscribed.clear();
  }

  #addTool(extension: string, definition: BridgedTool): void {
    const key = `${extension}\n${definition.name}`;
    if (!this.#tools.has(key) && this.#tools.size >= MAX_TOOLS) throw tooMany('tools', MAX_TOOLS);
    this.#tools.set(key, { extension, definition });
  }

  #setSubscribed(extension: string, event: string, active: boolean): void {
    const extensions = this.#subscribed.get(event) ?? new Set();
    if (active) extensions.add(extension);
    else extensions.delete(extension);
    if (extensions.size === 0) this.#subscribed.delete(event);
    else if (this.#subscribed.has(event) || this.#subscribed.size < MAX_EVENTS) this.#subscribed.set(event, extensions);
    else throw tooMany('events', MAX_EVENTS);
  }
}

function tooMany(what: string, max: number): CodedError {
  return new CodedError(BOUNDARY_ERRORS.TOO_LARGE, `The extensions of one worker may have ${max} ${what}`);
}
