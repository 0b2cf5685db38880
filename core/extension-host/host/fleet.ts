import path from 'node:path';
import { background } from '../../base/background.js';
import { CodedError, messageOf } from '../../base/coded-error.js';
import { sleep, withDeadline } from '../../base/deadline.js';
import type { Disposable } from '../../base/disposable.js';
import type { Logger } from '../../base/logger.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { ExtensionRef, HostEnd, LoadOutcome, LoadSettings, WorkerEnd, WorkerLimits } from '../contract/lifecycle.js';
import type { HostSettings } from '../contract/settings.js';
import type { ValueTopic } from '../contract/state.js';
import type { CapabilityGate } from './capability-gate.js';
import { Connection, type ConnectionOptions, FIRST_WORKER } from './connection.js';
import type { ExtensionRecord } from './extension-record.js';
import type { HostConnection } from './host-connection.js';
import { Placement, SHARED } from './placement.js';
import { CodeServer } from './sandbox/code-server.js';
import { SandboxConnection } from './sandbox/sandbox-connection.js';
import type { WorkerBridge } from './worker-bridge.js';

export interface FleetOptions
  extends Pick<ConnectionOptions, 'entry' | 'cacheDir' | 'sources' | 'core' | 'atOnce' | 'onSubscribed'> {
  settings: HostSettings;
  gate: CapabilityGate;
  /** One line for a person. */
  warn: (text: string) => void;
  env: NodeJS.ProcessEnv;
  cwd: string;
  log: Logger;
  /** What extensions find when they are loaded; asked at each loading. */
  loadSettings: () => LoadSettings;
  /** From the start of a process to its running worker. */
  startMs?: number;
  placement?: Placement;
  /** One worker's extensions have ended, and why; those of `quarantined` stay away. */
  onEnd: (end: FleetEnd) => void;
  /** Extensions were loaded, at the start or again. */
  onLoaded: (outcomes: readonly LoadOutcome[]) => void;
  /** Extensions that had ended are back. */
  onBack: (names: readonly string[]) => void;
  onSlow: (extension: string | null) => void;
}

export interface FleetEnd {
  what: 'worker' | 'process';
  culprit: string | undefined;
  members: readonly string[];
  quarantined: readonly string[];
  message: string;
  stack?: string | undefined;
}

interface Unit {
  key: string;
  /** It has said so once; whether it still runs its connection knows. */
  isReady: boolean;
  connection: HostConnection;
  /** Its end was asked for: nobody is to blame. */
  isRetired?: boolean;
  /** Worker key -> its number. */
  workers: Map<string, number>;
  lastWorker: number;
}

/** The extension-host processes and their workers: starts them, loads extensions into them, brings back what ends, and stops them. */
export class Fleet implements Disposable {
  readonly #options: FleetOptions;
  readonly #placement: Placement;
  readonly #units = new Map<string, Unit>();
  readonly #stopping = new AbortController();
  #records: readonly ExtensionRecord[] = [];
  #code: CodeServer | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#placement = options.placement ?? new Placement();
  }

  get placement(): Placement {
    return this.#placement;
  }

  get pids(): number[] {
    return [...this.#units.values()].flatMap(({ connection }) => connection.pid ?? []);
  }

  /** Starts the shared process, which makes these files ready while other things are done. */
  start(files: readonly string[]): void {
    if (!this.#stopping.signal.aborted) this.#unit('shared', files);
  }

  /** The worker an extension lives in; undefined while it does not live. */
  bridgeOf(record: ExtensionRecord): WorkerBridge | undefined {
    const { process, worker } = this.#placement.of(record.name);
    const unit = this.#units.get(process);
    const id = unit?.workers.get(worker);
    return id === undefined ? undefined : unit?.connection.workers.get(id);
  }

  /** Where an extension runs, for people. */
  describe(record: ExtensionRecord): { pid: number | undefined; worker: number | undefined; shared: boolean } {
    const { process, worker } = this.#placement.of(record.name);
    const unit = this.#units.get(process);
    return { pid: unit?.connection.pid, worker: unit?.workers.get(worker), shared: worker === 'shared' };
  }

  /** Loads these, each where its place is, places side by side. Outcomes are told as they come; it resolves when all have. */
  async load(records: readonly ExtensionRecord[]): Promise<void> {
    this.#records = records;
    this.#placeApart(records);
    await this.#loadAll(records.filter(({ state }) => state !== 'quarantined'));
  }

  /** Loads `more`, which are among `records`, beside those that are there. */
  async loadMore(records: readonly ExtensionRecord[], more: readonly ExtensionRecord[]): Promise<void> {
    this.#records = records;
    this.#placeApart(more);
    await this.#loadAll(more);
  }

  /** Ends the instances of all extensions; what can't be used again is replaced at the next `load`. */
  async unload(): Promise<void> {
    const all: Promise<void>[] = [];
    for (const unit of this.#units.values()) {
      for (const [key, id] of unit.workers) {
        if (unit.connection.workers.has(id)) all.push(this.#unload(unit, key, id));
      }
    }
    await Promise.all(all);
  }

  touch(...topics: ValueTopic[]): void {
    for (const { connection } of this.#units.values()) connection.feed.touch(...topics);
  }

  entryAppended(entry: string | Uint8Array): void {
    for (const { connection } of this.#units.values()) connection.feed.entryAppended(entry);
  }

  entriesReplaced(): void {
    for (const { connection } of this.#units.values()) connection.feed.entriesReplaced();
  }

  bridges(): WorkerBridge[] {
    return [...this.#units.values()].flatMap(({ connection }) => [...connection.workers.values()]);
  }

  /** True for one that lives with others. */
  isTogether(record: ExtensionRecord): boolean {
    return this.#placement.of(record.name).worker === SHARED;
  }

  /** Gives an extension, which is being restarted, a worker of its own. */
  moveApart(record: ExtensionRecord): void {
    const left = this.bridgeOf(record)?.call('hooks.leave', [record.name]);
    this.#placement.separate(record.name, 'worker');
    const moved = Promise.allSettled([left]).then(() => Promise.all([this.#endEmpty(), this.#bringBack([record.name], 0)]));
    background(moved, this.#options.log, 'Moving an extension to a worker of its own');
  }

  /** Ends the worker an extension lives in, as if it had ended by itself: it no longer answers. */
  giveUp(record: ExtensionRecord, why: string): void {
    const { process, worker } = this.#placement.of(record.name);
    const unit = this.#units.get(process);
    const id = unit?.workers.get(worker);
    if (!unit || id === undefined) return;
    if (unit.connection.isOneWorker) {
      unit.connection.kill(why);
      return;
    }
    background(
      unit.connection.endWorker(id).catch(() => unit.connection.dispose()),
      this.#options.log,
      'Ending an extension worker',
    );
    this.#onWorkerEnd(unit, { worker: id, reason: 'blocked', message: why, extension: record.name });
  }

  /** Lets extensions do their last things within `graceMs`, then ends every process and all it started. */
  stop(graceMs = this.#options.settings.shutdownMs): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  dispose(): Promise<void> {
    return this.stop(0);
  }

  /** At once, without waiting: the last thing before this process goes. */
  kill(): void {
    this.#stopping.abort();
    for (const { connection } of this.#units.values()) connection.kill();
    this.#code?.dispose();
  }

  async #stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#units.values()].map(({ connection }) => connection.stop(graceMs)));
    this.#units.clear();
    this.#code?.dispose();
  }

  #unit(key: string, prepare: readonly string[] = []): Unit {
    const known = this.#units.get(key);
    if (known) return known;
    const { entry, cacheDir, settings, env, cwd, sources, core, atOnce, log, onSlow, onSubscribed, gate } = this.#options;
    const unit: Unit = {
      key,
      isReady: false,
      workers: new Map(),
      lastWorker: FIRST_WORKER,
      connection:
        this.#apart(key) ??
        new Connection({
          gate,
          entry,
          cacheDir,
          prepare,
          settings,
          env,
          cwd,
          sources,
          core,
          atOnce,
          log,
          onSubscribed,
          isShared: key === SHARED,
          owns: (worker, extension) => {
            const place = this.#placement.of(extension);
            return place.process === key && unit.workers.get(place.worker) === worker;
          },
          onSlow: (_worker, extension) => onSlow(extension),
          onWorkerEnd: (end) => this.#onWorkerEnd(unit, end),
        }),
    };
    this.#units.set(key, unit);
    background(
      unit.connection.exited.then((end) => this.#onProcessEnd(unit, end)),
      log,
      'Watching an extension host',
    );
    return unit;
  }

  /** Extensions that are not trusted have a process each; some trusted ones want a worker or a process for themselves. */
  #placeApart(records: readonly ExtensionRecord[]): void {
    for (const { name, spec } of records) {
      if (spec.level !== 'trusted') this.#placement.separate(name, 'process');
      else if (spec.own && this.#placement.of(name).worker === 'shared') this.#placement.separate(name, spec.own);
    }
  }

  /** The connection of a process for one extension that is not trusted; undefined for those of trusted ones. */
  #apart(key: string): HostConnection | undefined {
    const record = this.#records.find(({ name, spec }) => spec.level !== 'trusted' && this.#placement.of(name).process === key);
    if (!record) return undefined;
    const { entry, onSlow } = this.#options;
    const folder = path.dirname(entry);
    this.#code ??= new CodeServer({ ...this.#options, entry: path.join(folder, 'transpile.js') });
    return new SandboxConnection({
      ...this.#options,
      record,
      entry: path.join(folder, 'restricted.js'),
      code: this.#code,
      onSlow: (extension) => onSlow(extension),
    });
  }

  async #retire(unit: Unit): Promise<void> {
    unit.isRetired = true;
    if (this.#units.get(unit.key) === unit) this.#units.delete(unit.key);
    await unit.connection.dispose();
  }

  async #loadAll(records: readonly ExtensionRecord[]): Promise<void> {
    const groups = new Map<string, ExtensionRecord[]>();
    for (const record of records) {
      const { process, worker } = this.#placement.of(record.name);
      const key = JSON.stringify([process, worker]);
      groups.set(key, [...(groups.get(key) ?? []), record]);
    }
    await Promise.all([...groups.values()].map((group) => this.#loadGroup(group)));
  }

  /** Never rejects: what does not load is an outcome. */
  async #loadGroup(records: readonly ExtensionRecord[]): Promise<void> {
    const [first] = records;
    if (!first || this.#stopping.signal.aborted) return;
    const { process, worker } = this.#placement.of(first.name);
    try {
      const unit = this.#unit(process);
      await this.#ready(unit);
      const id = await this.#worker(unit, worker, worker === SHARED ? {} : workerLimits(first));
      const refs = records.map(toRef);
      const outcomes = await unit.connection.load(id, this.#options.loadSettings(), refs);
      const hindered =
        worker === SHARED ? outcomes.filter(({ failure }) => failure?.code === BOUNDARY_ERRORS.INTRINSIC_FIXED) : [];
      this.#options.onLoaded(outcomes.filter((outcome) => !hindered.includes(outcome)));
      await this.#loadApart(records.filter(({ name }) => hindered.some(({ extension }) => extension === name)));
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      const failure = { message: messageOf(error) };
      this.#options.onLoaded(records.map(({ name }) => ({ extension: name, durationMs: 0, failure })));
    }
  }

  /** What these want to change is fixed where extensions are together. */
  async #loadApart(records: readonly ExtensionRecord[]): Promise<void> {
    for (const { name } of records) {
      this.#options.log.info('An extension changes what extensions of one worker share: it gets a worker of its own', { name });
      this.#placement.separate(name, 'worker');
    }
    if (records.length > 0) await Promise.all([this.#endEmpty(), this.#loadAll(records)]);
  }

  /** The shared worker is not kept when all that were in it have workers of their own. */
  async #endEmpty(): Promise<void> {
    const unit = this.#units.get(SHARED);
    const id = unit?.workers.get(SHARED);
    if (!unit || id === undefined || !unit.connection.workers.has(id) || this.#membersOf(SHARED, SHARED).length > 0) return;
    unit.workers.delete(SHARED);
    await unit.connection.endWorker(id);
  }

  /** A process that never gets ready is killed, which is its end like any other. */
  async #ready(unit: Unit): Promise<void> {
    const { connection } = unit;
    if (unit.isReady) return;
    const { startMs = 15_000 } = this.#options;
    const gone = connection.exited.then((end): never => {
      throw new CodedError(BOUNDARY_ERRORS.HOST_EXITED, end.message);
    });
    try {
      await withDeadline(Promise.race([connection.ready, gone]), startMs, 'starting the extension host');
      unit.isReady = true;
    } catch (error) {
      await connection.dispose();
      throw new CodedError(BOUNDARY_ERRORS.START_FAILED, messageOf(error), { cause: error });
    }
  }

  /** The first worker of a process runs already; others are started when they are needed. */
  async #worker(unit: Unit, key: string, limits: WorkerLimits): Promise<number> {
    const known = unit.workers.get(key);
    if (known !== undefined && unit.connection.workers.has(known)) return known;
    const hasLimits = Object.keys(limits).length > 0 && !unit.connection.isOneWorker;
    const mayBeFirst = (unit.key !== SHARED || key === SHARED) && !hasLimits;
    if (mayBeFirst && unit.workers.size === 0 && unit.lastWorker === FIRST_WORKER && unit.connection.workers.has(FIRST_WORKER)) {
      unit.workers.set(key, FIRST_WORKER);
      return FIRST_WORKER;
    }
    const id = ++unit.lastWorker;
    // Known before it runs: what arrives from it is then known as its own.
    unit.workers.set(key, id);
    await unit.connection.startWorker(id, key === SHARED, limits);
    return id;
  }

  async #unload(unit: Unit, key: string, id: number): Promise<void> {
    let usable = false;
    try {
      usable = await unit.connection.unload(id);
    } catch (error) {
      this.#options.log.debug('A worker could not be emptied', { error: messageOf(error) });
    }
    if (usable || !unit.connection.workers.has(id)) return;
    if (unit.connection.isOneWorker) {
      await this.#retire(unit);
      return;
    }
    unit.workers.delete(key);
    await unit.connection.endWorker(id).catch(() => unit.connection.dispose());
  }

  #onWorkerEnd(unit: Unit, end: WorkerEnd): void {
    if (this.#stopping.signal.aborted || this.#units.get(unit.key) !== unit) return;
    const [key] = [...unit.workers].find(([, id]) => id === end.worker) ?? [];
    if (key === undefined) return;
    const members = this.#membersOf(unit.key, key);
    unit.workers.delete(key);
    this.#recover('worker', end.extension, members, end.message, end.stack, unit.key);
  }

  #onProcessEnd(unit: Unit, end: HostEnd): void {
    if (this.#units.get(unit.key) === unit) this.#units.delete(unit.key);
    if (this.#stopping.signal.aborted || unit.isRetired || unit.connection.isRefused) return;
    this.#recover('process', end.extension, this.#membersOf(unit.key), end.message, undefined, unit.key);
  }

  #membersOf(process: string, worker?: string): string[] {
    return this.#records
      .filter(({ name, state }) => {
        const place = this.#placement.of(name);
        return state !== 'quarantined' && place.process === process && (worker === undefined || place.worker === worker);
      })
      .map(({ name }) => name);
  }

  /** After an end nobody asked for: decide who goes where, wait, and load again. */
  #recover(
    what: 'worker' | 'process',
    culprit: string | undefined,
    members: readonly string[],
    message: string,
    stack: string | undefined,
    process: string,
  ): void {
    const { quarantined } = this.#placement.ended({ what, culprit, members });
    this.#options.onEnd({ what, culprit, members, quarantined, message, stack });
    const back = members.filter((name) => !quarantined.includes(name));
    if (back.length === 0) return;
    background(this.#bringBack(back, this.#placement.delayMs(process)), this.#options.log, 'Restarting extensions');
  }

  async #bringBack(names: readonly string[], delayMs: number): Promise<void> {
    try {
      await sleep(delayMs, this.#stopping.signal);
    } catch {
      // Stopped meanwhile.
      return;
    }
    const records = this.#records.filter((record) => names.includes(record.name) && record.state === 'restarting');
    for (const record of records) record.state = 'loading';
    await this.#loadAll(records);
    const back = records.filter(({ state }) => state === 'ready').map(({ name }) => name);
    if (back.length > 0 && !this.#stopping.signal.aborted) this.#options.onBack(back);
  }
}

/** What the limits of its settings say of its worker; those of one that is not trusted are its process's. */
function workerLimits({ spec: { limits } }: ExtensionRecord): WorkerLimits {
  return {
    ...(limits?.heapMb !== undefined && { heapMb: limits.heapMb }),
    ...(limits?.blockMs !== undefined && { blockMs: limits.blockMs }),
  };
}

function toRef({ spec: { name, path, limits } }: ExtensionRecord): ExtensionRef {
  return {
    name,
    path,
    ...(limits?.hookMs !== undefined && { hookMs: limits.hookMs }),
    ...(limits?.loadMs !== undefined && { loadMs: limits.loadMs }),
  };
}
