import { branchPrompt } from '../../../agent/summary-text.js';
import { isCoded, messageOf } from '../../../base/coded-error.js';
import type { StoredEntry } from '../../../protocol/commands/session.js';
import type { AgentMessage } from '../../../protocol/messages.js';
import type { Model } from '../../../protocol/model.js';
import type { Usage } from '../../../protocol/usage.js';
import { branchFiles } from '../../../session/compaction-plan.js';
import { estimateTokens } from '../../../session/context-tokens.js';
import type { SessionView } from '../../../session/session-view.js';
import { contextMessage } from '../../../session/stored-message.js';
import { type FileOperations, summarize, withFileLists } from './summaries.js';

type Tree = Pick<SessionView, 'getBranch'>;

/** What the old branch has beyond the deepest entry it shares with the new one, oldest first. */
export function collectEntriesForBranchSummary(
  session: Tree,
  oldLeafId: string | null,
  targetId: string,
): { entries: StoredEntry[]; commonAncestorId: string | null } {
  const old = oldLeafId === null ? [] : session.getBranch(oldLeafId);
  const onOld = new Set(old.map(({ id }) => id));
  const target = session.getBranch(targetId);
  const common = target.findLast(({ id }) => onOld.has(id))?.id ?? null;
  const shared = new Set(target.map(({ id }) => id));
  return { entries: old.filter(({ id }) => !shared.has(id)), commonAncestorId: common };
}

/** The newest messages that fit into `tokenBudget` (0: all), and the files they are about. */
export function prepareBranchEntries(
  entries: readonly StoredEntry[],
  tokenBudget = 0,
): { messages: AgentMessage[]; fileOps: FileOperations; totalTokens: number } {
  const all = entries.flatMap((entry) => contextMessage(entry) ?? []);
  let totalTokens = 0;
  const messages: AgentMessage[] = [];
  for (const message of all.toReversed()) {
    const tokens = estimateTokens(message);
    if (tokenBudget > 0 && totalTokens + tokens > tokenBudget) break;
    totalTokens += tokens;
    messages.unshift(message);
  }
  const files = branchFiles(all, entries);
  const fileOps = { read: new Set(files.readFiles), written: new Set<string>(), edited: new Set(files.modifiedFiles) };
  return { messages, fileOps, totalTokens };
}

export interface BranchSummaryRequest {
  model: Model;
  apiKey?: string;
  headers?: Record<string, string>;
  signal: AbortSignal;
  customInstructions?: string;
  replaceInstructions?: boolean;
  reserveTokens?: number;
}

export interface BranchSummaryResult {
  summary?: string;
  usage?: Usage;
  readFiles?: string[];
  modifiedFiles?: string[];
  aborted?: boolean;
  error?: string;
}

/** Asks a model what a branch was about. What goes wrong is in the result. */
export async function generateBranchSummary(
  entries: readonly StoredEntry[],
  request: BranchSummaryRequest,
): Promise<BranchSummaryResult> {
  const { model, customInstructions, replaceInstructions = false, reserveTokens = 16_384, signal } = request;
  const { messages } = prepareBranchEntries(entries, Math.max(1000, model.contextWindow - reserveTokens));
  if (messages.length === 0) return { summary: 'No content to summarize' };
  try {
    const prompts = [branchPrompt(messages, customInstructions, replaceInstructions)];
    const { texts, usage } = await summarize({ ...request, prompts, maxTokens: Math.floor(reserveTokens * 0.8) });
    const files = branchFiles(messages, entries);
    return { summary: withFileLists(texts[0] ?? '', files), usage, ...files };
  } catch (error) {
    if (signal.aborted || isCoded(error, 'ABORTED')) return { aborted: true };
    return { error: messageOf(error) };
  }
}
