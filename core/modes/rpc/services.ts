import type { Agent } from '../../agent/agent.js';
import type { ModelChoice } from '../../agent/model-choice.js';
import type { ModelSource } from '../../agent/ports.js';
import type { SessionControl } from '../../agent/session-control.js';
import type { SlashCommand } from '../../protocol/commands/resources.js';
import type { Diagnostic } from '../../protocol/commands/state.js';

/** What the handlers of commands work on; made by the composition root. */
export interface RpcServices {
  agent: Agent;
  models: ModelChoice;
  source: ModelSource;
  session: SessionControl;
  autoCompaction: { readonly enabled: boolean; set(enabled: boolean): Promise<void> };
  diagnostics: () => Promise<readonly Diagnostic[]>;
  slashCommands: () => Promise<SlashCommand[]>;
  /** Replaces `/skill:name` and `/template` by what they stand for. */
  expand: (text: string) => Promise<string>;
  /** Keeps a setting for later sessions too. */
  remember: (key: string, value: string) => Promise<void>;
  capabilities: { version: string; flags: readonly string[] };
}
