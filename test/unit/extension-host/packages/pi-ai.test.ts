import { describe, expect, test } from 'vitest';
import * as ai from '../../../../core/extension-host/packages/pi-ai.js';
import * as builtIn from '../../../../core/extension-host/packages/pi-ai-providers-all.js';
import type { AssistantMessage } from '../../../../core/protocol/messages.js';
import { fakeModel } from '../../../support/fake-llm/ask.js';

const answer = (changes: Partial<AssistantMessage>): AssistantMessage => ({ ...ai.fauxAssistantMessage('hi'), ...changes });
const failed = (errorMessage: string): AssistantMessage => answer({ stopReason: 'error', errorMessage });
const collect = async <T>(events: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const event of events) all.push(event);
  return all;
};

describe('an event stream', () => {
  test('gives events in order, those pushed before it was read too, and ends with its last event', async () => {
    const stream = ai.createAssistantMessageEventStream();
    const message = answer({});
    stream.push({ type: 'start', partial: message });
    const reading = collect(stream);
    stream.push({ type: 'text_delta', contentIndex: 0, delta: 'h', partial: message });
    stream.push({ type: 'done', reason: 'stop', message });
    stream.push({ type: 'start', partial: message });
    expect((await reading).map(({ type }) => type)).toEqual(['start', 'text_delta', 'done']);
    expect(await stream.result()).toBe(message);
  });

  test('wakes a reader that waits when it is ended without a last event', async () => {
    const stream = new ai.EventStream<number, string>(
      (event) => event === 0,
      () => 'last',
    );
    const reading = collect(stream);
    stream.push(1);
    stream.end('given');
    expect(await reading).toEqual([1]);
    expect(await stream.result()).toBe('given');
  });

  test('a failed answer is the result, not a rejection', async () => {
    const stream = new ai.AssistantMessageEventStream();
    expect(stream).toBeInstanceOf(ai.EventStream);
    const error = failed('503 busy');
    stream.push({ type: 'error', reason: 'error', error });
    expect(await stream.result()).toBe(error);
  });
});

describe('JSON of models', () => {
  test.each([
    ['{"a":"x\ny"}', { a: 'x\ny' }],
    ['{"a":"\\d+"}', { a: '\\d+' }],
    ['{"a":"\\\\"}', { a: '\\' }],
    ['{"a":"\\u0041\\u00"}', { a: 'A\\u00' }],
    ['{"a":"\u0001"}', { a: '\u0001' }],
  ])('parseJsonWithRepair reads %j', (text, value) => {
    expect(ai.parseJsonWithRepair(text)).toEqual(value);
  });

  test.each(['{"a":1', 'not', '', '{"a":1}x'])('parseJsonWithRepair throws for %j, which no escape repairs', (text) => {
    expect(() => ai.parseJsonWithRepair(text)).toThrow(SyntaxError);
  });

  test.each([
    ['{"a":1', { a: 1 }],
    ['{"a":{"b":"c', { a: { b: 'c' } }],
    ['[1,2', [1, 2]],
    ['not', {}],
    ['', {}],
    [undefined, {}],
    ['{"a":1}', { a: 1 }],
  ])('parseStreamingJson reads as much as there is of %j', (text, value) => {
    expect(ai.parseStreamingJson(text)).toEqual(value);
  });
});

describe('tool arguments', () => {
  const parameters = ai.Type.Object({
    n: ai.Type.Number(),
    s: ai.Type.Optional(ai.Type.String()),
    list: ai.Type.Optional(ai.Type.Array(ai.Type.String())),
  });
  const tool = { name: 't', description: 'd', parameters };
  const check = (args: Record<string, unknown>) => ai.validateToolArguments(tool, { name: 't', arguments: args });

  test('G36: odd shapes are repaired by the schema, in an object of its own', () => {
    const args = { n: '5', s: null, list: '["a"]', extra: 1 };
    expect(check(args)).toEqual({ n: 5, list: ['a'], extra: 1 });
    expect(args).toEqual({ n: '5', s: null, list: '["a"]', extra: 1 });
  });

  test('the error names each field at fault and what was received', () => {
    expect(() => check({ n: 'x', list: [{}] })).toThrow(
      /^Validation failed for tool "t":\n {2}- n: must be number\n {2}- list\.0: must be string\n\nReceived arguments:\n\{/,
    );
    expect(() => check({})).toThrow('- n: is required');
  });

  test('a schema of plain JSON and one with words of its own are checked too', () => {
    const plain = { name: 't', parameters: { type: 'object', properties: { n: { type: 'integer', multipleOf: 2 } } } };
    expect(ai.validateToolArguments(plain, { name: 't', arguments: { n: '4' } })).toEqual({ n: 4 });
    expect(() => ai.validateToolArguments(plain, { name: 't', arguments: { n: 3 } })).toThrow('n: ');
  });

  test('validateToolCall finds the tool by its name', () => {
    expect(ai.validateToolCall([tool], { name: 't', arguments: { n: 1 } })).toEqual({ n: 1 });
    expect(() => ai.validateToolCall([tool], { name: 'z', arguments: {} })).toThrow('Tool "z" not found');
  });

  test('StringEnum is a string with its choices, which every provider takes', () => {
    const schema = ai.StringEnum(['a', 'b'] as const, { description: 'x', default: 'a' });
    expect(JSON.parse(JSON.stringify(schema))).toEqual({ type: 'string', enum: ['a', 'b'], description: 'x', default: 'a' });
  });
});

describe('what is known of a model', () => {
  const thinker = fakeModel('anthropic-messages', 'http://x', {
    reasoning: true,
    thinkingLevelMap: { minimal: null, xhigh: 'x' },
  });

  test('its thinking levels, and the nearest to one it has not', () => {
    expect(ai.getSupportedThinkingLevels(thinker)).toEqual(['off', 'low', 'medium', 'high', 'xhigh']);
    expect(ai.clampThinkingLevel(thinker, 'minimal')).toBe('low');
    expect(ai.clampThinkingLevel(thinker, 'max')).toBe('xhigh');
    expect(ai.getSupportedThinkingLevels(fakeModel('x', 'http://x'))).toEqual(['off']);
  });

  test('what a use of it costs', () => {
    const { usage } = answer({});
    Object.assign(usage, { input: 1_000_000, output: 500_000, totalTokens: 7 });
    expect(ai.calculateCost(thinker, usage)).toBe(usage.cost);
    expect(usage).toMatchObject({ totalTokens: 7, cost: { input: 1, output: 1, total: 2 } });
  });

  test('its dialect, and whether two are the same', () => {
    expect(ai.hasApi(thinker, 'anthropic-messages')).toBe(true);
    expect(ai.hasApi(thinker, 'openai-responses')).toBe(false);
    expect(ai.modelsAreEqual(thinker, { ...thinker, name: 'other' })).toBe(true);
    expect(ai.modelsAreEqual(thinker, undefined)).toBe(false);
  });

  test('the shipped catalogue is read without waiting', () => {
    expect(builtIn.getBuiltinProviders()).toContain('anthropic');
    const [first] = builtIn.getBuiltinModels('anthropic');
    expect(first).toMatchObject({ provider: 'anthropic', api: 'anthropic-messages', baseUrl: 'https://api.anthropic.com' });
    expect(builtIn.getBuiltinModel('anthropic', first?.id ?? '')).toBe(first);
    expect(builtIn.getBuiltinModels('toString')).toEqual([]);
  });
});

describe('failed answers', () => {
  test.each([
    ['prompt is too long: 20000 tokens > 1000 maximum', true],
    ['400 {"error":{"code":"context_length_exceeded"}}', true],
    ['429 rate limit', false],
  ])('isContextOverflow of %j is %s', (text, expected) => {
    expect(ai.isContextOverflow(failed(text))).toBe(expected);
  });

  test('an answer that took in more than the window is an overflow, though nobody said so', () => {
    const { usage } = answer({});
    expect(ai.isContextOverflow(answer({ usage: { ...usage, input: 900, cacheRead: 200 } }), 1000)).toBe(true);
    expect(ai.isContextOverflow(answer({ usage: { ...usage, input: 900 } }), 1000)).toBe(false);
  });

  test.each([
    ['429 too many', true],
    ['529 overloaded', true],
    ['500 x', true],
    ['terminated', true],
    ['400 bad request', false],
    ['insufficient_quota', false],
    ['prompt is too long: 20000 tokens > 1000 maximum', false],
  ])('isRetryableAssistantError of %j is %s', (text, expected) => {
    expect(ai.isRetryableAssistantError(failed(text))).toBe(expected);
    expect(ai.isRetryableAssistantError(answer({ errorMessage: text }))).toBe(false);
  });
});

test('contentText joins the text of a message and leaves out the rest', () => {
  const content = [ai.fauxText('a'), ai.fauxThinking('t'), ai.fauxToolCall('x', {}), ai.fauxText('b')];
  expect(ai.contentText(content)).toBe('a\nb');
  expect(ai.contentText(content, ' ')).toBe('a b');
  expect(ai.contentText('plain')).toBe('plain');
});

test('a key is found in the variable of its provider, and only if it is set', () => {
  expect(ai.getEnvApiKey('openai', { OPENAI_API_KEY: 'k' })).toBe('k');
  expect(ai.findEnvKeys('openai', { OPENAI_API_KEY: 'k' })).toEqual(['OPENAI_API_KEY']);
  expect(ai.findEnvKeys('openai', { OPENAI_API_KEY: '' })).toBeUndefined();
  expect(ai.getEnvApiKey('nobody', { OPENAI_API_KEY: 'k' })).toBeUndefined();
});

test('uuidv7 sorts by the time it was made', () => {
  expect(ai.uuidv7()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('resources of a session are freed by all who keep some, one that fails included', () => {
  const freed: unknown[] = [];
  const takeBack = ai.registerSessionResourceCleanup((id) => freed.push(['first', id]));
  const takeBackBad = ai.registerSessionResourceCleanup(() => {
    throw new Error('stuck');
  });
  const takeBackLast = ai.registerSessionResourceCleanup((id) => freed.push(['last', id]));
  expect(() => ai.cleanupSessionResources('s1')).toThrow('Not all resources');
  expect(freed).toEqual([
    ['first', 's1'],
    ['last', 's1'],
  ]);
  for (const undo of [takeBack, takeBackBad, takeBackLast]) undo();
  ai.cleanupSessionResources();
  expect(freed).toHaveLength(2);
});
