import { resolve } from 'node:path';
import { messageOf } from '../../../base/coded-error.js';
import type { AgentEvent } from '../../../protocol/events.js';
import type { Model, ThinkingLevel } from '../../../protocol/model.js';
import { expandHome, homeDir } from '../../../resources/agent-dir.js';
import { AgentSession } from './agent-session.js';
import { getAgentDir } from './host.js';
import { ModelRegistry } from './model-registry.js';
import { ModelRuntime } from './model-runtime.js';
import { DefaultResourceLoader, type LoadedExtensions, type ResourceLoader } from './resource-loader.js';
import { SessionManager } from './session-manager.js';
import { SettingsManager } from './settings-manager.js';
import type { AgentTool, ToolDefinition } from './tool-shape.js';

export interface CreateAgentSessionOptions {
  cwd?: string;
  agentDir?: string;
  model?: Model;
  thinkingLevel?: ThinkingLevel;
  scopedModels?: readonly { model: Model; thinkingLevel?: ThinkingLevel }[];
  modelRuntime?: ModelRuntime;
  /** Names of the tools to offer; older extensions give the tools themselves. */
  tools?: readonly (string | AgentTool)[];
  noTools?: 'all' | 'builtin';
  excludeTools?: readonly string[];
  customTools?: readonly (ToolDefinition | AgentTool)[];
  resourceLoader?: ResourceLoader;
  sessionManager?: SessionManager;
  settingsManager?: SettingsManager;
  /** Older ways to say what a loader says now. */
  systemPrompt?: string;
}

export interface CreateAgentSessionResult {
  session: AgentSession;
  extensionsResult: LoadedExtensions;
  /** Why another model is used than the one the session had. */
  modelFallbackMessage?: string;
}

/** Makes a session that runs in this worker. The caller disposes it. Source: sdk document, "createAgentSession()". */
export async function createAgentSession(options: CreateAgentSessionOptions = {}): Promise<CreateAgentSessionResult> {
  const { buildSession } = await import('./build-session.js');
  const cwd = resolve(options.cwd ?? options.sessionManager?.getCwd() ?? process.cwd());
  const agentDir = resolve(expandHome(options.agentDir ?? getAgentDir(), homeDir(process.env)));
  const settings = options.settingsManager ?? SettingsManager.create(cwd, agentDir);
  const runtime = options.modelRuntime ?? (await ModelRuntime.create(pathsOf(options.agentDir, agentDir)));
  const manager = options.sessionManager ?? SessionManager.create(cwd);
  const loader = options.resourceLoader ?? (await loadedDefault({ cwd, agentDir, settingsManager: settings }));
  const choice = await chooseModel(options, manager, settings, runtime);
  const wire: { emit: (event: AgentEvent) => void | Promise<void> } = { emit: () => undefined };
  const built = await buildSession({
    ...options,
    cwd,
    settings,
    runtime,
    manager,
    loader,
    wire,
    model: choice.model,
    level: options.thinkingLevel ?? choice.level,
    registry: new ModelRegistry(runtime),
    makeSession: (parts) => new AgentSession(parts),
  });
  return {
    session: built.session,
    extensionsResult: { ...loader.getExtensions(), errors: [...loader.getExtensions().errors, ...built.errors] },
    ...(choice.fallback === undefined ? {} : { modelFallbackMessage: choice.fallback }),
  };
}

const pathsOf = (asked: string | undefined, agentDir: string) =>
  asked === undefined ? {} : { authPath: `${agentDir}/auth.json`, modelsPath: `${agentDir}/models.json` };

async function loadedDefault(options: ConstructorParameters<typeof DefaultResourceLoader>[0]): Promise<ResourceLoader> {
  const loader = new DefaultResourceLoader(options);
  await loader.reload();
  return loader;
}

interface Choice {
  model: Model | undefined;
  level: ThinkingLevel | undefined;
  fallback?: string;
}

/** What was asked for, else what the session had, else the settings', else the first that can be used. */
async function chooseModel(
  options: CreateAgentSessionOptions,
  manager: SessionManager,
  settings: SettingsManager,
  runtime: ModelRuntime,
): Promise<Choice> {
  const recorded = manager.buildSessionContext();
  const hadLevel = manager.getEntries().some(({ type }) => type === 'thinking_level_change');
  const level = (hadLevel ? recorded.thinkingLevel : settings.getDefaultThinkingLevel()) as ThinkingLevel | undefined; // clamped later
  if (options.model) return { model: options.model, level };
  let fallback: string | undefined;
  if (recorded.model) {
    const { provider, modelId } = recorded.model;
    const model = runtime.getModel(provider, modelId);
    const problem = model ? await problemOf(runtime, model) : 'it is not known';
    if (model && problem === undefined) return { model, level };
    fallback = `Could not restore the session's model ${provider}/${modelId}: ${problem}`;
  }
  const available = await runtime.getAvailable();
  const [provider, id] = [settings.getDefaultProvider(), settings.getDefaultModel()];
  const wished = available.find((one) => (provider === undefined || one.provider === provider) && one.id === id);
  const model = wished ?? available.find((one) => one.provider === provider) ?? available[0];
  if (fallback !== undefined && model) fallback += `. Using ${model.provider}/${model.id}`;
  return { model, level, ...(fallback === undefined ? {} : { fallback }) };
}

async function problemOf(runtime: ModelRuntime, model: Model): Promise<string | undefined> {
  try {
    await runtime.credentials(model);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
