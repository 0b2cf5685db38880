import os from 'node:os';
import { Agent } from '../agent/agent.js';
import { ModelChoice } from '../agent/model-choice.js';
import type { Emit, ModelSource, RequestParts } from '../agent/ports.js';
import { messageOf } from '../base/coded-error.js';
import type { Logger } from '../base/logger.js';
import type { ParsedOptions } from '../modes/cli/option-table.js';
import type { UnknownOption } from '../modes/cli/parse-arguments.js';
import type { Diagnostic } from '../protocol/commands/state.js';
import type { AgentEvent } from '../protocol/events.js';
import type { Model, ThinkingLevel } from '../protocol/model.js';
import type { Tool } from '../protocol/tool.js';
import { createModelRegistry, type ModelRegistry } from '../providers/registry.js';
import { BUILT_IN_APIS, modelStreamFor } from '../providers/streams.js';
import { clampLevel, levelsOf } from '../providers/thinking.js';
import { agentDir as agentDirOf } from '../resources/agent-dir.js';
import type { ExtensionFile } from '../resources/extension-files.js';
import type { ResourceLoader } from '../resources/resource-loader.js';
import { type LoadedSettings, settingsPath } from '../resources/settings.js';
import { createSettingsWriter } from '../resources/settings-writer.js';
import { sessionDirFor } from '../session/locate.js';
import { createSessionLock } from '../session/lock.js';
import type { Session } from '../session/session.js';
import { toModelMessages } from '../session/to-model-messages.js';
import { prepareArguments } from '../tools/arguments.js';
import { createBuiltInTools } from '../tools/registry.js';
import { createRunShell, ShellRunner } from '../tools/shell.js';
import { bundledExtension, bundledExtensionOf, registerBundledProviders } from './bundled-extensions.js';
import type { ModelFlags } from './choose-model.js';
import { ExtensionSystem, type UiRecord } from './extensions/extension-system.js';
import { Prompting } from './extensions/prompting.js';
import { navigateTree } from './navigate.js';
import { openFirstSession } from './open-session.js';
import { Problems } from './problems.js';
import { PromptParts } from './prompt-parts.js';
import { applyProxySetting } from './proxy-setting.js';
import { withRequestLimit } from './request-limit.js';
import { sessionDiagnostics, sessionWarnings } from './session-diagnostics.js';
import { SessionHolder } from './session-holder.js';
import { ModelSettler } from './settle-model.js';
import { lookAround } from './surroundings.js';

export interface ComposeOptions {
  options: ParsedOptions;
  env: NodeJS.ProcessEnv;
  cwd: string;
  emit: (event: AgentEvent) => void;
  mode: 'rpc' | 'json' | 'print';
  version: string;
  /** The program itself, where this process is another; default: what was started. */
  cliPath?: string;
  /** Options that are not the program's own: an extension may have them. */
  unknown: readonly UnknownOption[];
  /** Sends what extensions ask and show; left out where nobody listens. */
  sendUi?: (record: UiRecord) => void;
  /** Tools of whoever embeds the program, beside its own. */
  tools?: readonly Tool[];
  /** An extension asked the program to end. */
  shutdown: () => void;
  /** Called before a session is closed for another: whoever still reads from it reads the rest now. */
  beforeSessionGoes?: () => void;
  log: Logger;
  /** One line for a person. */
  warn: (text: string) => void;
}

/** Everything concrete, put together. The caller disposes it. */
export interface App {
  agent: Agent;
  models: ModelChoice;
  registry: ModelRegistry;
  source: ModelSource;
  session: SessionHolder;
  settings: LoadedSettings['settings'];
  autoCompaction: { readonly enabled: boolean; set(enabled: boolean): Promise<void> };
  /** Skills and prompt templates. */
  slash: ResourceLoader;
  extensions: ExtensionSystem;
  prompting: Prompting;
  /** False while extensions may still offer the model that was asked for. */
  isModelSettled: () => boolean;
  /** Remembers a setting in the global file; a problem is reported, not thrown. */
  remember(key: string, value: string | boolean): Promise<void>;
  /** Every problem found in settings, models, resources and sessions; reads the resources if nothing has needed them yet. */
  diagnostics(): Promise<readonly Diagnostic[]>;
  /** Those of tools. */
  killChildren(): void;
  killAll(): void;
  dispose(): Promise<void>;
}

/** The registry alone, for what needs no session: `--list-models`. */
export function openRegistry(
  env: NodeJS.ProcessEnv,
  cwd: string,
  onDiagnostic: (diagnostic: Diagnostic) => void,
  useBundled: (extension: string) => Promise<void> = () => Promise.reject(new Error('No request is made here')),
): ModelRegistry {
  const registry = createModelRegistry({ agentDir: agentDirOf(env, cwd), env, knownApis: () => BUILT_IN_APIS, onDiagnostic });
  registerBundledProviders(registry, useBundled);
  return registry;
}

export async function compose(given: ComposeOptions): Promise<App> {
  const { options, env, cwd, beforeSessionGoes, log, warn } = given;
  const problems = new Problems(warn);
  const report = (problem: Diagnostic): void => problems.report(problem);
  const surroundings = await lookAround({ options, env, cwd, mode: given.mode, version: given.version, problems, log, warn });
  const { agentDir, projectTrusted, loaded } = surroundings;
  const { settings } = loaded;
  applyProxySetting(settings.httpProxy, env);
  const registry = openRegistry(env, cwd, report, (name) => extensions.lifecycle.useBundled(name));
  const extensionFiles = await surroundings.findExtensions();
  const sessionDir = sessionDirFor({ agentDir, cwd, flag: options.sessionDir, env, setting: settings.sessionDir });
  const lock = createSessionLock({
    warn: (message, path) => report({ kind: 'session', severity: 'warning', message, path }),
  });
  const first = openFirstSession({ options, cwd, agentDir, sessionDir, lock, warn });
  const reportSession = (session: Session): void => {
    for (const problem of sessionDiagnostics(session)) if (!problems.has(problem)) problems.all.push(problem);
    for (const text of sessionWarnings(session)) warn(text);
  };
  reportSession(first);

  const shell = new ShellRunner({ cwd, env, shellPath: settings.shellPath, commandPrefix: settings.shellCommandPrefix });
  const tmpDir = env.TMPDIR ?? os.tmpdir();
  const source: ModelSource = {
    available: () => registry.available(),
    find: (provider, id) => registry.find(provider, id),
    credentials: (model) => registry.credentials(model),
    streamOf: (model) => {
      const stream = registry.streamOf(model) ?? modelStreamFor(model.api);
      return stream && withRequestLimit(stream, settings.retry.provider.timeoutMs);
    },
  };
  const emit: Emit = (event) => {
    given.emit(event);
    return extensions.forward(event);
  };
  const scope = await scopeOf(registry, options.models ?? settings.enabledModels, warn);
  const models = new ModelChoice({
    source,
    thinking: { levelsOf, clamp: clampLevel },
    scope,
    append: (entry) => session.current.append(entry),
    emit,
    onChange: (change) => {
      extensions.extensions.touch('agent', 'session');
      void extensions.track(extensions.extensions.hook(change));
    },
  });
  const extensions = new ExtensionSystem({
    ...surroundings.host,
    agentDir,
    cwd,
    sessionDir,
    env,
    version: given.version,
    cliPath: given.cliPath ?? process.argv[1] ?? '',
    mode: given.mode,
    flags: given.unknown.map(({ name, value, next }) => ({
      name,
      ...((value ?? next) !== undefined && { value: value ?? next }),
    })),
    noDialogs: options.noDialogs,
    names: settings.extensionNames,
    dialogTimeoutMs: settings.dialogTimeoutMs,
    projectTrusted: () => projectTrusted,
    trust: surroundings.extensionTrust,
    builtInTools: createBuiltInTools({
      cwd,
      env,
      tmpDir,
      shell,
      sessionEnv: () => sessionVariables(session.current, models.model, models.thinkingLevel),
    }),
    hostTools: given.tools ?? [],
    toolSelection: options,
    registry,
    source,
    scope: scope ?? [],
    idleTimeoutMs: settings.streamIdleTimeoutMs,
    emit: given.emit,
    sendUi: given.sendUi ?? (() => undefined),
    report,
    warn,
    shutdown: given.shutdown,
    log: log.child('extensions'),
  });
  extensions.lifecycle.begin(extensionFiles);
  const tools = () => extensions.tools.active();
  const prompt = new PromptParts({ options, surroundings, tools, problems, warn });
  const { slash } = prompt;
  const parts: RequestParts = { tools, systemPrompt: async () => (await prompt.systemPrompt()).text };
  const agent = new Agent({
    session: () => session.current,
    models,
    source,
    parts,
    toModelMessages: settings.images.blockImages
      ? (messages, model) => toModelMessages(messages, { ...model, input: model.input.filter((kind) => kind !== 'image') })
      : toModelMessages,
    prepareArguments,
    runShell: createRunShell(shell, tmpDir),
    settings: {
      steeringMode: settings.steeringMode,
      followUpMode: settings.followUpMode,
      retry: {
        enabled: settings.retry.enabled,
        maxRetries: settings.retry.maxRetries,
        baseDelayMs: settings.retry.baseDelayMs,
        maxDelayMs: settings.retry.provider.maxRetryDelayMs || Number.POSITIVE_INFINITY,
      },
      thinkingBudgets: settings.thinkingBudgets,
      streamIdleTimeoutMs: settings.streamIdleTimeoutMs,
      compaction: { reserveTokens: settings.compaction.reserveTokens, keepRecentTokens: settings.compaction.keepRecentTokens },
    },
    autoCompaction: () => autoCompaction.enabled,
    budget: { maxTurns: options.maxTurns, maxCost: options.maxCost },
    hooks: extensions.hooks,
    cwd,
    emit,
    log: log.child('agent'),
  });
  const flags: ModelFlags = { provider: options.provider, model: options.model, thinking: options.thinking };
  const settler = new ModelSettler({ registry, settings, flags, models, warn });
  const session: SessionHolder = new SessionHolder({
    first,
    cwd,
    sessionDir: options.noSession ? undefined : sessionDir,
    lock,
    stopRun: async () => {
      agent.queues.clear();
      await agent.abort();
    },
    listDir: sessionDir,
    navigate: (current, entryId, how) => {
      const window = models.model?.contextWindow ?? 0;
      const maxTokens = Math.max(1000, window - settings.branchSummary.reserveTokens);
      return navigateTree({ agent, session: current, hooks: extensions.hooks, emit, maxTokens }, entryId, how);
    },
    beforeReplaced: () => beforeSessionGoes?.(),
    onReplaced: (next) => {
      reportSession(next);
      return settler.settle(next);
    },
    transition: extensions.lifecycle.transition,
    renderTool: (name, call) => extensions.extensions.renderTool(name, call),
    onEntry: (line) => extensions.extensions.entryAppended(line),
    emit,
  });
  await settler.settle(first, extensionFiles.length > 0);
  if (extensionFiles.length === 0) await registry.reportUnknownApis();
  /** The chosen model is one of an extension of ours: it is loaded with the others. */
  const bundledInUse = (): ExtensionFile[] => {
    const name = models.model && bundledExtensionOf(models.model.provider);
    return name === undefined ? [] : [bundledExtension(name)];
  };
  extensions.lifecycle.open(
    {
      agent,
      models,
      session,
      prompt: () => prompt.systemPrompt(),
      slashCommands: () => slash.slashCommands(),
      sendUser: (content, deliverAs) => prompting.sendUser(content, deliverAs),
      addResources: (found) => slash.setMore(found),
      rediscover: () => {
        prompt.invalidate();
        return surroundings.findExtensions();
      },
      modelsChanged: async () => {
        await settler.finish();
        await registry.reportUnknownApis();
      },
    },
    [...extensionFiles, ...bundledInUse()],
  );
  const prompting = new Prompting({
    agent,
    extensions: () => (extensions.lifecycle.hasAny ? extensions.extensions : undefined),
    expand: (text) => slash.expand(text),
    beforePrompt: () => extensions.beforePrompt(),
    onCommandFailed: (path, name, error) => extensions.commandFailed(path, name, error),
  });
  if (options.apiKey !== undefined && models.model) registry.setApiKey(models.model.provider, options.apiKey);
  const writer = createSettingsWriter(settingsPath(agentDir));
  const remember: App['remember'] = async (key, value) => {
    const written = await writer.update(key, value);
    if (!written.ok) report(written.diagnostic);
  };
  const autoCompaction = autoCompactionOf(settings.compaction.enabled, remember);
  return {
    agent,
    models,
    registry,
    source,
    session,
    settings,
    autoCompaction,
    slash,
    extensions,
    prompting,
    isModelSettled: () => !settler.isOpen,
    remember,
    async diagnostics() {
      const unreadable: Diagnostic[] = [];
      await prompt.resources().catch((error: unknown) => {
        unreadable.push({ kind: 'context', severity: 'error', message: messageOf(error) });
      });
      return [...(await slash.diagnostics()), ...problems.all, ...unreadable];
    },
    killChildren: () => shell.killAll(),
    killAll: () => {
      shell.killAll();
      extensions.kill();
    },
    async dispose() {
      await extensions.dispose();
      await shell.dispose();
      session.dispose();
    },
  };
}

async function scopeOf(
  registry: ModelRegistry,
  patterns: readonly string[] | undefined,
  warn: (text: string) => void,
): Promise<{ model: Model; thinkingLevel?: ThinkingLevel | undefined }[] | undefined> {
  if (patterns === undefined || patterns.length === 0) return undefined;
  const { models, warnings } = await registry.resolveScope(patterns);
  for (const text of warnings) warn(text);
  return models.length > 0 ? models : undefined;
}

/** What commands learn of the session they run in. Source: environment-variables document. */
function sessionVariables(session: Session, model: Model | undefined, level: ThinkingLevel): Record<string, string> {
  return {
    PI_SESSION_ID: session.id,
    ...(session.file === undefined ? {} : { PI_SESSION_FILE: session.file }),
    ...(model ? { PI_PROVIDER: model.provider, PI_MODEL: model.id } : {}),
    PI_REASONING_LEVEL: level,
  };
}

function autoCompactionOf(initial: boolean, remember: App['remember']): App['autoCompaction'] {
  let enabled = initial;
  return {
    get enabled() {
      return enabled;
    },
    set(value) {
      enabled = value;
      return remember('compaction.enabled', value);
    },
  };
}
