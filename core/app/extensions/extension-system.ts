import type { Agent } from '../../agent/agent.js';
import type { AgentHooks } from '../../agent/hooks.js';
import type { ModelChoice } from '../../agent/model-choice.js';
import type { ModelSource } from '../../agent/ports.js';
import { background } from '../../base/background.js';
import { CodedError, codeOf, messageOf } from '../../base/coded-error.js';
import { settledWithin } from '../../base/deadline.js';
import type { Disposable } from '../../base/disposable.js';
import type { Logger } from '../../base/logger.js';
import type { LoadSettings } from '../../extension-host/contract/lifecycle.js';
import type { CommandState, ModelsState, PromptState, ToolState } from '../../extension-host/contract/state-values.js';
import { Dialogs } from '../../extension-host/host/dialogs.js';
import type { ExtensionRecord } from '../../extension-host/host/extension-record.js';
import { type ExtensionProblem, Extensions } from '../../extension-host/host/extensions.js';
import { Notices } from '../../extension-host/host/notices.js';
import type { ExtensionInfo, ToolInfo } from '../../protocol/commands/extensions.js';
import type { SlashCommand } from '../../protocol/commands/resources.js';
import type { Diagnostic } from '../../protocol/commands/state.js';
import type { UserContent } from '../../protocol/content.js';
import type { AgentEvent } from '../../protocol/events.js';
import type { Model, ThinkingLevel } from '../../protocol/model.js';
import type { Tool } from '../../protocol/tool.js';
import type { UiResponse } from '../../protocol/ui.js';
import type { ModelRegistry } from '../../providers/registry.js';
import type { ExtensionFile } from '../../resources/extension-files.js';
import type { ExtensionNames } from '../../resources/setting-table.js';
import type { ToolSelection } from '../../tools/registry.js';
import { bundledExtension, bundledExtensionOf, bundledProvider } from '../bundled-extensions.js';
import type { Leave, SessionHolder, SessionTransition } from '../session-holder.js';
import { ActiveTools } from './active-tools.js';
import { createAgentHooks } from './agent-hooks.js';
import { ExtensionProviders } from './extension-providers.js';
import { createExtensionServices } from './extension-services.js';
import { type ExtensionTrustSources, toSpecs } from './extension-specs.js';
import { createStateSources } from './extension-state.js';
import { EventForwarder } from './forward-events.js';
import { ModelAccess } from './model-access.js';
import { assertProviderGranted, type Deny } from './provider-grants.js';

export type UiRecord = { type: 'extension_ui_request' | 'extension_ui_cancel'; id: string } & Record<string, unknown>;

/** The parts extensions work on; they exist when the first extension can ask. */
export interface ExtensionWorld {
  agent: Agent;
  models: ModelChoice;
  session: SessionHolder;
  /** The system prompt and what it is made of. */
  prompt: () => Promise<PromptState>;
  /** Templates and skills. */
  slashCommands: () => Promise<SlashCommand[]>;
  /** What an extension lets the user say. */
  sendUser: (content: string | UserContent[], deliverAs: 'steer' | 'followUp' | undefined) => Promise<void>;
  /** Takes over what extensions found. */
  addResources: (found: { skills: string[]; prompts: string[] }) => void;
  /** Finds extensions, skills and templates anew. */
  rediscover: () => Promise<ExtensionFile[]>;
  modelsChanged: () => Promise<void>;
}

export interface ExtensionSystemOptions {
  entry: string;
  cacheDir: string;
  agentDir: string;
  cwd: string;
  sessionDir: string;
  env: NodeJS.ProcessEnv;
  version: string;
  mode: LoadSettings['mode'];
  /** Options of the command line that are not the program's own. */
  flags: LoadSettings['flags'];
  noDialogs: boolean;
  names: Readonly<Record<string, ExtensionNames>>;
  dialogTimeoutMs?: number | undefined;
  projectTrusted: () => boolean;
  trust: ExtensionTrustSources;
  builtInTools: readonly Tool[];
  toolSelection: ToolSelection;
  registry: ModelRegistry;
  source: ModelSource;
  scope: readonly { model: Model; thinkingLevel?: ThinkingLevel | undefined }[];
  idleTimeoutMs: number;
  /** Sends an event to the client; in modes without one, nowhere. */
  emit: (event: AgentEvent) => void;
  sendUi: (record: UiRecord) => void;
  report: (diagnostic: Diagnostic) => void;
  /** One line for a person. */
  warn: (text: string) => void;
  /** Somebody asked the program to end. */
  shutdown: () => void;
  log: Logger;
}

/** A `session_start` handler that waits for something keeps prompts waiting no longer than this. */
const START_HANDLERS_MS = 5_000;
/** A response waits no longer than this for handlers that hear of the change. */
const HEARING_MS = 5_000;

/** Extensions in this program: loads them, and puts everything they can reach behind their contract. */
export class ExtensionSystem implements Disposable {
  readonly extensions: Extensions;
  readonly dialogs: Dialogs;
  readonly hooks: AgentHooks;
  readonly tools: ActiveTools;
  readonly transition: SessionTransition;
  readonly #options: ExtensionSystemOptions;
  readonly #forwarder: EventForwarder;
  readonly #providers: ExtensionProviders;
  #world: ExtensionWorld | undefined;
  #ready: Promise<void> = Promise.resolve();
  #isReady = true;
  /** Told when a dialog opens. */
  readonly #waitingForPerson = new Set<() => void>();
  #files: readonly ExtensionFile[] = [];
  #runId: string | null = null;
  #runs = 0;
  /** What is cut off now is cut off by us. */
  #isClosing = false;
  /** Names of providers that are not those of extensions. */
  #ownProviders: ReadonlySet<string> = new Set();
  readonly #hearing = new Set<Promise<void>>();
  readonly #told = new Set<string>();

  constructor(options: ExtensionSystemOptions) {
    this.#options = options;
    const { entry, cacheDir, env, cwd, log, mode, sendUi } = options;
    const hasClient = mode === 'rpc';
    const asker = (name: string) => this.extensions.asker(name);
    this.dialogs = new Dialogs({
      send: sendUi,
      canAsk: hasClient && !options.noDialogs,
      timeoutMs: options.dialogTimeoutMs,
      asker,
      onDeclined: ({ name }, method, why) =>
        this.#warnOnce(`The extension ${name} asked with ctx.ui.${method}, and ${why}: it got the default answer`),
      onWaiting: (_extension, waiting) => {
        this.extensions.waiting(waiting);
        if (waiting) for (const go of this.#waitingForPerson) go();
      },
    });
    const notices = new Notices({
      send: sendUi,
      canShow: hasClient,
      asker,
      onDropped: ({ name }, count) =>
        options.warn(`${count} notices of the extension ${name} were dropped: it sends more than 50 a second`),
    });
    this.#providers = new ExtensionProviders({
      registry: options.registry,
      fallback: (name) =>
        bundledExtensionOf(name) === undefined
          ? undefined
          : bundledProvider(name, options.registry, (extension) => this.useBundled(extension)),
      stream: (record, provider, request, how) => this.extensions.streamProvider(record, provider, request, how),
    });
    const access = new ModelAccess({
      registry: options.registry,
      source: options.source,
      sessionId: () => this.world.session.id,
      idleTimeoutMs: options.idleTimeoutMs,
    });
    this.tools = new ActiveTools({
      builtIn: options.builtInTools,
      selection: options.toolSelection,
      offered: () => this.extensions.tools(),
    });
    const deny: Deny = (record, what, capability) => this.extensions.gate.deny(record, what, capability);
    const services = createExtensionServices({
      cwd,
      env,
      recordOf: (name) => this.extensions.recordOf(name),
      deny,
      agent: () => this.world.agent,
      models: () => this.world.models,
      session: () => this.world.session,
      tools: this.tools,
      access,
      sendUser: (content, deliverAs) => this.world.sendUser(content, deliverAs),
      emit: options.emit,
      onFailed: (extension, what, error) =>
        this.#problem({
          extension,
          extensionPath: this.extensions.asker(extension).path,
          event: what,
          error: messageOf(error),
        }),
      shutdown: options.shutdown,
      reload: () => this.reload(),
      setVariable: (name, value) => {
        if (value === undefined) delete env[name];
        else env[name] = value;
      },
      touch: (...topics) => this.extensions.touch(...topics),
    });
    const builtIn = new Set(options.builtInTools.map(({ name }) => name));
    this.extensions = new Extensions({
      warn: (text) => this.#warnOnce(text),
      isBuiltInTool: (name) => builtIn.has(name),
      entry,
      cacheDir,
      env,
      cwd,
      log,
      names: options.names,
      loadSettings: () => this.#loadSettings(),
      sources: createStateSources({
        session: () => this.world.session.current,
        sessionDir: options.sessionDir,
        cwd,
        agent: () => this.world.agent,
        models: () => this.world.models,
        scope: options.scope,
        runId: () => this.#runId,
        activeTools: () => this.tools.active().map(({ name }) => name),
        knownModels: () => this.#modelsState(),
        tools: () => this.#toolStates(),
        commands: () => this.#commandStates(),
        prompt: () => this.#promptState(),
      }),
      services,
      dialogs: this.dialogs,
      notices,
      onError: (problem) => this.#problem(problem),
      onDegraded: ({ name }, member) =>
        this.#warnOnce(`The extension ${name} used ${member}, which needs a terminal: it does nothing here`),
      onChanged: () => {
        this.tools.changed();
        this.extensions.touch('tools', 'commands', 'prompt', 'agent');
      },
      onProvider: (record, provider) => {
        assertProviderGranted(record, provider, this.#isOthersProvider(record, provider.name), deny);
        this.#providers.register(record, provider);
        this.extensions.touch('models');
      },
      onNoProvider: (record, name) => {
        this.#providers.unregister(record, name);
        this.extensions.touch('models');
      },
      onBack: (names) =>
        background(this.#startHandlers({ type: 'session_start', reason: 'reload' }, names), log, 'Starting extensions again'),
    });
    this.#forwarder = new EventForwarder(this.extensions);
    this.hooks = createAgentHooks({
      extensions: this.extensions,
      promptOptions: async () => (await this.#promptState()).options,
      onBadAnswer: (event, message) => this.#problem({ extension: '', extensionPath: '', event, error: message }),
    });
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

  get world(): ExtensionWorld {
    if (!this.#world) throw new Error('Extensions can be asked before there is a session only about what needs none');
    return this.#world;
  }

  get hasAny(): boolean {
    return this.#files.length > 0;
  }

  /** Starts the host process for these while the rest of the program is put together. */
  begin(files: readonly ExtensionFile[]): void {
    const shared = toSpecs(files, this.#options.trust).filter(({ level, own }) => level === 'trusted' && own === undefined);
    if (shared.length > 0) this.extensions.start(shared.map(({ path }) => path));
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
      await this.extensions.loadMore(specs.slice(-1), order);
    }
    const record = this.extensions.records.find(({ spec }) => spec.path === file.path);
    await record?.whenSettled(START_HANDLERS_MS);
    if (record?.state !== 'ready')
      throw new CodedError('EXTENSION_NOT_LOADED', `The bundled extension ${name} did not load: ${record?.reason}`);
  }

  /** Fresh instances of everything: skills and templates too. */
  async reload(): Promise<void> {
    await this.extensions.hook({ type: 'session_shutdown', reason: 'reload' });
    await this.extensions.unload();
    const bundled = this.#files.filter(({ origin }) => origin.source === 'builtin');
    const found = await this.world.rediscover();
    this.#files = [...found, ...bundled.filter(({ path }) => !found.some((file) => file.path === path))];
    this.tools.reset();
    await this.#load();
    await this.#startHandlers({ type: 'session_start', reason: 'reload' });
    await this.#discoverResources('reload');
  }

  /** An event of the agent, for those who listen. Gives a promise where the agent shall wait. */
  forward(event: AgentEvent): Promise<void> | undefined {
    if (event.type === 'agent_start' && this.#runId === null) this.#runId = String(++this.#runs);
    if (event.type === 'agent_settled' && this.#runId !== null) {
      this.extensions.runEnded(this.#runId, event.aborted === true);
      this.#runId = null;
    }
    return this.track(this.#forwarder.forward(event));
  }

  /** Called before a prompt is handed to the agent. */
  beforePrompt(): Promise<void> {
    return this.#forwarder.beforePrompt();
  }

  /** Handlers that hear of something a client did and nobody else waits for: its response comes after them. */
  track(heard: Promise<unknown> | undefined): Promise<void> | undefined {
    if (!heard) return undefined;
    const done = heard.then(
      () => undefined,
      () => undefined,
    );
    this.#hearing.add(done);
    void done.then(() => this.#hearing.delete(done));
    return done;
  }

  /** Resolves when every handler has heard what it is being told; undefined when none is. */
  heard(): Promise<void> | undefined {
    if (this.#hearing.size === 0) return undefined;
    return settledWithin(Promise.all(this.#hearing), HEARING_MS).then(() => undefined);
  }

  /** The run that is on is being aborted: `ctx.signal` fires now, not when it has ended. */
  runAborted(): void {
    if (this.#runId !== null) this.extensions.runEnded(this.#runId, true);
  }

  answerDialog(response: UiResponse): void {
    this.dialogs.answer(response);
  }

  /** A command's handler threw, or its worker ended. */
  commandFailed(extensionPath: string, name: string, error: unknown): void {
    const code = codeOf(error);
    this.#problem({
      extension: '',
      extensionPath,
      event: 'command',
      error: `/${name}: ${messageOf(error)}`,
      ...(code !== undefined && { code }),
    });
  }

  /** Of extensions, as `get_commands` lists them. */
  slashCommands(): SlashCommand[] {
    return this.extensions.commands().map(({ record: { spec }, invocation, description }) => ({
      name: invocation,
      ...(description !== undefined && { description }),
      source: 'extension' as const,
      path: spec.path,
      sourceInfo: spec.sourceInfo,
    }));
  }

  info(): ExtensionInfo[] {
    return this.extensions.records.map((record) => toInfo(record, this.extensions.fleet.describe(record)));
  }

  toolInfo(): ToolInfo[] {
    const active = new Set(this.tools.active().map(({ name }) => name));
    return this.#toolStates().map(({ name, label, description, parameters, sourceInfo }) => ({
      name,
      ...(label !== undefined && { label }),
      description,
      parameters,
      active: active.has(name),
      sourceInfo,
    }));
  }

  setActiveTools(names: readonly string[]): string[] {
    this.tools.set(names);
    this.extensions.touch('agent', 'tools');
    return this.tools.active().map(({ name }) => name);
  }

  /** The last word to extensions, then the end of their processes. */
  async close(reason: 'quit', graceMs: number): Promise<void> {
    this.dialogs.close();
    this.#isClosing = true;
    const startedAt = Date.now();
    const told = this.extensions.hook({ type: 'session_shutdown', reason });
    if (told) await settledWithin(told, graceMs);
    await this.extensions.stop(Math.max(100, graceMs - (Date.now() - startedAt)));
  }

  dispose(): Promise<void> {
    return this.extensions.dispose();
  }

  kill(): void {
    this.extensions.kill();
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
    await this.extensions.load(specs);
    for (const { kind, name, winner, loser } of this.extensions.tools().collisions) {
      this.#options.report({
        kind: 'extension',
        severity: 'warning',
        message: `The ${kind} "${name}" of ${loser.spec.path} is not used: ${winner.spec.path} has one of that name`,
        path: loser.spec.path,
      });
    }
    await this.world.modelsChanged();
    this.extensions.touch('models', 'prompt', 'commands');
  }

  /** Handlers may open a dialog and wait for a person: nobody else waits for that. */
  async #startHandlers(
    event: { type: 'session_start'; reason: string; previousSessionFile?: string },
    only?: ReadonlySet<string>,
  ): Promise<void> {
    const told = this.extensions.hook(event, undefined, only);
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
    const answer = await this.extensions.hook({ type: 'resources_discover', cwd: this.#options.cwd, reason });
    const paths = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []);
    this.world.addResources({ skills: paths(answer?.outcome.skillPaths), prompts: paths(answer?.outcome.promptPaths) });
    this.extensions.touch('prompt', 'commands');
  }

  #createTransition(): SessionTransition {
    return {
      isCalledOff: async (leave) => (await this.extensions.hook(beforeEvent(leave)))?.outcome.cancel === true,
      leaving: async (leave, targetSessionFile) => {
        const target = targetSessionFile === undefined ? {} : { targetSessionFile };
        await this.extensions.hook({ type: 'session_shutdown', reason: leave.reason, ...target });
        await this.extensions.unload();
      },
      arrived: async (leave, previousSessionFile) => {
        this.extensions.sessionReplaced();
        this.extensions.touch('session', 'agent');
        if (this.#files.length === 0) return;
        this.tools.reset();
        await this.#load();
        const previous = previousSessionFile === undefined ? {} : { previousSessionFile };
        await this.#startHandlers({ type: 'session_start', reason: leave.reason, ...previous });
        await this.#discoverResources('startup');
      },
    };
  }

  #loadSettings(): LoadSettings {
    const { cwd, mode, agentDir, version, flags, projectTrusted, noDialogs } = this.#options;
    return {
      cwd,
      mode,
      hasUI: mode === 'rpc' && !noDialogs,
      projectTrusted: projectTrusted(),
      agentDir,
      cliPath: process.argv[1] ?? '',
      version,
      flags,
    };
  }

  #toolStates(): ToolState[] {
    const owners = new Map(this.extensions.tools().tools.map(({ record, tool }) => [tool.name, record.spec.sourceInfo]));
    return this.tools.all().map((tool) => ({
      name: tool.name,
      ...(tool.label !== undefined && { label: tool.label }),
      description: tool.description,
      parameters: { ...tool.parameters },
      ...(tool.promptSnippet !== undefined && { promptSnippet: tool.promptSnippet }),
      ...(tool.promptGuidelines !== undefined && { promptGuidelines: [...tool.promptGuidelines] }),
      sourceInfo: owners.get(tool.name) ?? {
        path: `<builtin:${tool.name}>`,
        source: 'builtin',
        scope: 'temporary',
        origin: 'top-level',
      },
    }));
  }

  async #commandStates(): Promise<CommandState[]> {
    const slash = await orElse(this.world.slashCommands(), []);
    return [...this.slashCommands(), ...slash].map(({ name, description, source, path, sourceInfo }) => ({
      name,
      ...(description !== undefined && { description }),
      source,
      sourceInfo: sourceInfo ?? { path: path ?? '', source: 'local', scope: 'user', origin: 'top-level' },
    }));
  }

  /** What can't be put together now fails with the prompt that needs it, and is said there. */
  #promptState(): Promise<PromptState> {
    return orElse(this.world.prompt(), { text: '', options: {} });
  }

  async #modelsState(): Promise<ModelsState> {
    const { registry } = this.#options;
    const [all, available] = await orElse(Promise.all([registry.all(), registry.available()]), [[], []]);
    const ids = [...new Set(all.map(({ provider }) => provider))];
    const usable = new Set(available.map(({ provider }) => provider));
    return {
      all: [...all],
      available: available.map(({ provider, id }) => `${provider}/${id}`),
      providers: ids.map((id) => ({ id, name: id, configured: usable.has(id), registered: this.#providers.has(id) })),
    };
  }

  #problem({ extension, extensionPath, event, error, code }: ExtensionProblem): void {
    if (this.#isClosing && (code === 'WORKER_EXITED' || code === 'HOST_EXITED')) return;
    // Where no client reads events, the line on stderr says it. Source: FACTS, "Events".
    if (this.#options.mode === 'rpc')
      this.#options.emit({ type: 'extension_error', extensionPath, event, error, ...(code !== undefined && { code }) });
    const who = extensionPath || extension || 'an extension';
    this.#options.report({
      kind: 'extension',
      severity: 'error',
      message: `Extension ${who}: ${event}: ${error}`,
      ...(extensionPath !== '' && { path: extensionPath }),
    });
  }

  #isOthersProvider(record: ExtensionRecord, name: string): boolean {
    return !record.providers.has(name) && this.#ownProviders.has(name);
  }

  #warnOnce(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#options.warn(text);
  }
}

/** State that extensions read has no way to fail: what went wrong is told where it matters. */
function orElse<T>(found: Promise<T>, otherwise: T): Promise<T> {
  return found.catch(() => otherwise);
}

function beforeEvent(leave: Leave) {
  if (leave.kind === 'fork') return { type: 'session_before_fork', entryId: leave.entryId, position: leave.position };
  const target = leave.targetSessionFile === undefined ? {} : { targetSessionFile: leave.targetSessionFile };
  return { type: 'session_before_switch', reason: leave.reason, ...target };
}

function toInfo(
  record: ExtensionRecord,
  place: { pid: number | undefined; worker: number | undefined; shared: boolean },
): ExtensionInfo {
  const { spec, state, loadMs, reason, lastStack, restarts, errors } = record;
  return {
    name: spec.name,
    path: spec.path,
    level: spec.level,
    state,
    source: spec.sourceInfo.source,
    scope: spec.sourceInfo.scope,
    ...(place.pid !== undefined && { pid: place.pid }),
    ...(place.worker !== undefined && { worker: place.worker }),
    shared: place.shared,
    ...(loadMs !== undefined && { loadMs }),
    ...(reason !== undefined && { reason }),
    ...(lastStack !== undefined && { stack: lastStack }),
    restarts,
    errors,
    hooks: [...record.hookTimes].map(([event, times]) => ({ event, ...times })),
    tools: [...record.tools.keys()],
    commands: [...record.commands.keys()],
    flags: [...record.flags.keys()],
    providers: [...record.providers.keys()],
    ...(spec.declared && { declared: [...spec.declared] }),
    ...(spec.grants && { granted: [...spec.grants.texts], denied: deniedTo(record) }),
  };
}

/** What it was refused, and what it says it needs and is not granted. */
function deniedTo({ spec, denied }: ExtensionRecord): string[] {
  const granted = new Set(spec.grants?.texts);
  return [...new Set([...(spec.declared ?? []).filter((one) => !granted.has(one)), ...denied])];
}
