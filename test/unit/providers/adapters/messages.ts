import type { AssistantContent, UserContent } from '../../../../core/protocol/content.js';
import type { AssistantMessage, ToolResultMessage } from '../../../../core/protocol/messages.js';
import type { Model } from '../../../../core/protocol/model.js';
import { noUsage } from '../../../../core/protocol/no-usage.js';
import type { ToolDefinition } from '../../../../core/protocol/tool.js';

export const IMAGE = { type: 'image', data: 'aW1n', mimeType: 'image/png' } as const;
export const NO_IMAGES = '(image omitted: model does not support images)';

export const TOOLS: readonly ToolDefinition[] = ['read', 'bash'].map((name) => ({
  name,
  description: `What ${name} does.`,
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
}));

/** An answer that `model` gave. */
export const answered = (model: Model, content: AssistantContent[]): AssistantMessage => ({
  role: 'assistant',
  content,
  api: model.api,
  provider: model.provider,
  model: model.id,
  usage: noUsage(),
  stopReason: 'stop',
  timestamp: 1,
});

export const result = (toolCallId: string, content: UserContent[], isError = false): ToolResultMessage => ({
  role: 'toolResult',
  toolCallId,
  toolName: 'read',
  content,
  isError,
  timestamp: 1,
});

export const text = (words: string) => ({ type: 'text', text: words }) as const;
export const call = (id: string, args: Record<string, unknown> = { path: 'a' }) =>
  ({ type: 'toolCall', id, name: 'read', arguments: args }) as const;
