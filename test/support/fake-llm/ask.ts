import type { ModelMessage, UserMessage } from '../../../core/protocol/messages.js';
import type { Model } from '../../../core/protocol/model.js';
import type {
  ModelAnswer,
  ModelContext,
  ModelRequest,
  ModelRequestOptions,
  ModelStreamEvent,
} from '../../../core/protocol/model-stream.js';
import { modelStreamFor } from '../../../core/providers/streams.js';
import type { FakeApi } from './server.js';

export const APIS: readonly FakeApi[] = ['anthropic-messages', 'openai-completions', 'openai-responses'];

export const KEY = 'sk-test-0123456789';

export const user = (content: UserMessage['content']): UserMessage => ({ role: 'user', content, timestamp: 1 });

/** A model of the fake service; `baseUrl` has `/v1` where the dialect wants it. */
export function fakeModel(api: string, url: string, changes: Partial<Model> = {}): Model {
  return {
    id: 'fake-model',
    name: 'Fake',
    api,
    provider: 'fake',
    baseUrl: api === 'anthropic-messages' ? url : `${url}/v1`,
    reasoning: false,
    input: ['text', 'image'],
    contextWindow: 200_000,
    maxTokens: 32_000,
    cost: { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.5 },
    ...changes,
  };
}

export interface AskOptions extends Partial<ModelRequestOptions> {
  messages?: readonly ModelMessage[];
  tools?: ModelContext['tools'];
  systemPrompt?: string;
  /** Called after each event was recorded. */
  onEvent?: (event: ModelStreamEvent) => void;
}

export function requestFor(model: Model, asked: AskOptions = {}): ModelRequest {
  const { messages = [user('hi')], tools = [], systemPrompt = 'Be brief.', onEvent: _, ...options } = asked;
  return {
    model,
    context: { systemPrompt, messages, tools },
    options: {
      signal: new AbortController().signal,
      apiKey: KEY,
      headers: {},
      thinkingLevel: 'off',
      sessionId: 'session-1',
      idleTimeoutMs: 0,
      ...options,
    },
  };
}

/** Asks the way the agent does, and keeps every event. */
export async function ask(model: Model, options: AskOptions = {}): Promise<ModelAnswer & { events: ModelStreamEvent[] }> {
  const stream = modelStreamFor(model.api);
  if (!stream) throw new Error(`no stream for ${model.api}`);
  const events: ModelStreamEvent[] = [];
  const answer = await stream(requestFor(model, options), (event) => {
    events.push(event);
    options.onEvent?.(event);
  });
  return { ...answer, events };
}

/** The events as short words: `text_delta 0`. */
export const steps = (events: readonly ModelStreamEvent[]): string[] =>
  events.map((event) => ('contentIndex' in event ? `${event.type} ${event.contentIndex}` : event.type));
