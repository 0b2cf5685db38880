import type { AgentMessage, ExtensionAPI, Usage } from '../../core/extension-host/contract/public.js';
import type { ParentOptions } from './parent-options.js';

/** What a session may still spend, and its sub-agents with it. */
export interface Allowance {
  /** US dollars; undefined without a limit. */
  cost: number | undefined;
  turns: number | undefined;
}

interface Spent {
  cost: number;
  turns: number;
}

const KEY = Symbol.for('pi.sub-agents.spent');

/**
 * Counts what the session spends, where its command line limits that. Limits are those of the process: the count outlives a reload, as
 * `globalThis` does.
 */
export function watchAllowance(pi: ExtensionAPI, { maxCost, maxTurns }: ParentOptions): () => Allowance {
  if (maxCost === undefined && maxTurns === undefined) return () => ({ cost: undefined, turns: undefined });
  const shared = globalThis as { [KEY]?: Spent };
  shared[KEY] ??= { cost: 0, turns: 0 };
  const spent = shared[KEY];
  pi.on('message_end', ({ message }) => {
    if (message.role === 'assistant') spent.turns += 1;
    spent.cost += usageOf(message)?.cost.total ?? 0;
  });
  return () => ({
    cost: maxCost === undefined ? undefined : Math.max(0, maxCost - spent.cost),
    turns: maxTurns === undefined ? undefined : Math.max(0, maxTurns - spent.turns),
  });
}

/** Answers have one, and results of tools that asked a model. */
function usageOf(message: AgentMessage): Usage | undefined {
  return 'usage' in message ? message.usage : undefined;
}
