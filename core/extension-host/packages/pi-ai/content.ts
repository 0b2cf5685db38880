import type { AssistantMessage } from '../../../protocol/messages.js';
import { noUsage } from '../../../protocol/no-usage.js';

type Block = { type: string; text?: unknown };

/** The text of a message's content: its text blocks, joined. */
export function contentText(content: string | readonly Block[], separator = '\n'): string {
  if (typeof content === 'string') return content;
  return content
    .filter((block) => block.type === 'text')
    .map((block) => String(block.text))
    .join(separator);
}

export const fauxText = (text: string) => ({ type: 'text' as const, text });
export const fauxThinking = (thinking: string) => ({ type: 'thinking' as const, thinking });

let calls = 0;
export function fauxToolCall(name: string, args: Record<string, unknown>, options: { id?: string } = {}) {
  return { type: 'toolCall' as const, id: options.id ?? `tool:${Date.now()}:${++calls}`, name, arguments: args };
}

/** An answer that no model gave, for tests of extensions. */
export function fauxAssistantMessage(
  content: string | AssistantMessage['content'][number] | AssistantMessage['content'],
  options: Partial<Pick<AssistantMessage, 'stopReason' | 'errorMessage' | 'responseId' | 'timestamp'>> = {},
): AssistantMessage {
  const blocks = typeof content === 'string' ? [fauxText(content)] : Array.isArray(content) ? content : [content];
  return {
    role: 'assistant',
    content: blocks,
    api: 'faux',
    provider: 'faux',
    model: 'faux-1',
    usage: noUsage(),
    stopReason: 'stop',
    timestamp: Date.now(),
    ...options,
  };
}
