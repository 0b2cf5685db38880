import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { Agent } from '../../../agent/agent.js';
import { ModelChoice } from '../../../agent/model-choice.js';
import type { ModelSource } from '../../../agent/ports.js';
import { messageOf } from '../../../base/coded-error.js';
import { createLogger } from '../../../base/logger.js';
import type { AgentEvent } from '../../../protocol/events.js';
import type { Model, ThinkingLevel } from '../../../protocol/model.js';
import { clampLevel, levelsOf } from '../../../providers/thinking.js';
import { toModelMessages } from '../../../session/to-model-messages.js';
import { prepareArguments } from '../../../tools/arguments.js';
import { createRunShell } from '../../../tools/shell.js';
import type { AgentSession } from './agent-session.js';
import { createEventBus, type EventBus } from './event-bus.js';
import { InlineExtensions } from './inline-extensions.js';
import type { ModelRegistry } from './model-registry.js';
import type { ModelRuntime } from './model-runtime.js';
import type { ResourceLoader } from './resource-loader.js';
import { SessionEvents } from './session-events.js';
import { sessionLogOf } from './session-log.js';
import type { SessionManager } from './session-manager.js';
import type { AgentSessionParts } from './session-parts.js';
import { systemPromptOf } from './session-prompt.js';
import { SessionTools } from './session-tools.js';
import type { SettingsManager } from './settings-manager.js';
import type { AgentTool, ToolDefinition, ToolSessionContext } from './tool-shape.js';

export interface BuildOptions {
  cwd: string;
  settings: SettingsManager;
  runtime: ModelRuntime;
  registry: ModelRegistry;
  manager: SessionManager;
  loader: ResourceLoader;
  wire: AgentSessionParts['wire'];
  model: Model | undefined;
  level: ThinkingLevel | undefined;
  scopedModels?: AgentSessionParts['scopedModels'];
  tools?: readonly (string | AgentTool)[];
  noTools?: 'all' | 'builtin';
  excludeTools?: readonly string[];
  customTools?: readonly (ToolDefinition | AgentTool)[];
  systemPrompt?: string;
  makeSession: (parts: AgentSessionParts) => AgentSession;
}

/** Puts a session together from the program's own parts. Loaded when the first one is made. */
export async function buildSession(
  options: BuildOptions,
): Promise<{ session: AgentSession; errors: { path: string; error: string }[] }> {
  const { cwd, settings, runtime, registry, manager, loader, wire, scopedModels = [] } = options;
  const emit = (event: AgentEvent): void | Promise<void> => wire.emit(event);
  const log = sessionLogOf(manager);
  const source = sourceOf(runtime);
  const models = new ModelChoice({
    source,
    thinking: { levelsOf, clamp: clampLevel },
    ...(scopedModels.length > 0 ? { scope: scopedModels } : {}),
    append: (entry) => void log.append(entry),
    emit: (event) => void emit(event),
  });
  const overrides: AgentSessionParts['overrides'] =
    options.systemPrompt === undefined ? {} : { systemPrompt: options.systemPrompt };
  let session: AgentSession | undefined;
  const extensions: InlineExtensions = new InlineExtensions({
    events: busOf(loader),
    actions: actionsOf(() => session, manager),
    context: () => contextOf(session, { cwd, manager, registry, models, agent }),
    onError: (extension, event, error) =>
      console.error(`<inline:${extension}> failed in ${event}, in a session within an extension: ${messageOf(error)}`),
  });
  const given = options.tools ?? undefined;
  const names = given?.map((tool) => (typeof tool === 'string' ? tool : tool.name));
  const tools: SessionTools = new SessionTools({
    cwd,
    shellPath: settings.getShellPath(),
    commandPrefix: settings.getShellCommandPrefix(),
    context: () => contextOf(session, { cwd, manager, registry, models, agent }),
    selection: {
      tools: names,
      excludeTools: options.excludeTools,
      noTools: options.noTools === 'all',
      noBuiltinTools: options.noTools === 'builtin',
    },
  });
  const retry = settings.getRetrySettings();
  const { enabled, ...compactionSettings } = settings.getCompactionSettings();
  const compaction = { enabled };
  const agent: Agent = new Agent({
    session: () => log,
    models,
    source,
    parts: {
      tools: () => tools.active,
      systemPrompt: async () => overrides.systemPrompt ?? systemPromptOf(loader, tools.active, cwd),
    },
    toModelMessages,
    prepareArguments,
    runShell: createRunShell(tools.shell, tmpdir()),
    cwd,
    settings: {
      steeringMode: settings.getSteeringMode(),
      followUpMode: settings.getFollowUpMode(),
      retry: { ...retry, maxDelayMs: settings.getProviderRetrySettings().maxRetryDelayMs || Number.POSITIVE_INFINITY },
      thinkingBudgets: settings.getThinkingBudgets() ?? {},
      streamIdleTimeoutMs: settings.getHttpIdleTimeoutMs(),
      compaction: compactionSettings,
    },
    autoCompaction: () => compaction.enabled,
    hooks: extensions.hooks(),
    emit,
    log: createLogger({ room: 'sub-session', level: 'warn', write: (line) => void process.stderr.write(line) }),
  });
  const errors = await extensions.load(loader.getExtensions().extensions);
  for (const tool of extensions.tools.values()) tools.add(tool);
  for (const tool of given ?? []) if (typeof tool !== 'string') tools.add(tool);
  for (const tool of options.customTools ?? []) tools.add(tool);
  settleModel(options, manager, models);
  const events = new SessionEvents(() => models.model);
  session = options.makeSession({
    cwd,
    agent,
    models,
    runtime,
    scopedModels,
    manager,
    settings,
    loader,
    tools,
    extensions,
    events,
    wire,
    overrides,
    compaction,
  });
  await extensions.tell({ type: 'session_start' });
  return { session, errors };
}

/** Puts model and level in force, and records them where the session does not have them yet. */
function settleModel({ model, level }: BuildOptions, manager: SessionManager, models: ModelChoice): void {
  models.restore(model, level);
  const recorded = manager.buildSessionContext().model;
  if (model && (recorded?.provider !== model.provider || recorded.modelId !== model.id))
    manager.appendModelChange(model.provider, model.id);
  const last = manager.getBranch().findLast(({ type }) => type === 'thinking_level_change');
  if (last?.thinkingLevel !== models.thinkingLevel) manager.appendThinkingLevelChange(models.thinkingLevel);
}

function sourceOf(runtime: ModelRuntime): ModelSource {
  return {
    available: () => runtime.getAvailable(),
    find: async (provider, id) => (await runtime.getAvailable(provider)).find((model) => model.id === id),
    credentials: (model) => runtime.credentials(model),
    streamOf: (model) => runtime.streamOf(model),
  };
}

function busOf(loader: ResourceLoader): EventBus {
  const { eventBus } = loader as { eventBus?: EventBus }; // loaders of others need not have one
  return eventBus ?? createEventBus();
}

interface Around {
  cwd: string;
  manager: SessionManager;
  registry: ModelRegistry;
  models: ModelChoice;
  agent: Agent;
}

/** What handlers and tools of the session get: a `ctx` without a user. Source: extensions document, "ExtensionContext". */
function contextOf(session: AgentSession | undefined, around: Around): ToolSessionContext & Record<string, unknown> {
  const { cwd, manager, registry, models, agent } = around;
  return {
    cwd,
    mode: 'print',
    hasUI: false,
    sessionManager: manager,
    modelRegistry: registry,
    model: models.model,
    thinkingLevel: models.thinkingLevel,
    scopedModels: session?.scopedModels ?? [],
    signal: agent.signal,
    isIdle: () => agent.isIdle,
    hasPendingMessages: () => agent.queues.size > 0,
    abort: () => void agent.abort(),
    shutdown: () => undefined,
    isProjectTrusted: () => session?.settingsManager.isProjectTrusted() ?? true,
    getContextUsage: () => session?.getContextUsage(),
    getSystemPrompt: () => session?.systemPrompt ?? '',
    compact: () => void session?.compact().catch((error: unknown) => console.error(messageOf(error))),
    ui: NO_UI,
  };
}

const nothing = (): undefined => undefined;
const NO_UI = {
  select: async () => undefined,
  confirm: async () => false,
  input: async () => undefined,
  editor: async () => undefined,
  custom: async () => undefined,
  notify: nothing,
  setStatus: nothing,
  setWidget: nothing,
  setTitle: nothing,
  setEditorText: nothing,
  getEditorText: () => '',
};

/** Members of `pi` that act on the session; they can be used once it has begun. */
function actionsOf(get: () => AgentSession | undefined, manager: SessionManager): Record<string, unknown> {
  const session = (): AgentSession => {
    const found = get();
    if (!found) throw new Error('Extension runtime not initialized: the session has not begun yet');
    return found;
  };
  const background = (work: Promise<unknown>): void =>
    void work.catch((error: unknown) => console.error(`In a session within an extension: ${messageOf(error)}`));
  return {
    sendMessage: (...args: Parameters<AgentSession['sendCustomMessage']>) => background(session().sendCustomMessage(...args)),
    sendUserMessage: (...args: Parameters<AgentSession['sendUserMessage']>) => background(session().sendUserMessage(...args)),
    appendEntry: (customType: string, data?: unknown) => void (session() && manager.appendCustomEntry(customType, data)),
    setLabel: (id: string, label?: string) => void (session() && manager.appendLabelChange(id, label)),
    setSessionName: (name: string) => session().setSessionName(name),
    getSessionName: () => session().sessionName,
    getActiveTools: () => session().getActiveToolNames(),
    setActiveTools: (names: string[]) => session().setActiveToolsByName(names),
    getAllTools: () => session().getAllTools(),
    getCommands: () => [],
    getThinkingLevel: () => session().thinkingLevel,
    setThinkingLevel: (level: ThinkingLevel) => session().setThinkingLevel(level),
    setModel: (model: Model) =>
      session()
        .setModel(model)
        .then(
          () => true,
          () => false,
        ),
    exec: (command: string, args: readonly string[] = [], how: { cwd?: string; timeout?: number; signal?: AbortSignal } = {}) =>
      runProgram(command, args, { cwd: manager.getCwd(), ...how }),
  };
}

/** Source: extensions document, "pi.exec"; a missing program has code 1, as observed, 0.84.0. */
async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, timeout, signal }: { cwd: string; timeout?: number; signal?: AbortSignal },
): Promise<{ stdout: string; stderr: string; code: number; killed: boolean }> {
  return new Promise((resolve) => {
    const how = { cwd, maxBuffer: 64 << 20, ...(timeout === undefined ? {} : { timeout }), ...(signal ? { signal } : {}) };
    execFile(command, [...args], how, (error, stdout, stderr) => {
      const killed = error?.killed === true || error?.name === 'AbortError';
      resolve({ stdout, stderr, code: killed ? 0 : typeof error?.code === 'number' ? error.code : error ? 1 : 0, killed });
    });
  });
}
