import { background } from '../../base/background.js';
import { CodedError, messageOf } from '../../base/coded-error.js';
import { sleep, withDeadline } from '../../base/deadline.js';
import type { Disposable } from '../../base/disposable.js';
import type { Logger } from '../../base/logger.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { HookFailure } from '../contract/hooks.js';
import type { ExtensionRef, HostEnd, LoadOutcome, WorkerEnd } from '../contract/lifecycle.js';
import { DEFAULT_HOST_SETTINGS, type HostSettings } from '../contract/settings.js';
import { BackOff } from './back-off.js';
import { Connection, FIRST_WORKER } from './connection.js';
import { type HostState, Lifecycle } from './lifecycle.js';
import type { StateSources } from './state-feed.js';
import type { WorkerBridge } from './worker-bridge.js';

export interface ExtensionHostOptions {
  /** The prebuilt `dist/extension-host/host.js`. */
  entry: string;
  sources: StateSources;
  log: Logger;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  settings?: Partial<HostSettings>;
  /** From `start` to a running worker. */
  startMs?: number;
  backOff?: BackOff;
  onState?: (state: HostState, from: HostState) => void;
  /** A worker or the whole process ended although nobody asked. */
  onUnexpectedEnd?: (end: WorkerEnd | HostEnd) => void;
  onLoaded?: (outcomes: readonly LoadOutcome[]) => void;
  /** The tools of `bridge` are others than before. */
  onToolsChanged?: () => void;
  onHookFailed?: (failure: HookFailure) => void;
  onSlow?: (extension: string | null) => void;
}

/**
 * The core's extension host: starts the process, loads extensions into it, starts it anew when it or its worker ends, and stops it. What
 * waits on a process or worker that ends fails with `HOST_EXITED` or `WORKER_EXITED`.
 */
export class ExtensionHost implements Disposable {
  readonly #options: ExtensionHostOptions;
  readonly #settings: HostSettings;
  readonly #lifecycle: Lifecycle;
  readonly #backOff: BackOff;
  readonly #stopping = new AbortController();
  #extensions: readonly ExtensionRef[] = [];
  #connection: Connection | undefined;
  #worker = FIRST_WORKER;
  #stopped: Promise<void> | undefined;

  constructor(options: ExtensionHostOptions) {
    this.#options = options;
    this.#settings = { ...DEFAULT_HOST_SETTINGS, ...options.settings };
    this.#backOff = options.backOff ?? new BackOff();
    this.#lifecycle = new Lifecycle((state, from) => options.onState?.(state, from));
  }

  get state(): HostState {
    return this.#lifecycle.state;
  }

  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  /** The worker extensions run in; undefined while there is none. */
  get bridge(): WorkerBridge | undefined {
    return this.#connection?.workers.get(this.#worker);
  }

  /** Starts the process and returns at once; `load` waits for it. Safe to call before the extensions are known. */
  start(): void {
    if (!this.#lifecycle.is('idle', 'failed')) return;
    this.#lifecycle.to('starting');
    this.#connect();
  }

  /** Loads these extensions, now and after every restart. Failures of single extensions are in the outcomes. */
  async load(extensions: readonly ExtensionRef[]): Promise<readonly LoadOutcome[]> {
    this.start();
    this.#extensions = extensions;
    const connection = this.#connection;
    if (!connection) throw notRunning(this.state);
    return this.#bringUp(connection, this.#worker);
  }

  /** An entry was appended to the session. Call it before the event that says so is emitted. */
  entryAppended(entry: string | Uint8Array): void {
    this.#connection?.feed.entryAppended(entry);
  }

  /** Another session took the place of the one extensions read. */
  sessionReplaced(): void {
    this.#connection?.feed.replaced('entries');
  }

  emit(event: Record<string, unknown> & { type: string }): void {
    this.bridge?.emit(event);
  }

  /** Shutdown handlers get their time, then everything of the process group is ended. Resolves when it is gone. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  dispose(): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    const connection = this.#connection;
    if (connection) {
      this.#lifecycle.to('stopping');
      await connection.stop(this.#settings.shutdownMs + this.#settings.terminateMs);
    }
    this.#connection = undefined;
    this.#lifecycle.to('stopped');
  }

  #connect(): void {
    this.#worker = FIRST_WORKER;
    const connection = new Connection({
      entry: this.#options.entry,
      settings: this.#settings,
      env: this.#options.env ?? process.env,
      cwd: this.#options.cwd,
      sources: this.#options.sources,
      log: this.#options.log,
      onSlow: (_worker, extension) => this.#options.onSlow?.(extension),
      onWorkerEnd: (end) => this.#onWorkerEnd(connection, end),
      onHookFailed: (failure) => this.#options.onHookFailed?.(failure),
      onToolsChanged: () => this.#options.onToolsChanged?.(),
    });
    this.#connection = connection;
    background(
      connection.exited.then((end) => {
        if (this.#connection !== connection || this.#stopping.signal.aborted) return;
        this.#connection = undefined;
        this.#recover(end, () => this.#connect());
      }),
      this.#options.log,
      'Watching the extension host',
    );
  }

  /** Waits for the worker, then loads into it. A process that never gets ready is killed, which leads to a restart. */
  async #bringUp(connection: Connection, worker: number): Promise<readonly LoadOutcome[]> {
    const { startMs = 15_000 } = this.#options;
    const gone = connection.exited.then((end): never => {
      throw new CodedError(BOUNDARY_ERRORS.HOST_EXITED, end.message);
    });
    try {
      await withDeadline(Promise.race([connection.ready, gone]), startMs, 'starting the extension host');
    } catch (error) {
      await connection.dispose();
      throw new CodedError(BOUNDARY_ERRORS.START_FAILED, messageOf(error), { cause: error });
    }
    const outcomes = await connection.load(worker, this.#extensions);
    // A worker that ended while it loaded is on its way to be replaced.
    if (this.#connection === connection && connection.workers.has(worker) && this.#lifecycle.is('starting'))
      this.#lifecycle.to('ready');
    this.#options.onLoaded?.(outcomes);
    return outcomes;
  }

  /** The process goes on; its next worker gets a number of its own, so that nothing late of the old one is taken for its word. */
  #onWorkerEnd(connection: Connection, end: WorkerEnd): void {
    if (this.#connection !== connection || this.#stopping.signal.aborted) return;
    this.#recover(end, async () => {
      if (this.#connection !== connection) return;
      this.#worker = end.worker + 1;
      await connection.startWorker(this.#worker);
    });
  }

  /** After an end nobody asked for: report, wait, start anew and load; or give up. */
  #recover(end: WorkerEnd | HostEnd, restart: () => void | Promise<void>): void {
    this.#options.log.warn(`Extensions stopped: ${end.message}`, { ...end });
    this.#options.onUnexpectedEnd?.(end);
    const delayMs = this.#backOff.next();
    if (delayMs === undefined) {
      this.#lifecycle.to('failed');
      background(this.#connection?.dispose() ?? Promise.resolve(), this.#options.log, 'Ending the extension host');
      return;
    }
    this.#lifecycle.to('starting');
    background(this.#restartAfter(delayMs, restart), this.#options.log, 'Restarting extensions');
  }

  async #restartAfter(delayMs: number, restart: () => void | Promise<void>): Promise<void> {
    try {
      await sleep(delayMs, this.#stopping.signal);
    } catch {
      // Stopped meanwhile.
      return;
    }
    await restart();
    if (this.#connection) await this.#bringUp(this.#connection, this.#worker);
  }
}

function notRunning(state: HostState): CodedError {
  return new CodedError(BOUNDARY_ERRORS.HOST_EXITED, `The extension host is ${state}`);
}
