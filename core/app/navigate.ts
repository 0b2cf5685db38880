import type { Agent } from '../agent/agent.js';
import type { NavigateOptions } from '../agent/session-control.js';
import type { Result } from '../protocol/commands/index.js';
import type { StoredEntry } from '../protocol/commands/session.js';
import type { AgentEvent } from '../protocol/events.js';
import { branchFiles } from '../session/compaction-plan.js';
import { estimateTokens } from '../session/context-tokens.js';
import type { Session } from '../session/session.js';
import { contextMessage, storedText } from '../session/stored-message.js';

export interface NavigateDeps {
  agent: Agent;
  session: Session;
  emit: (event: AgentEvent) => void;
  /** Most tokens of a branch that the summariser is given. */
  maxTokens: number;
}

/**
 * Moves the leaf to `entryId`, or to before it when it is a user message, whose text is given back to be edited. With `summarize`
 * what the old branch has beyond their common ancestor is told to the new one. Throws SESSION_ENTRY_NOT_FOUND and what a summary
 * may throw; nothing has moved then. Source: compaction document, "Branch Summarization"; extensions document, `navigateTree`.
 */
export async function navigateTree(
  deps: NavigateDeps,
  entryId: string,
  options: NavigateOptions,
): Promise<Result<'navigate_tree'>> {
  const { agent, session, emit } = deps;
  agent.assertIdle('move in the tree');
  const path = session.branch(entryId);
  const target = path.at(-1);
  const asked = target && isUserMessage(target) ? storedText(target) : undefined;
  const newLeaf = asked === undefined ? entryId : (target?.parentId ?? null);
  const oldLeaf = session.leafId;
  const left = oldLeaf === null ? [] : leftBehind(session.branch(oldLeaf), path);

  const summary = options.summarize && left.length > 0 && oldLeaf !== null ? await summarize(deps, left, options) : undefined;
  session.setLeaf(newLeaf);
  let summaryEntry: StoredEntry | undefined;
  if (summary && oldLeaf !== null) {
    const entry = session.append({ type: 'branch_summary', fromId: oldLeaf, ...summary, fromHook: false });
    emit({ type: 'entry_appended', entry });
    summaryEntry = entry;
  }
  if (options.label !== undefined) label(session, emit, summaryEntry?.id ?? entryId, options.label);
  return {
    cancelled: false,
    leafId: session.leafId,
    ...(asked === undefined ? {} : { editorText: asked }),
    ...(summaryEntry ? { summaryEntry } : {}),
  };
}

/** Labels an entry, or takes its label off. Throws SESSION_ENTRY_NOT_FOUND. */
export function label(session: Session, emit: (event: AgentEvent) => void, entryId: string, text: string | undefined): void {
  session.parentOf(entryId);
  const entry = session.append({ type: 'label', targetId: entryId, ...(text === undefined ? {} : { label: text }) });
  emit({ type: 'entry_appended', entry });
}

function isUserMessage(entry: StoredEntry): boolean {
  const { message } = entry;
  return typeof message === 'object' && message !== null && Reflect.get(message, 'role') === 'user';
}

/** The entries of `old` that are not on `next`, oldest first. */
function leftBehind(old: readonly StoredEntry[], next: readonly StoredEntry[]): StoredEntry[] {
  const kept = new Set(next.map(({ id }) => id));
  return old.filter(({ id }) => !kept.has(id));
}

async function summarize(
  { agent, maxTokens }: NavigateDeps,
  left: readonly StoredEntry[],
  options: NavigateOptions,
): Promise<
  { summary: string; usage: NonNullable<Awaited<ReturnType<Agent['summarizeBranch']>>['usage']>; details: unknown } | undefined
> {
  const all = left.flatMap((entry) => contextMessage(entry) ?? []);
  // Newest first: when not all fits, the end of the branch matters most.
  let tokens = 0;
  const from = all.findLastIndex((message) => {
    tokens += estimateTokens(message);
    return tokens > maxTokens;
  });
  const messages = all.slice(from + 1);
  if (messages.length === 0) return undefined;
  const { summary, usage } = await agent.summarizeBranch(messages, options);
  return { summary, usage, details: branchFiles(messages, left) };
}
