import type { ToolCall } from '../../../protocol/content.js';
import type { AssistantMessage } from '../../../protocol/messages.js';

type At = { contentIndex: number; partial: AssistantMessage };

/** One step of an answer as extensions see it: each carries the message so far. Source: custom-provider document, "Event Types". */
export type AnswerEvent =
  | { type: 'start'; partial: AssistantMessage }
  | ({ type: 'text_start' | 'thinking_start' | 'toolcall_start' } & At)
  | ({ type: 'text_delta' | 'thinking_delta' | 'toolcall_delta'; delta: string } & At)
  | ({ type: 'text_end' | 'thinking_end'; content: string } & At)
  | ({ type: 'toolcall_end'; toolCall: ToolCall } & At)
  | { type: 'done'; reason: 'stop' | 'length' | 'toolUse'; message: AssistantMessage }
  | { type: 'error'; reason: 'error' | 'aborted'; error: AssistantMessage };
