import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AnswerEvent } from '../../../../core/extension-host/packages/pi-ai/answer-event.js';
import * as ai from '../../../../core/extension-host/packages/pi-ai.js';
import { APIS, fakeModel, KEY, user } from '../../../support/fake-llm/ask.js';
import { type FakeLlm, startFakeLlm } from '../../../support/fake-llm/server.js';
import { AGENT_KEY, useServices } from './worker-services.js';

let llm: FakeLlm;
beforeEach(async () => {
  llm = await startFakeLlm();
});
afterEach(async () => {
  await llm[Symbol.asyncDispose]();
});

const ask = { messages: [user('hi')] };
const secretOf = (at: number): unknown => {
  const headers = llm.requests[at]?.headers;
  return headers?.authorization?.replace('Bearer ', '') ?? headers?.['x-api-key'];
};
async function collect(stream: AsyncIterable<AnswerEvent>): Promise<AnswerEvent[]> {
  const events: AnswerEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe.each(APIS)('%s, with a key of its own', (api) => {
  test('the answer streams, each step with the message so far, and is the result', async () => {
    llm.push({ thinking: 'hmm', text: 'Hello there', toolCalls: [{ id: 'c1', name: 'look', args: { path: 'a.txt' } }] });
    const stream = ai.stream(fakeModel(api, llm.url), ask, { apiKey: KEY });
    const seen: string[] = [];
    for await (const event of stream) {
      seen.push(event.type);
      if (event.type === 'text_delta') {
        const block = event.partial.content[event.contentIndex];
        expect(block?.type === 'text' && block.text.includes(event.delta)).toBe(true);
      }
      if (event.type === 'toolcall_delta') expect(event.partial.content[event.contentIndex]).toMatchObject({ name: 'look' });
    }
    expect(seen[0]).toBe('start');
    expect(seen.at(-1)).toBe('done');
    expect(seen).toEqual(expect.arrayContaining(['text_start', 'text_delta', 'text_end', 'toolcall_start', 'toolcall_end']));
    const message = await stream.result();
    expect(message).toMatchObject({ role: 'assistant', api, stopReason: 'toolUse' });
    expect(message.content).toContainEqual(expect.objectContaining({ type: 'text', text: 'Hello there' }));
    expect(message.content).toContainEqual(expect.objectContaining({ name: 'look', arguments: { path: 'a.txt' } }));
    expect(message.usage.totalTokens).toBeGreaterThan(0);
    expect(secretOf(0)).toBe(KEY);
  });

  test('options reach the request in the words of the provider', async () => {
    llm.push({ text: 'ok' }, { text: 'ok' });
    const tools = [{ name: 'look', description: 'looks', parameters: ai.Type.Object({}), execute: () => 'a function' }];
    const options = { apiKey: KEY, temperature: 0.5, maxTokens: 77, headers: { 'x-own': 'yes', 'x-none': null } };
    await ai.complete(fakeModel(api, llm.url), { ...ask, systemPrompt: 'Be brief.', tools }, options);
    const [request] = llm.requests;
    expect(request?.headers).toMatchObject({ 'x-own': 'yes' });
    expect(request?.body).toMatchObject({ temperature: 0.5 });
    expect(request?.raw).toContain('Be brief.');
    expect(request?.raw).toContain('77');
    expect(request?.raw).toContain('look');
    const model = fakeModel(api, llm.url, { reasoning: true });
    await ai.completeSimple(model, ask, { apiKey: KEY, reasoning: 'high' });
    expect(llm.requests[1]?.raw).toMatch(/high|thinking/);
  });

  test('a refused request, an abort and a missing key are answers, never rejections', async () => {
    llm.push({ status: 503, body: { error: { message: 'busy' } } }, { hang: true, text: 'so far' });
    const model = fakeModel(api, llm.url);
    const refused = await ai.complete(model, ask, { apiKey: KEY });
    expect(refused).toMatchObject({ stopReason: 'error', errorMessage: expect.stringContaining('503') });
    expect(ai.isRetryableAssistantError(refused)).toBe(true);

    const controller = new AbortController();
    const stream = ai.stream(model, ask, { apiKey: KEY, signal: controller.signal });
    for await (const event of stream) if (event.type === 'text_delta') controller.abort();
    expect(await stream.result()).toMatchObject({ stopReason: 'aborted' });

    const events = await collect(ai.streamSimple(model, ask));
    expect(events).toMatchObject([{ type: 'error', reason: 'error', error: { errorMessage: 'No API key for provider: fake' } }]);
    expect(llm.requests).toHaveLength(2);
  });

  test('onPayload may replace the body, and onResponse sees the status', async () => {
    llm.push({ text: 'ok' });
    const statuses: number[] = [];
    await ai.complete(fakeModel(api, llm.url), ask, {
      apiKey: KEY,
      onPayload: (payload, model) => ({ ...(payload as object), metadata: { user_id: model.id } }),
      onResponse: ({ status }) => {
        statuses.push(status);
      },
    });
    expect(llm.requests[0]?.body.metadata).toEqual({ user_id: 'fake-model' });
    expect(statuses).toEqual([200]);
  });
});

describe('a model the agent knows', () => {
  test.each(APIS)('is asked by the agent, with its key (%s)', async (api) => {
    const model = fakeModel(api, llm.url);
    using _ = useServices([model], { credentials: () => Promise.reject(new Error('not to be asked')) });
    llm.push({ text: 'from afar', thinking: 'well', toolCalls: [{ id: 'c', name: 'x', args: { a: [1] } }] });
    const stream = ai.stream(model, ask, { temperature: 0.2, maxTokens: 50 });
    const events = await collect(stream);
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['start', 'text_delta', 'toolcall_end', 'done']));
    const message = await stream.result();
    expect(ai.contentText(message.content)).toBe('from afar');
    expect(message.content.at(-1)).toMatchObject({ name: 'x', arguments: { a: [1] } });
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'toolUse', message });
    expect(secretOf(0)).toBe(AGENT_KEY);
    expect(llm.requests[0]?.body).toMatchObject({ temperature: 0.2 });
  });

  test('is found by its names, without waiting', () => {
    const model = fakeModel('openai-completions', llm.url);
    using _ = useServices([model]);
    expect(ai.getModel('fake', 'fake-model')).toBe(model);
    expect(ai.getModel('fake', 'other')).toBeUndefined();
    expect(ai.getModels('fake')).toEqual([model]);
    expect(ai.getProviders()).toEqual(['fake']);
  });

  test('is asked from the worker when the call has a key, callbacks or an address of its own', async () => {
    const known = fakeModel('openai-completions', 'http://127.0.0.1:9');
    using _ = useServices([known], {
      streamModel: () => {
        throw new Error('not to be asked');
      },
    });
    const moved = { ...known, baseUrl: `${llm.url}/v1` };
    llm.push({ text: 'a' }, { text: 'b' });
    expect(ai.contentText((await ai.complete(moved, ask)).content)).toBe('a');
    expect(secretOf(0)).toBe(AGENT_KEY);
    expect(llm.requests[0]?.headers['x-agent']).toBe('yes');
    expect(ai.contentText((await ai.complete(moved, ask, { apiKey: KEY })).content)).toBe('b');
    expect(secretOf(1)).toBe(KEY);
  });

  test('when the agent can not be asked, that is an answer with what had arrived', async () => {
    const model = fakeModel('openai-completions', llm.url);
    using _ = useServices([model], {
      streamModel: async function* () {
        yield { type: 'start', message: ai.fauxAssistantMessage([], { stopReason: 'pending' }) };
        yield { type: 'toolcall_start', contentIndex: 0, id: 'c', toolName: 'x' };
        yield { type: 'toolcall_delta', contentIndex: 0, delta: '{"a":"b' };
        throw new Error('the agent is gone');
      },
    });
    const stream = ai.stream(model, ask);
    const events = await collect(stream);
    expect(events.map(({ type }) => type)).toEqual(['start', 'toolcall_start', 'toolcall_delta', 'error']);
    expect(await stream.result()).toMatchObject({
      stopReason: 'error',
      errorMessage: 'the agent is gone',
      content: [{ type: 'toolCall', id: 'c', name: 'x', arguments: { a: 'b' } }],
    });
  });
});

describe('dialects', () => {
  test('one that is registered speaks for its models, until it is taken back', async () => {
    const model = fakeModel('own-api', 'http://nowhere');
    expect(() => ai.stream(model, ask)).toThrow('No API provider registered for api: own-api');
    const speak = () => {
      const stream = ai.createAssistantMessageEventStream();
      stream.push({ type: 'done', reason: 'stop', message: ai.fauxAssistantMessage('mine') });
      return stream;
    };
    ai.registerApiProvider({ api: 'own-api', stream: speak, streamSimple: speak }, 'me');
    expect(ai.contentText((await ai.completeSimple(model, ask)).content)).toBe('mine');
    expect(ai.getApiProviders().map(({ api }) => api)).toEqual(expect.arrayContaining(['own-api', ...APIS]));
    ai.unregisterApiProviders('me');
    expect(ai.getApiProvider('own-api')).toBeUndefined();
  });

  test('streamSimpleOpenAICompletions and its like speak their dialect, whatever the model says', async () => {
    llm.push({ text: 'completions' }, { text: 'messages' }, { text: 'responses' });
    const model = fakeModel('some-gateway', llm.url, { baseUrl: `${llm.url}/v1` });
    const options = { apiKey: KEY };
    const texts = [
      await ai.streamSimpleOpenAICompletions(model, ask, options).result(),
      await ai.anthropicMessagesApi().streamSimple(model, ask, options).result(),
      await ai.openAIResponsesApi().stream(model, ask, options).result(),
    ];
    expect(texts.map((message) => ai.contentText(message.content))).toEqual(['completions', 'messages', 'responses']);
    expect(llm.requests.map(({ api }) => api)).toEqual(['openai-completions', 'anthropic-messages', 'openai-responses']);
  });
});
