import { CodedError, messageOf } from '../../base/coded-error.js';
import { StoppableClock } from '../../base/stoppable-clock.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import { type HookFailure, hookSpec } from '../contract/hooks.js';
import type { ExtensionRecord } from './extension-record.js';
import type { WorkerBridge } from './worker-bridge.js';

export type ExtensionEvent = Record<string, unknown> & { type: string };

export interface HookAnswer {
  /** The event after all handlers. */
  event: ExtensionEvent;
  /** What they decided apart from it. */
  outcome: Record<string, unknown>;
}

export interface DispatchOptions {
  /** In order of rank. */
  records: () => readonly ExtensionRecord[];
  bridgeOf: (record: ExtensionRecord) => WorkerBridge | undefined;
  onFailure: (failure: HookFailure) => void;
  /** A worker answers nothing although its thread runs: it is ended. */
  onMute: (record: ExtensionRecord, why: string) => void;
}

/** Above the sum of the handlers' own deadlines, which the worker keeps: for a worker that can't. */
const MARGIN_MS = 2_000;
/** A gate that ended is waited for this long. */
const GATE_BACK_MS = 10_000;

/** Takes events to the extensions that listen, in order of rank across workers. */
export class Dispatch {
  readonly #options: DispatchOptions;
  /** Stands still while any dialog is open: which handler waits for it only the worker knows, and it keeps the exact limits. */
  readonly #clock = new StoppableClock();

  constructor(options: DispatchOptions) {
    this.#options = options;
  }

  /** Whether anybody has a handler for the event. */
  listens(event: string): boolean {
    return this.#listeners(event).length > 0;
  }

  /** An extension began, or ceased, to wait for a person. */
  waiting(waiting: boolean): void {
    if (waiting) this.#clock.stop();
    else this.#clock.go();
  }

  /** `promise`, or a `DEADLINE_EXCEEDED` error after `ms` in which no dialog was open. */
  limit<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
    return this.#clock.limit(promise, ms, what);
  }

  /**
   * Runs the handlers of a hook one after another and resolves with what they made of it; undefined when there are none. Never rejects: a
   * worker that ends or does not answer counts as a handler that failed. On an abort the answers so far are given.
   */
  hook(event: ExtensionEvent, signal?: AbortSignal, only?: ReadonlySet<string>): Promise<HookAnswer> | undefined {
    const listeners = this.#listeners(event.type).filter(({ name }) => only?.has(name) ?? true);
    return listeners.length === 0 ? undefined : this.#run(event, listeners, signal);
  }

  /** Tells the listeners of every worker, in order with everything else; nobody waits for them. */
  emit(event: ExtensionEvent): void {
    const told = new Set<WorkerBridge>();
    for (const record of this.#options.records()) {
      const bridge = this.#options.bridgeOf(record);
      if (!bridge || told.has(bridge)) continue;
      told.add(bridge);
      bridge.emit(event);
    }
  }

  async #run(event: ExtensionEvent, listeners: readonly ExtensionRecord[], signal: AbortSignal | undefined): Promise<HookAnswer> {
    const answer: HookAnswer = { event, outcome: {} };
    // Gates are never skipped: one that is being restarted is waited for, and one that does not come back refuses.
    for (const record of listeners) if (record.state !== 'ready') await record.whenSettled(GATE_BACK_MS);
    const missing = listeners.find(({ state }) => state !== 'ready');
    if (missing) {
      const why = missing.reason === undefined ? '' : ` (${missing.reason})`;
      Object.assign(answer.outcome, {
        block: true,
        reason: `The extension ${missing.name}, which must be asked first, is not running${why}`,
      });
      return answer;
    }
    for (const group of this.#groups(listeners)) {
      if (signal?.aborted) break;
      const { onFailure } = this.#options;
      try {
        if (await this.#runGroup(group, answer, signal)) break;
      } catch (error) {
        if (signal?.aborted) break;
        const [first] = group.records;
        const message = `Extensions could not be asked: ${messageOf(error)}`;
        if (first) onFailure({ extension: first.name, hook: event.type, message, code: BOUNDARY_ERRORS.WORKER_EXITED });
        if (hookSpec(event.type).onFailure !== 'block') continue;
        Object.assign(answer.outcome, { block: true, reason: message });
        break;
      }
    }
    return answer;
  }

  /** True when a handler had the last word. */
  async #runGroup(
    { bridge, records }: { bridge: WorkerBridge; records: readonly ExtensionRecord[] },
    answer: HookAnswer,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const names = records.map(({ name }) => name);
    const { type } = answer.event;
    const { deadlineMs } = hookSpec(type);
    const eachMs = Math.max(deadlineMs, ...records.map(({ spec }) => spec.limits?.hookMs ?? 0));
    const call = bridge.runHook(names, answer.event, answer.outcome, { signal });
    const limitMs = deadlineMs === 0 ? 0 : eachMs * names.length * 3 + MARGIN_MS;
    const limited = this.#clock.limit(call, limitMs, `the worker's "${type}" handlers`);
    const result = await limited.catch((error: unknown) => {
      const [first] = records;
      if (first && error instanceof CodedError && error.code === 'DEADLINE_EXCEEDED') this.#options.onMute(first, error.message);
      throw error;
    });
    for (const [at, us] of result.timesUs.entries()) records[at]?.took(type, us);
    if (result.event) answer.event = { ...result.event, type };
    answer.outcome = result.outcome;
    return result.stopped;
  }

  #listeners(event: string): ExtensionRecord[] {
    const { records, bridgeOf } = this.#options;
    const mayWait = hookSpec(event).onFailure === 'block';
    return records().filter((record) =>
      record.state === 'ready' ? bridgeOf(record)?.isSubscribed(record.name, event) : mayWait && record.events.has(event),
    );
  }

  /** Neighbours in rank that live in the same worker are asked together. */
  #groups(records: readonly ExtensionRecord[]): { bridge: WorkerBridge; records: ExtensionRecord[] }[] {
    const groups: { bridge: WorkerBridge; records: ExtensionRecord[] }[] = [];
    for (const record of records) {
      const bridge = this.#options.bridgeOf(record);
      const last = groups.at(-1);
      if (!bridge) continue;
      if (last?.bridge === bridge) last.records.push(record);
      else groups.push({ bridge, records: [record] });
    }
    return groups;
  }
}
