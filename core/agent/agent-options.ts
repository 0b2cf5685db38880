import type { Logger } from '../base/logger.js';
import type { QueueMode } from '../protocol/commands/state.js';
import type { ThinkingLevel } from '../protocol/model.js';
import type { BudgetLimits } from './budget.js';
import type { CompactionSettings } from './compactor.js';
import type { AgentHooks } from './hooks.js';
import type { ModelChoice } from './model-choice.js';
import type { Emit, ModelSource, PrepareArguments, RequestParts, RunShell, SessionLog, ToModelMessages } from './ports.js';
import type { RetrySettings } from './retry-policy.js';

export interface AgentSettings {
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  retry: RetrySettings;
  thinkingBudgets: Partial<Record<ThinkingLevel, number>>;
  streamIdleTimeoutMs: number;
  compaction: CompactionSettings;
}

export interface AgentOptions {
  /** The session in use now; it may be another one between two runs. */
  session: () => SessionLog;
  models: ModelChoice;
  source: ModelSource;
  parts: RequestParts;
  toModelMessages: ToModelMessages;
  prepareArguments: PrepareArguments;
  runShell: RunShell;
  /** Where `runShell` runs commands; default: the process's directory. Told to hooks. */
  cwd?: string;
  settings: AgentSettings;
  /** What may be spent in all; no limit when left out. */
  budget?: BudgetLimits;
  /** Whether a context that is full is compacted without being asked. */
  autoCompaction: () => boolean;
  /** Who has a say in what the agent does; nobody when left out. */
  hooks?: AgentHooks;
  emit: Emit;
  log: Logger;
  now?: () => number;
}
