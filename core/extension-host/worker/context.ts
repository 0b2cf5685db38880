import { CodedError, messageOf } from '../../base/coded-error.js';
import type { SessionView } from '../../session/session-view.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { CommandContext, ExtensionContext, FreshContext, NewMessage, ThemeApi } from '../contract/public.js';
import type { CurrentExtension } from './current-extension.js';
import type { Handles } from './handles.js';
import type { ExtensionInstance } from './instance.js';
import { createModelRegistry, type ModelRegistryParts } from './model-registry.js';
import type { RunSignals } from './run-signals.js';
import { createSessionManager } from './session-manager.js';
import { SetupSession } from './setup-session.js';
import { createUi } from './ui.js';

export interface ContextParts extends ModelRegistryParts {
  current: CurrentExtension;
  view: SessionView;
  handles: Handles;
  signals: RunSignals;
  theme: () => ThemeApi;
  /** The system prompt while `before_agent_start` handlers change it. */
  chainedPrompt: () => string | undefined;
  /** The instance that is in use now under this name. */
  freshInstance: (name: string) => ExtensionInstance | undefined;
}

/** The `ctx` of an instance's handlers and tools. Members are read when they are used. */
export function createContext(instance: ExtensionInstance, parts: ContextParts): ExtensionContext {
  const { core } = parts;
  const { name, settings } = instance;
  const { state } = core;
  const ui = createUi(instance, core, parts);
  const sessionManager = createSessionManager(instance, core, parts.view);
  const modelRegistry = createModelRegistry(instance, parts);
  const alive = (member: string): void => instance.assertAlive(`ctx.${member}`);
  return {
    get ui() {
      alive('ui');
      return ui;
    },
    get mode() {
      return settings.mode;
    },
    get hasUI() {
      return settings.hasUI;
    },
    get cwd() {
      return settings.cwd;
    },
    get sessionManager() {
      alive('sessionManager');
      return sessionManager;
    },
    get modelRegistry() {
      alive('modelRegistry');
      return modelRegistry;
    },
    get model() {
      alive('model');
      return state.agent().model ?? undefined;
    },
    get thinkingLevel() {
      alive('thinkingLevel');
      return state.agent().thinkingLevel;
    },
    get scopedModels() {
      alive('scopedModels');
      return state.agent().scopedModels;
    },
    get signal() {
      alive('signal');
      return parts.signals.of(state.agent().runId);
    },
    isIdle: () => {
      alive('isIdle');
      return state.agent().isIdle;
    },
    hasPendingMessages: () => {
      alive('hasPendingMessages');
      return state.agent().hasPendingMessages;
    },
    abort: () => {
      alive('abort');
      core.sync('agent.abort', [name]);
    },
    shutdown: () => {
      alive('shutdown');
      core.sync('agent.shutdown', [name]);
    },
    compact: (options = {}) => {
      alive('compact');
      core.call('agent.compact', [name, options.customInstructions ?? null]).then(options.onComplete, (error: unknown) => {
        options.onError?.(error instanceof Error ? error : new Error(messageOf(error)));
      });
    },
    getContextUsage: () => {
      alive('getContextUsage');
      return state.agent().contextUsage;
    },
    getSystemPrompt: () => {
      alive('getSystemPrompt');
      return parts.chainedPrompt() ?? state.prompt().text;
    },
    getSystemPromptOptions: () => {
      alive('getSystemPromptOptions');
      return structuredClone(state.prompt().options);
    },
    isProjectTrusted: () => settings.projectTrusted,
  };
}

/** The `ctx` of commands, which may leave the session. */
export function createCommandContext(base: ExtensionContext, instance: ExtensionInstance, parts: ContextParts): CommandContext {
  const { core } = parts;
  const { name } = instance;
  const active = (member: string): void => instance.assertActive(`ctx.${member}`);
  const replaced = async (
    answer: Record<string, unknown>,
    withSession: ((ctx: FreshContext) => unknown) | undefined,
  ): Promise<{ cancelled: boolean }> => {
    if (answer.cancelled !== true && withSession) await withSession(freshContext(parts, name));
    return { cancelled: answer.cancelled === true };
  };
  const own: Omit<CommandContext, keyof ExtensionContext> = {
    waitForIdle: async () => {
      active('waitForIdle');
      await core.call('agent.wait_for_idle', [name]);
    },
    newSession: async (options = {}) => {
      active('newSession');
      const { parentSession, setup, withSession } = options;
      // Run before anything is replaced: what it throws leaves everything as it was.
      const session = new SetupSession();
      if (setup) await setup(session);
      const answer = await core.call('session.new', [
        name,
        { ...(parentSession !== undefined && { parentSession }), ...(setup && { entries: session.appended }) },
      ]);
      return replaced(answer, withSession);
    },
    fork: async (entryId, options = {}) => {
      active('fork');
      const { withSession, position } = options;
      return replaced(await core.call('session.fork', [name, String(entryId), { ...(position && { position }) }]), withSession);
    },
    switchSession: async (path, options = {}) => {
      active('switchSession');
      return replaced(await core.call('session.switch', [name, String(path)]), options.withSession);
    },
    navigateTree: async (entryId, options = {}) => {
      active('navigateTree');
      const answer = await core.call('session.navigate', [name, String(entryId), { ...options }]);
      return { ...answer, cancelled: answer.cancelled === true };
    },
    reload: async () => {
      active('reload');
      await core.call('session.reload', [name]);
    },
  };
  return Object.defineProperties(own as CommandContext, Object.getOwnPropertyDescriptors(base));
}

/** What `withSession` gets: the instance that took this one's place. */
function freshContext(parts: ContextParts, name: string): FreshContext {
  const instance = parts.freshInstance(name);
  if (!instance) throw new CodedError(BOUNDARY_ERRORS.NOT_LOADED, `${name} was not loaded again for the new session`);
  const { core } = parts;
  const own = {
    sendMessage: async (message: NewMessage, options: Record<string, unknown> = {}) => {
      core.sync('session.send_message', [name, { ...message } as Record<string, unknown>, { ...options }]);
    },
    sendUserMessage: async (content: unknown, options: Record<string, unknown> = {}) => {
      core.sync('session.send_user_message', [name, content, { ...options }]);
    },
  };
  return Object.defineProperties(own as FreshContext, Object.getOwnPropertyDescriptors(instance.commandContext));
}
