import * as z from 'zod';
import { CompactionResultSchema } from '../events.js';
import { defineCommand } from './define.js';

const cancelled = z.object({ cancelled: z.boolean() });

/** An entry as the file has it: unknown types and fields are passed on untouched. */
export const StoredEntrySchema = z.looseObject({ type: z.string(), id: z.string(), parentId: z.string().nullable() });
export type StoredEntry = z.infer<typeof StoredEntrySchema>;

export interface TreeNode {
  entry: StoredEntry;
  children: TreeNode[];
  label?: string | undefined;
  labelTimestamp?: string | undefined;
}
export const TreeNodeSchema: z.ZodType<TreeNode> = z.object({
  entry: StoredEntrySchema,
  get children() {
    return z.array(TreeNodeSchema);
  },
  label: z.string().optional(),
  labelTimestamp: z.string().optional(),
});

export const newSessionCommand = defineCommand({
  name: 'new_session',
  summary: 'Start a new session. An extension may cancel it.',
  source: 'rpc-mode',
  params: z.object({ parentSession: z.string().optional() }),
  result: cancelled,
});

export const switchSessionCommand = defineCommand({
  name: 'switch_session',
  summary: 'Load another session file; a path that does not exist yet starts a new session there.',
  source: 'rpc-mode',
  params: z.object({ sessionPath: z.string().min(1) }),
  result: cancelled,
});

export const forkCommand = defineCommand({
  name: 'fork',
  summary: 'New session from before an earlier user message; the answer has its text.',
  source: 'rpc-mode',
  params: z.object({ entryId: z.string() }),
  result: z.object({ text: z.string(), cancelled: z.boolean() }),
});

export const cloneCommand = defineCommand({
  name: 'clone',
  summary: 'New session from the whole current branch.',
  source: 'rpc-mode',
  params: z.object({}),
  result: cancelled,
});

export const getForkMessagesCommand = defineCommand({
  name: 'get_fork_messages',
  summary: 'The user messages of the current branch that `fork` accepts.',
  source: 'rpc-mode',
  params: z.object({}),
  result: z.object({ messages: z.array(z.object({ entryId: z.string(), text: z.string() })) }),
});

export const getEntriesCommand = defineCommand({
  name: 'get_entries',
  summary: 'All entries in the order they were appended, or those after `since`; refused when `since` is unknown.',
  source: 'rpc-mode',
  params: z.object({ since: z.string().optional() }),
  result: z.object({ entries: z.array(StoredEntrySchema), leafId: z.string().nullable() }),
});

export const getTreeCommand = defineCommand({
  name: 'get_tree',
  summary: 'The session as a tree of entries; orphans are roots.',
  source: 'rpc-mode',
  params: z.object({}),
  result: z.object({ tree: z.array(TreeNodeSchema), leafId: z.string().nullable() }),
});

export const setSessionNameCommand = defineCommand({
  name: 'set_session_name',
  summary: "Set the session's display name; blanks around it are dropped, an empty one is refused.",
  source: 'rpc-mode',
  params: z.object({ name: z.string() }),
});

export const SessionStatsSchema = z.object({
  sessionFile: z.string().optional(),
  sessionId: z.string(),
  userMessages: z.number().int(),
  assistantMessages: z.number().int(),
  toolCalls: z.number().int(),
  toolResults: z.number().int(),
  totalMessages: z.number().int(),
  tokens: z.object({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number(), total: z.number() }),
  /** US dollars. */
  cost: z.number(),
  /** Missing without a model; numbers are null right after a compaction. */
  contextUsage: z.object({ tokens: z.number().nullable(), contextWindow: z.number(), percent: z.number().nullable() }).optional(),
});
export type SessionStats = z.infer<typeof SessionStatsSchema>;

export const getSessionStatsCommand = defineCommand({
  name: 'get_session_stats',
  summary: 'Messages, tokens and cost of the whole session, and how full the context is.',
  source: 'rpc-mode',
  params: z.object({}),
  result: SessionStatsSchema,
});

export const exportHtmlCommand = defineCommand({
  name: 'export_html',
  summary: 'Write the session as one self-contained HTML page.',
  source: 'rpc-mode',
  params: z.object({ outputPath: z.string().optional() }),
  result: z.object({ path: z.string() }),
});

export const compactCommand = defineCommand({
  name: 'compact',
  summary: 'Replace the older part of the context by a summary.',
  source: 'rpc-mode',
  params: z.object({ customInstructions: z.string().optional() }),
  result: CompactionResultSchema,
});
