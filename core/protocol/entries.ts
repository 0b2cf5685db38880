import * as z from 'zod';
import { UserContentSchema } from './content.js';
import { AgentMessageSchema } from './messages.js';
import { UsageSchema } from './usage.js';

/** First line of a session file. Source: session-format document. */
export const SessionHeaderSchema = z.object({
  type: z.literal('session'),
  version: z.number(),
  id: z.string(),
  timestamp: z.string(),
  cwd: z.string(),
  /** Absolute path of the file this one was forked, cloned or started from. */
  parentSession: z.string().optional(),
});

/** What every entry of the tree has. `parentId` is null for a root. */
const base = {
  id: z.string(),
  parentId: z.string().nullable(),
  timestamp: z.string(),
};

export const MessageEntrySchema = z.object({ type: z.literal('message'), ...base, message: AgentMessageSchema });
export const ModelChangeEntrySchema = z.object({
  type: z.literal('model_change'),
  ...base,
  provider: z.string(),
  modelId: z.string(),
});
export const ThinkingLevelChangeEntrySchema = z.object({
  type: z.literal('thinking_level_change'),
  ...base,
  thinkingLevel: z.string(),
});
export const CompactionEntrySchema = z.object({
  type: z.literal('compaction'),
  ...base,
  summary: z.string(),
  firstKeptEntryId: z.string(),
  tokensBefore: z.number(),
  details: z.unknown().optional(),
  usage: UsageSchema.optional(),
  /** An extension made the summary. */
  fromHook: z.boolean().optional(),
});
export const BranchSummaryEntrySchema = z.object({
  type: z.literal('branch_summary'),
  ...base,
  fromId: z.string(),
  summary: z.string(),
  details: z.unknown().optional(),
  usage: UsageSchema.optional(),
  fromHook: z.boolean().optional(),
});
/** An extension's own data; never in the context. */
export const CustomEntrySchema = z.object({
  type: z.literal('custom'),
  ...base,
  customType: z.string(),
  data: z.unknown().optional(),
});
/** An extension's message; part of the context. */
export const CustomMessageEntrySchema = z.object({
  type: z.literal('custom_message'),
  ...base,
  customType: z.string(),
  content: z.union([z.string(), z.array(UserContentSchema)]),
  details: z.unknown().optional(),
  display: z.boolean(),
});
export const LabelEntrySchema = z.object({
  type: z.literal('label'),
  ...base,
  targetId: z.string(),
  label: z.string().optional(),
});
export const SessionInfoEntrySchema = z.object({ type: z.literal('session_info'), ...base, name: z.string().optional() });

export const SessionEntrySchema = z.discriminatedUnion('type', [
  MessageEntrySchema,
  ModelChangeEntrySchema,
  ThinkingLevelChangeEntrySchema,
  CompactionEntrySchema,
  BranchSummaryEntrySchema,
  CustomEntrySchema,
  CustomMessageEntrySchema,
  LabelEntrySchema,
  SessionInfoEntrySchema,
]);

export type SessionHeader = z.infer<typeof SessionHeaderSchema>;
export type SessionEntry = z.infer<typeof SessionEntrySchema>;
export type EntryType = SessionEntry['type'];
export type EntryOf<T extends EntryType> = Extract<SessionEntry, { type: T }>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** An entry before the session gives it its place in the tree. */
export type NewEntry = DistributiveOmit<SessionEntry, 'id' | 'parentId' | 'timestamp'>;
