import type { Disposable } from '../../base/disposable.js';
import type { ExtensionRef, HostEnd, LoadOutcome, LoadSettings, WorkerLimits } from '../contract/lifecycle.js';
import type { StateFeed } from './state-feed.js';
import type { WorkerBridge } from './worker-bridge.js';

/** One life of a process that runs extensions, from its start to its exit. */
export interface HostConnection extends Disposable {
  /** Resolves when its first worker runs. */
  readonly ready: Promise<void>;
  readonly exited: Promise<HostEnd>;
  readonly pid: number | undefined;
  /** Told of changes of state; who reads them is its affair. */
  readonly feed: Pick<StateFeed, 'touch' | 'entryAppended' | 'entriesReplaced'>;
  /** Running workers, by number. */
  readonly workers: ReadonlyMap<number, WorkerBridge>;
  /** The process is its one worker: neither can be ended alone. */
  readonly isOneWorker: boolean;
  /** There is no way to start it on this system: another try would end the same. */
  readonly isRefused: boolean;
  startWorker(id: number, isShared: boolean, limits: WorkerLimits): Promise<void>;
  load(worker: number, settings: LoadSettings, extensions: readonly ExtensionRef[]): Promise<LoadOutcome[]>;
  /** Ends the instances in a worker. False when the worker itself can't be used again. */
  unload(worker: number): Promise<boolean>;
  endWorker(worker: number): Promise<void>;
  /** Asks for an orderly end, waits `graceMs` for it, then kills. Resolves when the process is gone. */
  stop(graceMs: number): Promise<void>;
  /** At once, without waiting. The reason becomes that of its end. */
  kill(reason?: string): void;
}
