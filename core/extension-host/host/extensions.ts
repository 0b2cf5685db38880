import { CodedError, isCoded } from '../../base/coded-error.js';
import type { Disposable } from '../../base/disposable.js';
import type { Logger } from '../../base/logger.js';
import type { ModelStreamEvent } from '../../protocol/model-stream.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import { type HookFailure, hookSpec } from '../contract/hooks.js';
import type { LoadOutcome, LoadSettings } from '../contract/lifecycle.js';
import type { BridgedProvider } from '../contract/registrations.js';
import { DEFAULT_HOST_SETTINGS, type HostSettings } from '../contract/settings.js';
import type { ValueTopic } from '../contract/state.js';
import { CapabilityGate } from './capability-gate.js';
import type { Asker, Dialogs } from './dialogs.js';
import { Dispatch, type ExtensionEvent, type HookAnswer } from './dispatch.js';
import { ExtensionRecord, type ExtensionSpec, RESTART_MS } from './extension-record.js';
import { type Collision, ExtensionTools, type OfferedTool } from './extension-tools.js';
import { Fleet, type FleetEnd } from './fleet.js';
import { type Naming, NamingRules } from './naming.js';
import type { Notices } from './notices.js';
import type { StateSources } from './state-feed.js';
import type { CoreAtOnce, CoreForExtensions, WorkerBridge } from './worker-bridge.js';

type Registration = Extract<keyof CoreAtOnce, `register.${string}`>;
type Own = 'hooks.failed' | 'bus.emit' | 'ui.dialog' | 'ui.notice' | 'ui.degraded' | 'logs.printed';

/** What the rest of the program does for extensions. */
export type ExtensionServices = Omit<CoreForExtensions, Own> & Omit<CoreAtOnce, Registration>;

export interface ExtensionsOptions {
  /** The prebuilt `dist/extension-host/host.js`. */
  entry: string;
  /** Folder for transpiled code, which processes share. */
  cacheDir: string;
  env: NodeJS.ProcessEnv;
  cwd: string;
  log: Logger;
  settings?: Partial<HostSettings>;
  loadSettings: () => LoadSettings;
  /** What the user wants their tools and commands to be called. */
  names?: Readonly<Record<string, Naming>> | undefined;
  /** One line for a person. */
  warn?: (text: string) => void;
  /** Names of the program's own tools, which need more than `tools` to be taken over. */
  isBuiltInTool?: (name: string) => boolean;
  sources: StateSources;
  services: ExtensionServices;
  dialogs: Dialogs;
  notices: Notices;
  /** Something of an extension went wrong; `extensionPath` is empty where nobody can be named. */
  onError: (error: ExtensionProblem) => void;
  /** A member that needs a terminal was used. */
  onDegraded: (asker: Asker, member: string) => void;
  /** What extensions offer is other than before. */
  onChanged: () => void;
  /** An extension offers models. Throws when they can't be used. */
  onProvider: (record: ExtensionRecord, provider: BridgedProvider) => void;
  onNoProvider: (record: ExtensionRecord, name: string) => void;
  /** Extensions that had ended run again, as after a reload. */
  onBack: (names: ReadonlySet<string>) => void;
}

export interface ExtensionProblem {
  extension: string;
  extensionPath: string;
  event: string;
  error: string;
  code?: string;
  stack?: string;
}

export interface OfferedCommand {
  record: ExtensionRecord;
  /** What is typed: the name, or `name:1`, `name:2` where several extensions have it. */
  invocation: string;
  name: string;
  description?: string;
}

/** All extensions of this program: where they run, what they offer, and the way to ask them. */
export class Extensions implements Disposable {
  readonly gate: CapabilityGate;
  readonly #options: ExtensionsOptions;
  readonly #fleet: Fleet;
  readonly #dispatch: Dispatch;
  readonly #tools: ExtensionTools;
  readonly #naming: NamingRules;
  #records: readonly ExtensionRecord[] = [];

  constructor(options: ExtensionsOptions) {
    this.#options = options;
    this.#naming = new NamingRules(options.names);
    const { entry, cacheDir, env, cwd, log, sources, loadSettings, services, onBack } = options;
    const { atOnce, later } = this.#core(services);
    this.gate = new CapabilityGate({
      recordOf: (name) => this.#records.find((record) => record.name === name),
      isBuiltInTool: options.isBuiltInTool ?? (() => false),
      onDenied: (record, message) => this.#report(record, 'capability', message, BOUNDARY_ERRORS.DENIED),
    });
    this.#fleet = new Fleet({
      gate: this.gate,
      warn: options.warn ?? ((text) => log.warn(text)),
      entry,
      cacheDir,
      env,
      cwd,
      log,
      sources,
      loadSettings,
      settings: { ...DEFAULT_HOST_SETTINGS, ...options.settings },
      core: later,
      atOnce,
      onSubscribed: (extension, event, active) => {
        const { events } = this.recordOf(extension);
        if (active) events.add(event);
        else events.delete(event);
      },
      onEnd: (end) => this.#ended(end),
      onLoaded: (outcomes) => this.#loaded(outcomes),
      onBack: (names) => onBack(new Set(names)),
      onSlow: (extension) => {
        const record = this.#records.find(({ name }) => name === extension);
        log.warn('An extension keeps its thread busy', { extension: record?.spec.path ?? extension });
      },
    });
    this.#dispatch = new Dispatch({
      records: () => this.#records,
      bridgeOf: (record) => this.#fleet.bridgeOf(record),
      onFailure: (failure) => this.#failed(failure),
      onMute: (record, why) => this.#fleet.giveUp(record, why),
    });
    this.#tools = new ExtensionTools((record) => this.#fleet.bridgeOf(record), this.#naming);
  }

  get records(): readonly ExtensionRecord[] {
    return this.#records;
  }

  get fleet(): Fleet {
    return this.#fleet;
  }

  /** Starts the shared process, which makes these files ready while other things are done. */
  start(files: readonly string[] = []): void {
    this.#fleet.start(files);
  }

  /** Loads these, in this order of rank; resolves when each has loaded or failed. Before the first of them runs, the others are known. */
  async load(specs: readonly ExtensionSpec[]): Promise<void> {
    const known = new Map(this.#records.map((record) => [record.name, record]));
    this.#records = specs.map((spec) => {
      const before = known.get(spec.name);
      // What is known of its behaviour is kept over reloads.
      const record = before?.spec.path === spec.path ? before : new ExtensionRecord(spec);
      if (record.state !== 'quarantined') record.state = 'loading';
      return record;
    });
    await this.#fleet.load(this.#records);
    // Those whose worker was ended by another are on their way back; who ended it holds up nobody.
    await Promise.all(this.#records.map((record) => (record.reason === undefined ? record.whenSettled(RESTART_MS) : undefined)));
  }

  /** Loads more beside those that are there, as a project does that has been trusted. */
  async loadMore(specs: readonly ExtensionSpec[], order: readonly string[]): Promise<void> {
    const more = specs.map((spec) => new ExtensionRecord(spec));
    const rank = new Map(order.map((name, at) => [name, at]));
    this.#records = [...this.#records, ...more].sort((a, b) => (rank.get(a.name) ?? 0) - (rank.get(b.name) ?? 0));
    await this.#fleet.loadMore(this.#records, more);
  }

  /** Ends all instances: what they registered is gone, what they asked is withdrawn. */
  async unload(): Promise<void> {
    for (const record of this.#records) this.#forget(record, record.state);
    await this.#fleet.unload();
  }

  listens(event: string): boolean {
    return this.#dispatch.listens(event);
  }

  hook(event: ExtensionEvent, signal?: AbortSignal, only?: ReadonlySet<string>): Promise<HookAnswer> | undefined {
    return this.#dispatch.hook(event, signal, only);
  }

  /** `promise`, or a `DEADLINE_EXCEEDED` error after `ms` in which no dialog was open. */
  limit<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
    return this.#dispatch.limit(promise, ms, what);
  }

  emit(event: ExtensionEvent): void {
    this.#dispatch.emit(event);
  }

  /** A dialog opened, or the last was settled. */
  waiting(waiting: boolean): void {
    this.#dispatch.waiting(waiting);
  }

  touch(...topics: ValueTopic[]): void {
    this.#fleet.touch(...topics);
  }

  entryAppended(entry: string | Uint8Array): void {
    this.#fleet.entryAppended(entry);
  }

  sessionReplaced(): void {
    this.#fleet.entriesReplaced();
  }

  runEnded(runId: string, aborted: boolean): void {
    for (const bridge of this.#fleet.bridges()) bridge.notify('hooks.run_ended', [runId, aborted]);
  }

  tools(): { tools: OfferedTool[]; collisions: Collision[] } {
    return this.#tools.offered(this.#records);
  }

  /** In order of rank. Several of one name are told apart by number, and the bare name is none of them. */
  commands(): OfferedCommand[] {
    const all = this.#naming.ordered(this.#records).flatMap((record) =>
      [...record.commands.values()].flatMap((command) => {
        const name = this.#naming.nameOf('commands', record, command.name);
        return name === undefined ? [] : [{ record, command, name }];
      }),
    );
    const counts = new Map<string, number>();
    for (const { name } of all) counts.set(name, (counts.get(name) ?? 0) + 1);
    const seen = new Map<string, number>();
    return all.map(({ record, command: { name: own, description }, name }) => {
      const nth = (seen.get(name) ?? 0) + 1;
      seen.set(name, nth);
      const invocation = (counts.get(name) ?? 0) > 1 ? `${name}:${nth}` : name;
      return { record, invocation, name: own, ...(description !== undefined && { description }) };
    });
  }

  /**
   * Rejects with what the handler threw, or when its worker ends. One that is being restarted is waited for, and what a neighbour kept from
   * beginning is begun again.
   */
  async runCommand({ record, name }: OfferedCommand, args: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await record.whenSettled(RESTART_MS);
      let begun = false;
      const onProgress = (): void => {
        begun = true;
      };
      try {
        await this.#bridge(record).call('commands.run', [record.name, name, args], { onProgress });
        return;
      } catch (error) {
        const ended = isCoded(error, BOUNDARY_ERRORS.WORKER_EXITED) || isCoded(error, BOUNDARY_ERRORS.HOST_EXITED);
        // One that has its process for itself has nobody else to blame.
        const isAlone = record.spec.level !== 'trusted';
        // A reason is noted at the one that caused the end; the others only lived there.
        const mayBegin = !begun && record.state === 'restarting' && record.reason === undefined;
        if (!ended || isAlone || attempt > 1 || !mayBegin) throw error;
      }
    }
  }

  /** Calls a function that an extension gave the core. */
  callHandle(
    record: ExtensionRecord,
    handle: number,
    args: unknown[],
    options: { signal?: AbortSignal; onProgress?: (value: unknown) => void },
  ): Promise<unknown> {
    return this.#bridge(record).call('handles.call', [handle, args], options);
  }

  releaseHandle(record: ExtensionRecord, handle: number): void {
    this.#fleet.bridgeOf(record)?.notify('handles.release', [handle]);
  }

  /** Asks a provider that speaks to its models itself. */
  streamProvider(
    record: ExtensionRecord,
    provider: string,
    request: Record<string, unknown>,
    options: { signal: AbortSignal; onStep: (step: ModelStreamEvent) => void },
  ): Promise<Record<string, unknown>> {
    return this.#bridge(record).call('providers.stream', [record.name, provider, request], {
      signal: options.signal,
      onProgress: (step) => options.onStep(step as unknown as ModelStreamEvent),
    });
  }

  renderTool(
    name: string,
    call: Record<string, unknown>,
  ): Promise<{ call: string[] | null; result: string[] | null }> | undefined {
    const offered = this.tools().tools.find(({ tool }) => tool.name === name);
    if (!offered?.record.tools.get(name)?.renders) return undefined;
    return this.#bridge(offered.record).call('tools.render', [offered.record.name, name, call]);
  }

  stop(graceMs?: number): Promise<void> {
    return this.#fleet.stop(graceMs);
  }

  dispose(): Promise<void> {
    return this.stop(0);
  }

  /** At once, without waiting. */
  kill(): void {
    this.#fleet.kill();
  }

  asker(extension: string): Asker {
    const record = this.#records.find(({ name }) => name === extension);
    return { name: extension, path: record?.spec.path ?? '', level: record?.spec.level ?? 'trusted' };
  }

  recordOf(extension: string): ExtensionRecord {
    const record = this.#records.find(({ name }) => name === extension);
    if (!record) throw new CodedError(BOUNDARY_ERRORS.NOT_LOADED, `There is no extension ${extension}`);
    return record;
  }

  #bridge(record: ExtensionRecord): WorkerBridge {
    const bridge = this.#fleet.bridgeOf(record);
    if (!bridge) throw new CodedError(BOUNDARY_ERRORS.NOT_LOADED, `The extension ${record.name} is not running`);
    return bridge;
  }

  /** The parts of the contract that are about extensions themselves, and the program's for the rest. */
  #core(services: ExtensionServices): { atOnce: CoreAtOnce; later: Omit<CoreForExtensions, 'logs.printed'> } {
    const { dialogs, notices, onChanged, onProvider, onNoProvider, onDegraded } = this.#options;
    const registering: Pick<CoreAtOnce, Registration> = {
      'register.all': ([name, registrations]) => {
        const record = this.recordOf(name);
        for (const provider of registrations.providers) onProvider(record, provider);
        record.registerAll(registrations);
        const bridge = this.#bridge(record);
        bridge.forget(name);
        for (const event of registrations.events) bridge.subscribe(name, event, true);
        record.state = 'ready';
        onChanged();
        return true;
      },
      'register.tool': ([name, tool]) => {
        this.recordOf(name).registerTool(tool);
        onChanged();
        return true;
      },
      'register.command': ([name, command]) => {
        this.recordOf(name).registerCommand(command);
        onChanged();
        return true;
      },
      'register.flag': ([name, flag]) => {
        this.recordOf(name).flags.set(flag.name, flag);
        return true;
      },
      'register.provider': ([name, provider]) => {
        const record = this.recordOf(name);
        onProvider(record, provider);
        record.providers.set(provider.name, provider);
        onChanged();
        return true;
      },
      'register.no_provider': ([name, provider]) => {
        const record = this.recordOf(name);
        record.providers.delete(provider);
        onNoProvider(record, provider);
        onChanged();
        return true;
      },
    };
    const own: Pick<CoreForExtensions, Exclude<Own, 'logs.printed'>> = {
      'hooks.failed': ([failure]) => this.#failed(failure),
      'bus.emit': ([extension, channel, data]) => {
        const from = this.#fleet.bridgeOf(this.recordOf(extension));
        for (const bridge of this.#fleet.bridges())
          if (bridge !== from && bridge.hearsBus) bridge.notify('bus.emit', [channel, data]);
      },
      'ui.dialog': ([extension, request], { signal }) => dialogs.ask(extension, request, signal),
      'ui.notice': ([extension, fields]) => notices.show(extension, fields),
      'ui.degraded': ([extension, member]) => onDegraded(this.asker(extension), member),
    };
    return { atOnce: { ...services, ...registering }, later: { ...services, ...own } };
  }

  #loaded(outcomes: readonly LoadOutcome[]): void {
    for (const { extension, durationMs, failure } of outcomes) {
      const record = this.#records.find(({ name }) => name === extension);
      if (!record || record.state === 'restarting' || record.state === 'quarantined') continue;
      record.loadMs = durationMs;
      record.state = failure ? 'failed' : 'ready';
      record.reason = failure?.message;
      if (!failure) continue;
      record.lastStack = failure.stack;
      this.#forget(record, 'failed');
      this.#report(record, 'load', failure.message, undefined, failure.stack);
    }
    this.#options.onChanged();
  }

  #ended({ what, culprit, members, quarantined, message, stack }: FleetEnd): void {
    for (const name of members) {
      const record = this.#records.find((one) => one.name === name);
      if (!record) continue;
      record.restarts += 1;
      const out = quarantined.includes(name);
      // What it registered stays known while it is restarted: who asks for it waits until it is back.
      if (out) this.#forget(record, 'quarantined');
      else this.#withdraw(record);
      record.state = out ? 'quarantined' : 'restarting';
      if (out || name === culprit) {
        record.reason = message;
        record.lastStack = stack;
      }
    }
    const named = culprit === undefined ? undefined : this.#records.find(({ name }) => name === culprit);
    const code = what === 'process' ? BOUNDARY_ERRORS.HOST_EXITED : BOUNDARY_ERRORS.WORKER_EXITED;
    const suffix = quarantined.length > 0 ? '. It is not started again in this session' : '';
    this.#report(named, what === 'process' ? 'extension host' : 'worker', `${message}${suffix}`, code, stack, members);
    this.#options.onChanged();
  }

  #failed({ extension, hook, message, stack, code }: HookFailure): void {
    const record = this.#records.find(({ name }) => name === extension);
    const isMoving = code === BOUNDARY_ERRORS.INTRINSIC_FIXED && record?.state === 'ready' && this.#fleet.isTogether(record);
    this.#report(record, hook, isMoving ? `${message}. It gets a worker of its own, where it may` : message, code, stack);
    if (!isMoving) return;
    record.restarts += 1;
    this.#withdraw(record);
    record.state = 'restarting';
    this.#fleet.moveApart(record);
  }

  #report(
    record: ExtensionRecord | undefined,
    event: string,
    error: string,
    code: string | undefined,
    stack?: string,
    members: readonly string[] = [],
  ): void {
    if (record) record.errors += 1;
    const suspects = record || members.length === 0 ? '' : ` (one of: ${members.join(', ')})`;
    this.#options.onError({
      extension: record?.name ?? '',
      extensionPath: record?.spec.path ?? '',
      event,
      error: `${error}${suspects}`,
      ...(code !== undefined && { code }),
      ...(stack !== undefined && { stack }),
    });
  }

  /** Gates of one that stays away are kept: what they guarded is refused, not let through. */
  #forget(record: ExtensionRecord, state: ExtensionRecord['state']): void {
    for (const name of record.providers.keys()) this.#options.onNoProvider(record, name);
    const gates = state === 'quarantined' ? [...record.events].filter((event) => hookSpec(event).onFailure === 'block') : [];
    record.forget();
    for (const event of gates) record.events.add(event);
    this.#withdraw(record);
  }

  #withdraw(record: ExtensionRecord): void {
    this.#fleet.bridgeOf(record)?.forget(record.name);
    this.#options.dialogs.withdrawAllOf(record.name);
    this.#options.notices.forget(record.name);
  }
}
