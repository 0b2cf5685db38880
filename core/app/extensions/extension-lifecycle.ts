import { background } from '../../base/background.js';
import { CodedError } from '../../base/coded-error.js';
import { settledWithin } from '../../base/deadline.js';
import type { Logger } from '../../base/logger.js';
import type { ExtensionRecord } from '../../extension-host/host/extension-record.js';
import type { Extensions } from '../../extension-host/host/extensions.js';
import type { Diagnostic } from '../../protocol/commands/state.js';
import type { ModelRegistry } from '../../providers/registry.js';
import type { ExtensionFile } from '../../resources/extension-files.js';
import { bundledExtension } from '../bundled-extensions.js';
import type { Leave, SessionTransition } from '../session-holder.js';
import type { ActiveTools } from './active-tools.js';
import { type ExtensionTrustSources, toSpecs } from './extension-specs.js';
import type { ExtensionWorld } from './extension-world.js';
import { type LateGoodbye, sayGoodbye } from './goodbye.js';

export interface ExtensionLifecycleOptions {
  extensions: Extensions;
  tools: ActiveTools;
  registry: ModelRegistry;
  trust: ExtensionTrustSources;
  cwd: string;
  report: (diagnostic: Diagnostic) => void;
  /** A shutdown handler is not waited for any longer. */
  onLate: (late: LateGoodbye) => void;
  log: Logger;
}

/** A `session_start` handler that waits for something keeps prompts waiting no longer than this. */
const START_HANDLERS_MS = 5_000;
/** Shutdown handlers of all extensions together, where the program goes on afterwards. */
const SHUTDOWN_HANDLERS_MS = 5_000;

/**
 * When instances of extensions begin and end: at the start, at a reload, when a session takes the place of another, and at the end. The
 * order is `session_before_*`, `session_shutdown`, the end of the old instances, `session_start` of the new ones, `resources_discover`.
 */
export class ExtensionLifecycle {
  readonly transition: SessionTransition;
  readonly #options: ExtensionLifecycleOptions;
  #world: ExtensionWorld | undefined;
  #files: readonly ExtensionFile[] = [];
  #ready: Promise<void> = Promise.resolve();
  #isReady = true;
  #isClosing = false;
  /** Told when a dialog opens. */
  readonly #waitingForPerson = new Set<() => void>();
  /** Names of providers that are not those of extensions. */
  #ownProviders: ReadonlySet<string> = new Set();

  constructor(options: ExtensionLifecycleOptions) {
    this.#options = options;
    this.transition = this.#createTransition();
  }

  /** False while extensions are being loaded: what they may have a say in waits. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Resolves when every extension has loaded or failed and has heard of the session. Never rejects. */
  get ready(): Promise<void> {
    return this.#ready;
  }

  /** What is cut off now is cut off by us. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  get hasAny(): boolean {
    return this.#files.length > 0;
  }

  /** There once extensions can ask. */
  get world(): ExtensionWorld {
    if (!this.#world) throw new Error('Extensions can be asked before there is a session only about what needs none');
    return this.#world;
  }

  isOthersProvider(record: ExtensionRecord, name: string): boolean {
    return !record.providers.has(name) && this.#ownProviders.has(name);
  }

  /** Starts the host process for these while the rest of the program is put together. */
  begin(files: readonly ExtensionFile[]): void {
    const shared = toSpecs(files, this.#options.trust).filter(({ level, own }) => level === 'trusted' && own === undefined);
    if (shared.length > 0) this.#options.extensions.start(shared.map(({ path }) => path));
  }

  /** Loads the extensions and tells them of the session. What waits for them waits for `ready`. */
  open(world: ExtensionWorld, files: readonly ExtensionFile[]): void {
    this.#world = world;
    this.#files = files;
    if (files.length === 0) return;
    this.#isReady = false;
    this.#ready = this.#open().finally(() => {
      this.#isReady = true;
    });
  }

  /** Loads an extension that comes with the program, unless it is there. Throws when it can't be loaded. */
  async useBundled(name: string): Promise<void> {
    const file = bundledExtension(name);
    if (!this.#files.some(({ path }) => path === file.path)) {
      this.#files = [...this.#files, file];
      const specs = toSpecs(this.#files, this.#options.trust);
      const order = specs.map((spec) => spec.name);
      await this.#options.extensions.loadMore(specs.slice(-1), order);
    }
    const record = this.#options.extensions.records.find(({ spec }) => spec.path === file.path);
    await record?.whenSettled(START_HANDLERS_MS);
    if (record?.state !== 'ready')
      throw new CodedError('EXTENSION_NOT_LOADED', `The bundled extension ${name} did not load: ${record?.reason}`);
  }

  /** Fresh instances of everything: skills and templates too. */
  async reload(): Promise<void> {
    await this.#sayGoodbye({ type: 'session_shutdown', reason: 'reload' }, SHUTDOWN_HANDLERS_MS);
    await this.#options.extensions.unload();
    const bundled = this.#files.filter(({ origin }) => origin.source === 'builtin');
    const found = await this.world.rediscover();
    this.#files = [...found, ...bundled.filter(({ path }) => !found.some((file) => file.path === path))];
    this.#options.tools.reset();
    await this.#load();
    await this.#startHandlers({ type: 'session_start', reason: 'reload' });
    await this.#discoverResources('reload');
  }

  /** The last word to extensions, then the end of their processes. */
  async close(reason: 'quit', graceMs: number): Promise<void> {
    this.#isClosing = true;
    const startedAt = Date.now();
    await this.#sayGoodbye({ type: 'session_shutdown', reason }, graceMs);
    await this.#options.extensions.stop(Math.max(100, graceMs - (Date.now() - startedAt)));
  }

  /** A dialog opened: who started them waits no longer for handlers that wait for a person. */
  waitingForPerson(): void {
    for (const go of this.#waitingForPerson) go();
  }

  /** Those that had ended run again. */
  startAgain(names: ReadonlySet<string>): void {
    const told = this.#startHandlers({ type: 'session_start', reason: 'reload' }, names);
    background(told, this.#options.log, 'Starting extensions again');
  }

  #sayGoodbye(event: { type: 'session_shutdown'; reason: string; targetSessionFile?: string }, limitMs: number): Promise<void> {
    const { extensions, onLate } = this.#options;
    return sayGoodbye(extensions, event, limitMs, onLate);
  }

  async #open(): Promise<void> {
    await this.#load();
    await this.#startHandlers({ type: 'session_start', reason: 'startup' });
    await this.#discoverResources('startup');
  }

  async #load(): Promise<void> {
    const specs = toSpecs(this.#files, this.#options.trust);
    // The whole catalogue is looked into only for those who could change it and may not.
    if (specs.some(({ grants }) => grants?.hasAny('provider')))
      this.#ownProviders = new Set((await this.#options.registry.all()).map(({ provider }) => provider));
    await this.#options.extensions.load(specs);
    for (const { kind, name, winner, loser } of this.#options.extensions.tools().collisions) {
      this.#options.report({
        kind: 'extension',
        severity: 'warning',
        message: `The ${kind} "${name}" of ${loser.spec.path} is not used: ${winner.spec.path} has one of that name`,
        path: loser.spec.path,
      });
    }
    await this.world.modelsChanged();
    this.#options.extensions.touch('models', 'prompt', 'commands');
  }

  /** Handlers may open a dialog and wait for a person: nobody else waits for that. */
  async #startHandlers(
    event: { type: 'session_start'; reason: string; previousSessionFile?: string },
    only?: ReadonlySet<string>,
  ): Promise<void> {
    const told = this.#options.extensions.hook(event, undefined, only);
    if (!told) return;
    let go = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      go = resolve;
    });
    this.#waitingForPerson.add(go);
    await settledWithin(Promise.race([told, asked]), START_HANDLERS_MS);
    this.#waitingForPerson.delete(go);
  }

  async #discoverResources(reason: 'startup' | 'reload'): Promise<void> {
    const answer = await this.#options.extensions.hook({ type: 'resources_discover', cwd: this.#options.cwd, reason });
    const paths = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);
    this.world.addResources({ skills: paths(answer?.outcome.skillPaths), prompts: paths(answer?.outcome.promptPaths) });
    this.#options.extensions.touch('prompt', 'commands');
  }

  #createTransition(): SessionTransition {
    return {
      isCalledOff: async (leave) => (await this.#options.extensions.hook(beforeEvent(leave)))?.outcome.cancel === true,
      leaving: async (leave, targetSessionFile) => {
        const target = targetSessionFile === undefined ? {} : { targetSessionFile };
        await this.#sayGoodbye({ type: 'session_shutdown', reason: leave.reason, ...target }, SHUTDOWN_HANDLERS_MS);
        await this.#options.extensions.unload();
      },
      arrived: async (leave, previousSessionFile) => {
        this.#options.extensions.sessionReplaced();
        this.#options.extensions.touch('session', 'agent');
        if (this.#files.length === 0) return;
        this.#options.tools.reset();
        await this.#load();
        const previous = previousSessionFile === undefined ? {} : { previousSessionFile };
        await this.#startHandlers({ type: 'session_start', reason: leave.reason, ...previous });
        await this.#discoverResources('startup');
      },
    };
  }
}

function beforeEvent(leave: Leave) {
  if (leave.kind === 'fork') return { type: 'session_before_fork', entryId: leave.entryId, position: leave.position };
  const target = leave.targetSessionFile === undefined ? {} : { targetSessionFile: leave.targetSessionFile };
  return { type: 'session_before_switch', reason: leave.reason, ...target };
}
