import type { StoredEntry } from '../protocol/commands/session.js';
import type { CompactionPlanResult, FileLists } from '../protocol/compaction-plan.js';
import type { AgentMessage } from '../protocol/messages.js';
import { estimateTokens } from './context-tokens.js';

/** One entry of the context, after the summary in force. */
export interface ContextItem {
  id: string;
  message: AgentMessage;
}

export interface PlanInput {
  /** Oldest first. */
  items: readonly ContextItem[];
  /** Messages that the compaction in force carries itself, before `items`. */
  carried: readonly AgentMessage[];
  previous: { summary: string; details: unknown } | undefined;
  /** Nothing was added since the summary in force. */
  isFresh: boolean;
  tokensBefore: number;
}

/**
 * Where to cut: counted from the end, the first message at which `keepRecentTokens` are reached is the first that is kept. A tool
 * result is never kept without its call. Pure. Source: compaction document; FACTS "Compaction".
 */
export function planCompaction(input: PlanInput, keepRecentTokens: number): CompactionPlanResult {
  const { items, carried, previous, isFresh, tokensBefore } = input;
  if (isFresh) return { ok: false, reason: 'ALREADY_COMPACTED' };
  const cut = cutAt(items, keepRecentTokens);
  const first = items[cut];
  if (cut <= 0 || !first) return { ok: false, reason: 'TOO_SMALL' };
  const turnStart = startOfTurn(items, cut);
  // A turn that began before everything there is can't be told from whole ones.
  const split = turnStart > 0 || previous ? turnStart : cut;
  const summarised = items.slice(0, cut).map(({ message }) => message);
  return {
    ok: true,
    plan: {
      firstKeptEntryId: first.id,
      messages: [...carried, ...summarised.slice(0, Math.max(0, split))],
      turnPrefix: summarised.slice(Math.max(0, split)),
      previousSummary: previous?.summary,
      files: filesOf(summarised, previous?.details),
      tokensBefore,
    },
  };
}

/** The index of the first message that is kept; 0 when everything is. */
function cutAt(items: readonly ContextItem[], keepRecentTokens: number): number {
  let kept = 0;
  let at = items.length;
  while (at > 0 && kept < keepRecentTokens) {
    at -= 1;
    const item = items[at];
    if (item) kept += estimateTokens(item.message);
  }
  if (kept < keepRecentTokens) return 0;
  const later = nextCut(items, at);
  if (later < items.length) return later;
  // Only tool results follow: their call has to stay with them.
  while (at > 0 && items[at]?.message.role === 'toolResult') at -= 1;
  return at;
}

/** The first place from `at` on where the kept part may begin. */
function nextCut(items: readonly ContextItem[], at: number): number {
  let next = at;
  while (items[next]?.message.role === 'toolResult') next += 1;
  return next;
}

/** The index of the message that began the turn `cut` is in; `cut` itself when it begins one. */
function startOfTurn(items: readonly ContextItem[], cut: number): number {
  let at = cut;
  while (at > 0) {
    const role = items[at]?.message.role;
    if (role !== 'assistant' && role !== 'toolResult') break;
    at -= 1;
  }
  return at;
}

/** Which argument of a built-in tool names the file, and what the tool does to it. */
const FILE_TOOLS: Readonly<Record<string, keyof FileLists>> = {
  read: 'readFiles',
  write: 'modifiedFiles',
  edit: 'modifiedFiles',
};

/** The files of a branch that is left, with those that summaries on it already knew of. */
export function branchFiles(messages: readonly AgentMessage[], entries: readonly StoredEntry[]): FileLists {
  const known = entries.reduce<FileLists>(
    (all, { details }) => ({
      readFiles: [...all.readFiles, ...listOf(details, 'readFiles')],
      modifiedFiles: [...all.modifiedFiles, ...listOf(details, 'modifiedFiles')],
    }),
    { readFiles: [], modifiedFiles: [] },
  );
  return filesOf(messages, known);
}

function filesOf(messages: readonly AgentMessage[], previous: unknown): FileLists {
  const read = new Set(listOf(previous, 'readFiles'));
  const modified = new Set(listOf(previous, 'modifiedFiles'));
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) {
      if (part.type !== 'toolCall' || typeof part.arguments.path !== 'string') continue;
      const list = FILE_TOOLS[part.name];
      if (list) (list === 'readFiles' ? read : modified).add(part.arguments.path);
    }
  }
  // A file that was changed is of more interest than that it was read.
  return { readFiles: [...read].filter((file) => !modified.has(file)).sort(), modifiedFiles: [...modified].sort() };
}

function listOf(details: unknown, key: keyof FileLists): string[] {
  const value: unknown = typeof details === 'object' && details !== null ? Reflect.get(details, key) : undefined;
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
