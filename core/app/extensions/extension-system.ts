import type { AgentHooks } from '../../agent/hooks.js';
import type { ModelSource } from '../../agent/ports.js';
import { codeOf, messageOf } from '../../base/coded-error.js';
import { settledWithin } from '../../base/deadline.js';
import type { Disposable } from '../../base/disposable.js';
import type { Logger } from '../../base/logger.js';
import { redact } from '../../base/secrets.js';
import type { LoadSettings } from '../../extension-host/contract/lifecycle.js';
import { Dialogs } from '../../extension-host/host/dialogs.js';
import { type ExtensionProblem, Extensions } from '../../extension-host/host/extensions.js';
import { Notices } from '../../extension-host/host/notices.js';
import type { Diagnostic } from '../../protocol/commands/state.js';
import type { AgentEvent } from '../../protocol/events.js';
import type { Model, ThinkingLevel } from '../../protocol/model.js';
import type { Tool } from '../../protocol/tool.js';
import type { UiResponse } from '../../protocol/ui.js';
import type { ModelRegistry } from '../../providers/registry.js';
import type { ExtensionNames } from '../../resources/setting-table.js';
import type { ToolSelection } from '../../tools/registry.js';
import { bundledExtensionOf, bundledProvider } from '../bundled-extensions.js';
import { ActiveTools } from './active-tools.js';
import { createAgentHooks } from './agent-hooks.js';
import { ExtensionLifecycle } from './extension-lifecycle.js';
import { ExtensionLists } from './extension-lists.js';
import { ExtensionProviders } from './extension-providers.js';
import { createExtensionServices } from './extension-services.js';
import type { ExtensionTrustSources } from './extension-specs.js';
import { createStateSources } from './extension-state.js';
import { EventForwarder } from './forward-events.js';
import { ModelAccess } from './model-access.js';
import { assertProviderGranted, type Deny } from './provider-grants.js';

export type UiRecord = { type: 'extension_ui_request' | 'extension_ui_cancel'; id: string } & Record<string, unknown>;

export interface ExtensionSystemOptions {
  entry: string;
  cacheDir: string;
  agentDir: string;
  cwd: string;
  sessionDir: string;
  env: NodeJS.ProcessEnv;
  version: string;
  /** What an extension starts to have a `pi` of its own. */
  cliPath: string;
  mode: LoadSettings['mode'];
  /** Options of the command line that are not the program's own. */
  flags: LoadSettings['flags'];
  noDialogs: boolean;
  names: Readonly<Record<string, ExtensionNames>>;
  dialogTimeoutMs?: number | undefined;
  projectTrusted: () => boolean;
  trust: ExtensionTrustSources;
  builtInTools: readonly Tool[];
  /** Of whoever embeds the program: there as those of extensions are, and not to be taken over by them. */
  hostTools: readonly Tool[];
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

/** A response waits no longer than this for handlers that hear of the change. */
const HEARING_MS = 5_000;

/** Extensions in this program: loads them, and puts everything they can reach behind their contract. */
export class ExtensionSystem implements Disposable {
  readonly extensions: Extensions;
  readonly dialogs: Dialogs;
  readonly hooks: AgentHooks;
  readonly tools: ActiveTools;
  readonly lists: ExtensionLists;
  readonly lifecycle: ExtensionLifecycle;
  readonly #options: ExtensionSystemOptions;
  readonly #forwarder: EventForwarder;
  readonly #providers: ExtensionProviders;
  #runId: string | null = null;
  #runs = 0;
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
        if (waiting) this.lifecycle.waitingForPerson();
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
          : bundledProvider(name, options.registry, (extension) => this.lifecycle.useBundled(extension)),
      stream: (record, provider, request, how) => this.extensions.streamProvider(record, provider, request, how),
    });
    const access = new ModelAccess({
      registry: options.registry,
      source: options.source,
      sessionId: () => this.lifecycle.world.session.id,
      idleTimeoutMs: options.idleTimeoutMs,
    });
    this.tools = new ActiveTools({
      builtIn: options.builtInTools,
      host: options.hostTools,
      selection: options.toolSelection,
      offered: () => this.extensions.tools(),
    });
    const deny: Deny = (record, what, capability) => this.extensions.gate.deny(record, what, capability);
    const services = createExtensionServices({
      cwd,
      env,
      recordOf: (name) => this.extensions.recordOf(name),
      deny,
      agent: () => this.lifecycle.world.agent,
      models: () => this.lifecycle.world.models,
      session: () => this.lifecycle.world.session,
      tools: this.tools,
      access,
      sendUser: (content, deliverAs) => this.lifecycle.world.sendUser(content, deliverAs),
      emit: options.emit,
      onFailed: (extension, what, error) =>
        this.#problem({
          extension,
          extensionPath: this.extensions.asker(extension).path,
          event: what,
          error: messageOf(error),
        }),
      shutdown: options.shutdown,
      reload: () => this.lifecycle.reload(),
      setVariable: (name, value) => {
        if (value === undefined) delete env[name];
        else env[name] = value;
      },
      touch: (...topics) => this.extensions.touch(...topics),
    });
    const builtIn = new Set([...options.builtInTools, ...options.hostTools].map(({ name }) => name));
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
        session: () => this.lifecycle.world.session.current,
        sessionDir: options.sessionDir,
        cwd,
        agent: () => this.lifecycle.world.agent,
        models: () => this.lifecycle.world.models,
        scope: options.scope,
        runId: () => this.#runId,
        activeTools: () => this.tools.active().map(({ name }) => name),
        knownModels: () => this.lists.modelsState(),
        tools: () => this.lists.toolStates(),
        commands: () => this.lists.commandStates(),
        prompt: () => this.lists.promptState(),
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
        assertProviderGranted(record, provider, this.lifecycle.isOthersProvider(record, provider.name), deny);
        this.#providers.register(record, provider);
        this.extensions.touch('models');
      },
      onNoProvider: (record, name) => {
        this.#providers.unregister(record, name);
        this.extensions.touch('models');
      },
      onBack: (names) => this.lifecycle.startAgain(names),
    });
    this.lists = new ExtensionLists({
      extensions: this.extensions,
      tools: this.tools,
      registry: options.registry,
      isOfExtension: (provider) => this.#providers.has(provider),
      world: () => this.lifecycle.world,
    });
    this.lifecycle = new ExtensionLifecycle({
      extensions: this.extensions,
      tools: this.tools,
      registry: options.registry,
      trust: options.trust,
      cwd,
      report: options.report,
      onLate: ({ record, waitedMs }) =>
        this.#problem({
          extension: record.name,
          extensionPath: record.spec.path,
          event: 'session_shutdown',
          error: `Its handler was not done after ${waitedMs} ms and is not waited for`,
          code: 'DEADLINE_EXCEEDED',
        }),
      log,
    });
    this.#forwarder = new EventForwarder(this.extensions);
    this.hooks = createAgentHooks({
      extensions: this.extensions,
      promptOptions: async () => (await this.lists.promptState()).options,
      onBadAnswer: (event, message) => this.#problem({ extension: '', extensionPath: '', event, error: message }),
    });
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

  setActiveTools(names: readonly string[]): string[] {
    this.tools.set(names);
    this.extensions.touch('agent', 'tools');
    return this.tools.active().map(({ name }) => name);
  }

  /** The last word to extensions, then the end of their processes. */
  close(reason: 'quit', graceMs: number): Promise<void> {
    this.dialogs.close();
    return this.lifecycle.close(reason, graceMs);
  }

  dispose(): Promise<void> {
    return this.extensions.dispose();
  }

  kill(): void {
    this.extensions.kill();
  }

  #loadSettings(): LoadSettings {
    const { cwd, mode, agentDir, version, flags, projectTrusted, noDialogs } = this.#options;
    return {
      cwd,
      mode,
      hasUI: mode === 'rpc' && !noDialogs,
      projectTrusted: projectTrusted(),
      agentDir,
      cliPath: this.#options.cliPath,
      version,
      flags,
    };
  }

  #problem({ extension, extensionPath, event, error, code }: ExtensionProblem): void {
    if (this.lifecycle.isClosing && (code === 'WORKER_EXITED' || code === 'HOST_EXITED')) return;
    // Where no client reads events, the line on stderr says it. Source: FACTS, "Events".
    if (this.#options.mode === 'rpc')
      this.#options.emit({
        type: 'extension_error',
        extensionPath,
        event,
        error: redact(error),
        ...(code !== undefined && { code }),
      });
    const who = extensionPath || extension || 'an extension';
    this.#options.report({
      kind: 'extension',
      severity: 'error',
      message: `Extension ${who}: ${event}: ${error}`,
      ...(extensionPath !== '' && { path: extensionPath }),
    });
  }

  #warnOnce(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#options.warn(text);
  }
}
