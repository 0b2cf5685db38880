import type { Agent } from '../../../agent/agent.js';
import type { ModelChoice } from '../../../agent/model-choice.js';
import type { AgentEvent } from '../../../protocol/events.js';
import type { Model, ThinkingLevel } from '../../../protocol/model.js';
import type { InlineExtensions } from './inline-extensions.js';
import type { ModelRuntime } from './model-runtime.js';
import type { ResourceLoader } from './resource-loader.js';
import type { SessionEvents } from './session-events.js';
import type { SessionManager } from './session-manager.js';
import type { SessionTools } from './session-tools.js';
import type { SettingsManager } from './settings-manager.js';

/** What a session is made of; `createAgentSession` puts it together. */
export interface AgentSessionParts {
  cwd: string;
  agent: Agent;
  models: ModelChoice;
  runtime: ModelRuntime;
  scopedModels: readonly { model: Model; thinkingLevel?: ThinkingLevel }[];
  manager: SessionManager;
  settings: SettingsManager;
  loader: ResourceLoader;
  tools: SessionTools;
  extensions: InlineExtensions;
  events: SessionEvents;
  /** Set by the session: events of the agent go where it says. */
  wire: { emit: (event: AgentEvent) => void | Promise<void> };
  /** In place of the prompt that is built. */
  overrides: { systemPrompt?: string };
  compaction: { enabled: boolean };
}
