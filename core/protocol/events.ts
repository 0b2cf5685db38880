import * as z from 'zod';
import { ToolCallSchema } from './content.js';
import { SessionEntrySchema } from './entries.js';
import { AgentMessageSchema, ToolResultMessageSchema } from './messages.js';
import { ThinkingLevelSchema } from './model.js';
import { UsageSchema } from './usage.js';

const index = z.number().int();
const blockStart = { contentIndex: index };
const blockDelta = { contentIndex: index, delta: z.string() };
const blockEnd = { contentIndex: index, content: z.string() };

/** One step of a streamed answer. Source: rpc-mode document, "message_update"; `id` and `toolName` as 1.6.0 sends them. */
export const AssistantMessageEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text_start'), ...blockStart }),
  z.object({ type: z.literal('text_delta'), ...blockDelta }),
  z.object({ type: z.literal('text_end'), ...blockEnd }),
  z.object({ type: z.literal('thinking_start'), ...blockStart }),
  z.object({ type: z.literal('thinking_delta'), ...blockDelta }),
  z.object({ type: z.literal('thinking_end'), ...blockEnd }),
  z.object({ type: z.literal('toolcall_start'), ...blockStart, id: z.string().optional(), toolName: z.string().optional() }),
  z.object({ type: z.literal('toolcall_delta'), ...blockDelta }),
  z.object({ type: z.literal('toolcall_end'), contentIndex: index, toolCall: ToolCallSchema }),
]);

/** What a tool gave, whole or so far. Images and text in `content` go to the model; `details` never do. */
export const ToolResultSchema = z.object({
  content: z.array(z.unknown()),
  details: z.unknown().optional(),
  usage: UsageSchema.optional(),
  isError: z.boolean().optional(),
  /** Ends the run after this batch of calls, when every call of the batch asks for it. */
  terminate: z.boolean().optional(),
});

/** Source: rpc-mode document, "compact". */
export const CompactionResultSchema = z.object({
  summary: z.string(),
  firstKeptEntryId: z.string(),
  tokensBefore: z.number(),
  estimatedTokensAfter: z.number().optional(),
  usage: UsageSchema.optional(),
  details: z.unknown().optional(),
});

export const CompactionReasonSchema = z.enum(['manual', 'threshold', 'overflow']);

const event = <N extends string, S extends z.ZodRawShape>(type: N, shape: S) => z.object({ type: z.literal(type), ...shape });
const toolCallRef = { toolCallId: z.string(), toolName: z.string() };

/**
 * Every record the agent sends unasked. Source: rpc-mode document, "Events"; FACTS for those it omits.
 * `extension_ui_request` is in ui.ts.
 */
export const AgentEventSchema = z.discriminatedUnion('type', [
  event('agent_start', {}),
  event('agent_end', { messages: z.array(AgentMessageSchema), willRetry: z.boolean().optional() }),
  event('agent_settled', { aborted: z.boolean().optional() }),
  event('turn_start', {}),
  event('turn_end', { message: AgentMessageSchema, toolResults: z.array(ToolResultMessageSchema) }),
  event('message_start', { message: AgentMessageSchema }),
  event('message_update', { assistantMessageEvent: AssistantMessageEventSchema }),
  event('message_end', { message: AgentMessageSchema }),
  event('bash_execution_update', { id: z.unknown().optional(), delta: z.string() }),
  event('tool_execution_start', { ...toolCallRef, args: z.unknown() }),
  event('tool_execution_update', { ...toolCallRef, args: z.unknown(), partialResult: ToolResultSchema }),
  event('tool_execution_end', {
    ...toolCallRef,
    result: ToolResultSchema,
    isError: z.boolean(),
    durationMs: z.number().optional(),
  }),
  event('queue_update', { steering: z.array(z.string()), followUp: z.array(z.string()) }),
  event('compaction_start', { reason: CompactionReasonSchema }),
  event('compaction_end', {
    reason: CompactionReasonSchema,
    result: CompactionResultSchema.nullable(),
    aborted: z.boolean(),
    willRetry: z.boolean(),
    errorMessage: z.string().optional(),
  }),
  event('auto_retry_start', { attempt: index, maxAttempts: index, delayMs: z.number(), errorMessage: z.string() }),
  event('auto_retry_end', { success: z.boolean(), attempt: index, finalError: z.string().optional() }),
  event('summarization_retry_scheduled', { attempt: index, maxAttempts: index, delayMs: z.number(), errorMessage: z.string() }),
  event('summarization_retry_attempt_start', {
    source: z.enum(['compaction', 'branchSummary']),
    reason: CompactionReasonSchema.optional(),
  }),
  event('summarization_retry_finished', {}),
  event('extension_error', { extensionPath: z.string(), event: z.string(), error: z.string(), code: z.string().optional() }),
  event('entry_appended', { entry: SessionEntrySchema }),
  event('session_info_changed', { name: z.string().optional() }),
  event('thinking_level_changed', { level: ThinkingLevelSchema }),
]);

export type AssistantMessageEvent = z.infer<typeof AssistantMessageEventSchema>;
export type ToolResultValue = z.infer<typeof ToolResultSchema>;
export type CompactionResult = z.infer<typeof CompactionResultSchema>;
export type CompactionReason = z.infer<typeof CompactionReasonSchema>;
export type AgentEvent = z.infer<typeof AgentEventSchema>;
export type AgentEventType = AgentEvent['type'];
export type EventOf<T extends AgentEventType> = Extract<AgentEvent, { type: T }>;
