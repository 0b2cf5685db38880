import * as z from 'zod';
import { defineCommand } from './define.js';
import { StoredEntrySchema } from './session.js';

export const navigateTreeCommand = defineCommand({
  name: 'navigate_tree',
  summary:
    'Move the leaf to another entry of the session; at a user message, to before it, and the answer has its text. With `summarize` what is left behind is told to the new branch.',
  source: 'additive',
  params: z.object({
    entryId: z.string(),
    summarize: z.boolean().optional(),
    customInstructions: z.string().optional(),
    /** `customInstructions` take the place of the default ones instead of being added. */
    replaceInstructions: z.boolean().optional(),
    /** For the summary, or for the entry itself when nothing is summarised. */
    label: z.string().optional(),
  }),
  result: z.object({
    cancelled: z.boolean(),
    leafId: z.string().nullable(),
    editorText: z.string().optional(),
    summaryEntry: StoredEntrySchema.optional(),
  }),
});

export const setLabelCommand = defineCommand({
  name: 'set_label',
  summary: "Label an entry; without `label` the entry's label is taken off.",
  source: 'additive',
  params: z.object({ entryId: z.string(), label: z.string().optional() }),
});

export const SessionListItemSchema = z.object({
  path: z.string(),
  id: z.string(),
  name: z.string().optional(),
  cwd: z.string(),
  parentSession: z.string().optional(),
  /** ISO time. */
  created: z.string(),
  /** ISO time of the last write. */
  modified: z.string(),
  /** Counted in the head and the tail of the file; `messagesAtLeast` when there is more between them. */
  messages: z.number().int(),
  messagesAtLeast: z.boolean(),
  firstMessage: z.string().optional(),
});
export type SessionListItem = z.infer<typeof SessionListItemSchema>;

export const listSessionsCommand = defineCommand({
  name: 'list_sessions',
  summary: 'Session files of this directory, newest first, without opening them.',
  source: 'additive',
  params: z.object({ limit: z.number().int().positive().optional() }),
  result: z.object({ sessions: z.array(SessionListItemSchema) }),
});
