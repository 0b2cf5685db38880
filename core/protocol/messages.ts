import * as z from 'zod';
import { AssistantContentSchema, UserContentSchema } from './content.js';
import { UsageSchema } from './usage.js';

/** A file a client attached. Kept and returned as it came; only images are sent to a model. Source: rpc-mode document, "Attachment". */
export const AttachmentSchema = z.object({
  id: z.string(),
  type: z.enum(['image', 'document']),
  fileName: z.string(),
  mimeType: z.string(),
  size: z.number(),
  content: z.string(),
  extractedText: z.string().nullish(),
  preview: z.string().nullish(),
});

/** Milliseconds since the epoch. */
const TimestampSchema = z.number();

export const UserMessageSchema = z.object({
  role: z.literal('user'),
  content: z.union([z.string(), z.array(UserContentSchema)]),
  timestamp: TimestampSchema,
  attachments: z.array(AttachmentSchema).optional(),
});

/** `pending` appears only in `message_start`, while the answer is still being streamed. */
export const StopReasonSchema = z.enum(['stop', 'length', 'toolUse', 'error', 'aborted', 'pending']);

export const AssistantMessageSchema = z.object({
  role: z.literal('assistant'),
  content: z.array(AssistantContentSchema),
  api: z.string(),
  provider: z.string(),
  model: z.string(),
  responseId: z.string().optional(),
  usage: UsageSchema,
  stopReason: StopReasonSchema,
  /** The provider's own word for why it stopped. */
  rawStopReason: z.string().optional(),
  /** `<status> <body>` for a refused request; a sentence otherwise. */
  errorMessage: z.string().optional(),
  timestamp: TimestampSchema,
});

export const ToolResultMessageSchema = z.object({
  role: z.literal('toolResult'),
  toolCallId: z.string(),
  toolName: z.string(),
  content: z.array(UserContentSchema),
  details: z.unknown().optional(),
  usage: UsageSchema.optional(),
  isError: z.boolean(),
  timestamp: TimestampSchema,
});

/** Made by the `bash` command, never by the model's tool calls. */
export const BashExecutionMessageSchema = z.object({
  role: z.literal('bashExecution'),
  command: z.string(),
  output: z.string(),
  exitCode: z.number().nullish(),
  cancelled: z.boolean(),
  truncated: z.boolean(),
  fullOutputPath: z.string().nullish(),
  /** Kept in the session but never sent to the model. */
  excludeFromContext: z.boolean().optional(),
  timestamp: TimestampSchema,
});

/** Made by an extension. */
export const CustomMessageSchema = z.object({
  role: z.literal('custom'),
  customType: z.string(),
  content: z.union([z.string(), z.array(UserContentSchema)]),
  display: z.boolean(),
  details: z.unknown().optional(),
  timestamp: TimestampSchema,
});

export const BranchSummaryMessageSchema = z.object({
  role: z.literal('branchSummary'),
  summary: z.string(),
  fromId: z.string(),
  timestamp: TimestampSchema,
});

export const CompactionSummaryMessageSchema = z.object({
  role: z.literal('compactionSummary'),
  summary: z.string(),
  tokensBefore: z.number(),
  timestamp: TimestampSchema,
});

export const AgentMessageSchema = z.discriminatedUnion('role', [
  UserMessageSchema,
  AssistantMessageSchema,
  ToolResultMessageSchema,
  BashExecutionMessageSchema,
  CustomMessageSchema,
  BranchSummaryMessageSchema,
  CompactionSummaryMessageSchema,
]);

export type Attachment = z.infer<typeof AttachmentSchema>;
export type StopReason = z.infer<typeof StopReasonSchema>;
export type UserMessage = z.infer<typeof UserMessageSchema>;
export type AssistantMessage = z.infer<typeof AssistantMessageSchema>;
export type ToolResultMessage = z.infer<typeof ToolResultMessageSchema>;
export type BashExecutionMessage = z.infer<typeof BashExecutionMessageSchema>;
export type CustomMessage = z.infer<typeof CustomMessageSchema>;
export type BranchSummaryMessage = z.infer<typeof BranchSummaryMessageSchema>;
export type CompactionSummaryMessage = z.infer<typeof CompactionSummaryMessageSchema>;
export type AgentMessage = z.infer<typeof AgentMessageSchema>;
/** What a model request is made of; the other roles are turned into these first. */
export type ModelMessage = UserMessage | AssistantMessage | ToolResultMessage;
