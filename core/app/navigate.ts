import type { Agent } from '../agent/agent.js';
import { type AgentHooks, NO_HOOKS } from '../agent/hooks.js';
import { orAborted } from '../agent/patience.js';
import type { NavigateOptions } from '../agent/session-control.js';
import type { Result } from '../protocol/commands/index.js';
import type { StoredEntry } from '../protocol/commands/session.js';
import type { AgentEvent } from '../protocol/events.js';
import type { Usage } from '../protocol/usage.js';
import { branchFiles } from '../session/compaction-plan.js';
import { estimateTokens } from '../session/context-tokens.js';
import type { Session } from '../session/session.js';
import { contextMessage, storedText } from '../session/stored-message.js';

export interface NavigateDeps {
  agent: Agent;
  session: Session;
  /** Who has a say in the move; nobody when left out. */
  hooks?: AgentHooks;
  emit: (event: AgentEvent) => void;
  /** Most tokens of a branch that the summariser is given. */
  maxTokens: number;
}

/**
 * Moves the leaf to `entryId`, or to before it when it is a user message, whose text is given back to be edited. With `summarize`
 * what the old branch has beyond their common ancestor is told to the new one. Throws SESSION_ENTRY_NOT_FOUND, ABORTED and what a
 * summary may throw; nothing has moved then. Source: compaction document, "Branch Summarization"; extensions document, `navigateTree`.
 */
export async function navigateTree(
  deps: NavigateDeps,
  entryId: string,
  options: NavigateOptions,
): Promise<Result<'navigate_tree'>> {
  const { agent, session, hooks = NO_HOOKS } = deps;
  const moved = await agent.alone('move in the tree', (signal) => move(deps, entryId, options, signal));
  if (!moved) return { cancelled: true, leafId: session.leafId };
  const { oldLeafId, editorText, summary } = moved;
  const heard = hooks.treeMoved({
    newLeafId: session.leafId,
    oldLeafId,
    ...(summary ? { summaryEntry: summary.entry, fromExtension: summary.fromHook } : {}),
  });
  const result = {
    cancelled: false,
    leafId: session.leafId,
    ...(editorText === undefined ? {} : { editorText }),
    ...(summary ? { summaryEntry: summary.entry } : {}),
  };
  if (heard) await heard;
  return result;
}

interface Moved {
  oldLeafId: string | null;
  editorText: string | undefined;
  summary: { entry: StoredEntry; fromHook: boolean } | undefined;
}

/** Undefined when a hook called it off. */
async function move(
  deps: NavigateDeps,
  entryId: string,
  options: NavigateOptions,
  signal: AbortSignal,
): Promise<Moved | undefined> {
  const { session, emit } = deps;
  const path = session.branch(entryId);
  const target = path.at(-1);
  const editorText = target && isUserMessage(target) ? storedText(target) : undefined;
  const newLeaf = editorText === undefined ? entryId : (target?.parentId ?? null);
  const oldLeafId = session.leafId;
  const old = oldLeafId === null ? [] : session.branch(oldLeafId);
  const left = leftBehind(old, path);

  const answer = await askHooks(deps, { entryId, oldLeafId, old, path, left }, options, signal);
  if (answer?.cancel) return undefined;
  const written = options.summarize ? (answer?.summary ?? (await summarize(deps, left, options, signal))) : undefined;
  session.setLeaf(newLeaf);
  let summary: Moved['summary'];
  if (written && oldLeafId !== null) {
    const fromHook = written === answer?.summary;
    const { summary: text, details, usage } = written;
    const entry = session.append({
      type: 'branch_summary',
      fromId: oldLeafId,
      summary: text,
      ...(usage === undefined ? {} : { usage }),
      ...(details === undefined ? {} : { details }),
      fromHook,
    });
    emit({ type: 'entry_appended', entry });
    summary = { entry, fromHook };
  }
  if (options.label !== undefined) label(session, emit, summary?.entry.id ?? entryId, options.label);
  return { oldLeafId, editorText, summary };
}

async function askHooks(
  { hooks = NO_HOOKS }: NavigateDeps,
  {
    entryId,
    oldLeafId,
    old,
    path,
    left,
  }: { entryId: string; oldLeafId: string | null } & Record<'old' | 'path' | 'left', StoredEntry[]>,
  { summarize = false, customInstructions, replaceInstructions, label }: NavigateOptions,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<AgentHooks['beforeTree']>>> {
  const onOld = new Set(old.map(({ id }) => id));
  const preparation = {
    targetId: entryId,
    oldLeafId,
    commonAncestorId: path.findLast(({ id }) => onOld.has(id))?.id ?? null,
    entriesToSummarize: left,
    userWantsSummary: summarize,
    ...(customInstructions === undefined ? {} : { customInstructions }),
    ...(replaceInstructions === undefined ? {} : { replaceInstructions }),
    ...(label === undefined ? {} : { label }),
  };
  const asked = hooks.beforeTree({ preparation }, signal);
  return asked && (await orAborted(asked, signal));
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
  { agent, session, maxTokens }: NavigateDeps,
  left: readonly StoredEntry[],
  options: NavigateOptions,
  signal: AbortSignal,
): Promise<{ summary: string; usage: Usage; details: unknown } | undefined> {
  const all = left.flatMap((entry) => contextMessage(entry) ?? []);
  // Newest first: when not all fits, the end of the branch matters most.
  let tokens = 0;
  const from = all.findLastIndex((message) => {
    tokens += estimateTokens(message);
    return tokens > maxTokens;
  });
  const messages = all.slice(from + 1);
  if (messages.length === 0) return undefined;
  // Refused before a model is paid for it.
  session.claim();
  const { summary, usage } = await agent.summarizeBranch(messages, options, signal);
  return { summary, usage, details: branchFiles(messages, left) };
}
