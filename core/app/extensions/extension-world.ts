import type { Agent } from '../../agent/agent.js';
import type { ModelChoice } from '../../agent/model-choice.js';
import type { PromptState } from '../../extension-host/contract/state-values.js';
import type { SlashCommand } from '../../protocol/commands/resources.js';
import type { UserContent } from '../../protocol/content.js';
import type { ExtensionFile } from '../../resources/extension-files.js';
import type { SessionHolder } from '../session-holder.js';

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
