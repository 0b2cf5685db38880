import type { Agent } from '../../agent/agent.js';
import type { ModelChoice } from '../../agent/model-choice.js';
import type {
  AgentState,
  CommandState,
  ModelsState,
  PromptState,
  SessionState,
  ToolState,
} from '../../extension-host/contract/state-values.js';
import type { StateSources } from '../../extension-host/host/state-feed.js';
import type { Model, ThinkingLevel } from '../../protocol/model.js';
import type { Session } from '../../session/session.js';

export interface ExtensionStateOptions {
  session: () => Session;
  sessionDir: string;
  cwd: string;
  agent: () => Agent;
  models: () => ModelChoice;
  scope: readonly { model: Model; thinkingLevel?: ThinkingLevel | undefined }[];
  runId: () => string | null;
  activeTools: () => readonly string[];
  knownModels: () => Promise<ModelsState>;
  tools: () => ToolState[];
  commands: () => Promise<CommandState[]>;
  prompt: () => Promise<PromptState>;
}

/** What extensions read of the program, as it is now. */
export function createStateSources(options: ExtensionStateOptions): StateSources {
  const { session, agent, models } = options;
  return {
    *entries() {
      for (const entry of session().entries()) yield JSON.stringify(entry);
    },
    session: (): SessionState => {
      const { id, file, name, leafId, header } = session();
      return {
        id,
        ...(file !== undefined && { file }),
        dir: options.sessionDir,
        cwd: options.cwd,
        ...(name !== undefined && { name }),
        leafId,
        header: { ...header },
      };
    },
    agent: (): AgentState => {
      const { model, thinkingLevel } = models();
      const tokens = session().contextTokens();
      return {
        model: model ?? null,
        thinkingLevel,
        scopedModels: options.scope.map((one) => ({
          model: one.model,
          ...(one.thinkingLevel !== undefined && { thinkingLevel: one.thinkingLevel }),
        })),
        isIdle: agent().isIdle,
        hasPendingMessages: agent().queues.size > 0,
        runId: options.runId(),
        ...(model && {
          contextUsage: {
            tokens,
            contextWindow: model.contextWindow,
            percent: tokens === null ? null : (tokens / model.contextWindow) * 100,
          },
        }),
        activeTools: [...options.activeTools()],
      };
    },
    models: options.knownModels,
    tools: options.tools,
    commands: options.commands,
    prompt: options.prompt,
  };
}
