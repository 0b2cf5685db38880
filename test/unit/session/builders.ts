import type { StoredEntry } from '../../../core/protocol/commands/session.js';
import type { AssistantContent, UserContent } from '../../../core/protocol/content.js';
import type { AssistantMessage, ToolResultMessage, UserMessage } from '../../../core/protocol/messages.js';
import type { Model } from '../../../core/protocol/model.js';
import type { Usage } from '../../../core/protocol/usage.js';

/** Small builders for session tests; times are fixed. */
export const AT = Date.UTC(2025, 0, 1);
export const ISO = new Date(AT).toISOString();

export const USAGE: Usage = {
  input: 10,
  output: 5,
  cacheRead: 2,
  cacheWrite: 1,
  totalTokens: 18,
  cost: { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 },
};

export const user = (content: string | UserContent[]): UserMessage => ({ role: 'user', content, timestamp: AT });

export function answer(content: string | AssistantContent[], more: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: 'assistant',
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    api: 'anthropic-messages',
    provider: 'fake',
    model: 'plain',
    usage: USAGE,
    stopReason: 'stop',
    timestamp: AT,
    ...more,
  };
}

export const call = (id: string, name = 'read'): AssistantContent => ({
  type: 'toolCall',
  id,
  name,
  arguments: { path: 'a.txt' },
});

export const result = (toolCallId: string, text = 'output', toolName = 'read'): ToolResultMessage => ({
  role: 'toolResult',
  toolCallId,
  toolName,
  content: [{ type: 'text', text }],
  isError: false,
  timestamp: AT,
});

export function model(more: Partial<Model> = {}): Model {
  return {
    id: 'plain',
    name: 'Plain',
    api: 'anthropic-messages',
    provider: 'fake',
    baseUrl: 'http://127.0.0.1',
    reasoning: true,
    input: ['text', 'image'],
    contextWindow: 200_000,
    maxTokens: 8000,
    cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
    ...more,
  };
}

export const header = (cwd: string, more: object = {}): object => ({
  type: 'session',
  version: 3,
  id: '11111111-2222-7333-8444-555555555555',
  timestamp: ISO,
  cwd,
  ...more,
});

export const entry = (type: string, id: string, parentId: string | null, more: object = {}): StoredEntry => ({
  type,
  id,
  parentId,
  timestamp: ISO,
  ...more,
});

export const said = (id: string, parentId: string | null, text: string): StoredEntry =>
  entry('message', id, parentId, { message: user([{ type: 'text', text }]) });

export const answered = (id: string, parentId: string | null, text: string): StoredEntry =>
  entry('message', id, parentId, { message: answer(text) });

/** Question, answer, question, answer: `aaaaaaa1` … `aaaaaaa4`. */
export const chain = (): StoredEntry[] => [
  said('aaaaaaa1', null, 'first question'),
  answered('aaaaaaa2', 'aaaaaaa1', 'first answer'),
  said('aaaaaaa3', 'aaaaaaa2', 'second question'),
  answered('aaaaaaa4', 'aaaaaaa3', 'second answer'),
];
