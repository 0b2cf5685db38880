import { describe, expect, it } from 'vitest';
import type { Model } from '../../../../core/protocol/model.js';
import type { ModelStreamEvent } from '../../../../core/protocol/model-stream.js';
import { AnthropicDecoder } from '../../../../core/providers/anthropic-decoder.js';
import { CompletionsDecoder } from '../../../../core/providers/completions-decoder.js';
import { LiveAnswer } from '../../../../core/providers/live-answer.js';
import { quirksOf } from '../../../../core/providers/quirks.js';
import { ResponsesDecoder } from '../../../../core/providers/responses-decoder.js';
import type { AnswerDecoder } from '../../../../core/providers/stream-answer.js';
import { fakeModel, steps } from '../../../support/fake-llm/ask.js';

function read(model: Model, make: (answer: LiveAnswer) => AnswerDecoder, sent: readonly object[]) {
  const events: ModelStreamEvent[] = [];
  const answer = new LiveAnswer(model, (event) => events.push(event), 0);
  const decoder = make(answer);
  const isDone = sent.map((event) => decoder.event(event as Record<string, unknown>)).some(Boolean);
  const isWhole = isDone || decoder.end();
  return { message: answer.message, events, isWhole };
}

describe('Chat Completions as services really stream them', () => {
  const model = fakeModel('openai-completions', 'http://localhost');
  const chunk = (delta: object, finish_reason: string | null = null) => ({ id: 'c-1', choices: [{ delta, finish_reason }] });
  const readChunks = (sent: readonly object[], of = model) =>
    read(of, (answer) => new CompletionsDecoder(answer, quirksOf(of)), sent);
  const calls = (...list: object[]) => chunk({ tool_calls: list });

  it.each(['reasoning_content', 'reasoning', 'reasoning_text'])('reads thinking from %s, once, and keeps the name', (field) => {
    const { message } = readChunks([chunk({ [field]: 'hm', content: null }), chunk({ content: 'so' }), chunk({}, 'stop')]);
    expect(message.content).toEqual([
      { type: 'thinking', thinking: 'hm', thinkingSignature: field },
      { type: 'text', text: 'so' },
    ]);
  });

  it('does not double thinking that a service sends under two names', () => {
    const { message } = readChunks([chunk({ reasoning: 'hm', reasoning_content: 'hm' }), chunk({}, 'stop')]);
    expect(message.content).toMatchObject([{ thinking: 'hm' }]);
  });

  it('tells apart calls that all have the index 0', () => {
    const { message } = readChunks([
      calls({ index: 0, id: 'a', function: { name: 'x', arguments: '{"n":1}' } }),
      calls({ index: 0, id: 'b', function: { name: 'y', arguments: '{"n":2}' } }),
      chunk({}, 'stop'),
    ]);
    expect(message).toMatchObject({
      stopReason: 'toolUse',
      content: [
        { id: 'a', name: 'x', arguments: { n: 1 } },
        { id: 'b', name: 'y', arguments: { n: 2 } },
      ],
    });
  });

  it('joins calls whose pieces are interleaved, and those that repeat their id', () => {
    const { message } = readChunks([
      calls(
        { index: 0, id: 'a', function: { name: 'x', arguments: '{"n"' } },
        { index: 1, id: 'b', function: { name: 'y', arguments: '{' } },
      ),
      calls({ index: 1, function: { arguments: '"m":2}' } }, { index: 0, id: 'a', function: { arguments: ':1}' } }),
      chunk({}, 'tool_calls'),
    ]);
    expect(message.content).toMatchObject([
      { id: 'a', arguments: { n: 1 } },
      { id: 'b', arguments: { m: 2 } },
    ]);
  });

  it('takes calls without index and id, with arguments as an object', () => {
    const { message } = readChunks([calls({ function: { name: 'x', arguments: { n: 1 } } }), chunk({}, 'tool_calls')]);
    expect(message.content).toMatchObject([{ id: expect.stringMatching(/^call_\w+$/), name: 'x', arguments: { n: 1 } }]);
  });

  it('keeps the signatures of Google and OpenRouter with their calls', () => {
    const detail = { type: 'reasoning.encrypted', id: 'b', data: 'd' };
    const { message } = readChunks([
      calls({ index: 0, id: 'a', function: { name: 'x' }, extra_content: { google: { thought_signature: 's' } } }),
      chunk({ reasoning_details: [detail], tool_calls: [{ index: 1, id: 'b', function: { name: 'y' } }] }),
      chunk({}, 'tool_calls'),
    ]);
    expect(message.content).toMatchObject([
      { thoughtSignature: '{"google":{"thought_signature":"s"}}' },
      { thoughtSignature: JSON.stringify(detail) },
    ]);
  });

  it.each([
    [
      { prompt_tokens: 10, completion_tokens: 5, prompt_cache_hit_tokens: 4 },
      { input: 6, cacheRead: 4, output: 5 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 } },
      { input: 3, cacheRead: 4, cacheWrite: 3 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 3 }, total_tokens: 15 },
      { output: 5, reasoning: 3 },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 3 }, total_tokens: 18 },
      { output: 8, reasoning: 3 },
    ],
    [
      { prompt_tokens: null, completion_tokens: 'x' },
      { input: 0, output: 0 },
    ],
  ])('counts %j', (usage, expected) => {
    expect(readChunks([chunk({ content: 'x' }, 'stop'), { choices: [], usage }]).message.usage).toMatchObject(expected);
    expect(readChunks([{ choices: [{ delta: { content: 'x' }, finish_reason: 'stop', usage }] }]).message.usage).toMatchObject(
      expected,
    );
  });

  it('is not whole without a finish reason, unless the service never gives one', () => {
    expect(readChunks([chunk({ content: 'x' })]).isWhole).toBe(false);
    const silent = { ...model, compat: { supportsFinishReason: false } };
    expect(readChunks([chunk({ content: 'x' })], silent)).toMatchObject({ isWhole: true, message: { stopReason: 'stop' } });
    expect(readChunks([calls({ index: 0, id: 'a', function: { name: 'x' } })], silent).message.stopReason).toBe('toolUse');
    expect(readChunks([], silent).isWhole).toBe(false);
  });

  it('passes over what it does not know', () => {
    const odd = [
      {},
      { choices: null },
      { choices: [null, 1] },
      { choices: [{ delta: null }] },
      chunk({ content: 5, tool_calls: 'x' }),
      chunk({ audio: {} }),
    ];
    expect(readChunks([...odd, chunk({}, 'stop')]).message).toMatchObject({ content: [], stopReason: 'stop' });
  });
});

describe('Anthropic blocks', () => {
  const model = fakeModel('anthropic-messages', 'http://localhost');
  const readEvents = (...sent: object[]) => read(model, (answer) => new AnthropicDecoder(answer), sent);
  const stop = { type: 'message_stop' };

  it('keeps redacted thinking and signatures for the next request', () => {
    const { message, events } = readEvents(
      { type: 'content_block_start', index: 0, content_block: { type: 'redacted_thinking', data: 'hidden' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'thinking_delta', thinking: 'hm' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'signature_delta', signature: 'sig' } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
      stop,
    );
    expect(message.content).toEqual([
      { type: 'thinking', thinking: '', redacted: true, thinkingSignature: 'hidden' },
      { type: 'thinking', thinking: 'hm', thinkingSignature: 'sig' },
    ]);
    expect(steps(events)).toEqual([
      'start',
      'thinking_start 0',
      'thinking_end 0',
      'thinking_start 1',
      'thinking_delta 1',
      'thinking_end 1',
    ]);
  });

  it('numbers blocks by their place in the content when it leaves some out', () => {
    const { events } = readEvents(
      { type: 'content_block_start', index: 0, content_block: { type: 'server_tool_use', id: 's' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: 'whole' } },
      { type: 'content_block_stop', index: 1 },
      stop,
    );
    expect(steps(events)).toEqual(['start', 'text_start 0', 'text_delta 0', 'text_end 0']);
  });

  it('counts what is cached for an hour', () => {
    const usage = {
      input_tokens: 1,
      output_tokens: 1,
      cache_creation_input_tokens: 9,
      cache_creation: { ephemeral_1h_input_tokens: 4 },
    };
    const { message } = readEvents(
      { type: 'message_start', message: { id: 'm', usage } },
      { type: 'message_delta', usage: { output_tokens: 7 } },
      stop,
    );
    expect(message.usage).toMatchObject({ input: 1, output: 7, cacheWrite: 9, cacheWrite1h: 4, totalTokens: 17 });
  });
});

describe('Responses items', () => {
  const model = fakeModel('openai-responses', 'http://localhost');
  const readEvents = (...sent: object[]) => read(model, (answer) => new ResponsesDecoder(answer), sent);
  const done = { type: 'response.completed', response: { id: 'r', status: 'completed' } };

  it('separates the parts of a summary, so that the deltas add up to the thinking', () => {
    const item = { type: 'reasoning', id: 'rs', summary: [{ text: 'a' }, { text: 'b' }] };
    const { message, events } = readEvents(
      { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'rs', summary: [] } },
      { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0 },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'a' },
      { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 1 },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'b' },
      { type: 'response.output_item.done', output_index: 0, item },
      done,
    );
    expect(message.content).toEqual([{ type: 'thinking', thinking: 'a\n\nb', thinkingSignature: JSON.stringify(item) }]);
    expect(events.flatMap((event) => (event.type === 'thinking_delta' ? [event.delta] : [])).join('')).toBe('a\n\nb');
  });

  it('takes whole items of servers that stream no deltas', () => {
    const { message, events } = readEvents(
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: { type: 'message', id: 'm', content: [{ type: 'output_text', text: 'so' }] },
      },
      {
        type: 'response.output_item.done',
        output_index: 1,
        item: { type: 'function_call', id: 'f', call_id: 'c', name: 'x', arguments: '{"n":1}' },
      },
      done,
    );
    expect(message).toMatchObject({
      stopReason: 'toolUse',
      content: [
        { text: 'so', textSignature: '{"v":1,"id":"m"}' },
        { id: 'c|f', arguments: { n: 1 } },
      ],
    });
    expect(steps(events)).toEqual([
      'start',
      'text_start 0',
      'text_delta 0',
      'text_end 0',
      'toolcall_start 1',
      'toolcall_delta 1',
      'toolcall_end 1',
    ]);
  });

  it('says why an answer is incomplete', () => {
    const { message } = readEvents({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    });
    expect(message).toMatchObject({ stopReason: 'length', rawStopReason: 'incomplete.max_output_tokens' });
  });
});

describe('an answer that breaks off', () => {
  it('ends no block that was not whole, and keeps the arguments that can be read', () => {
    const events: ModelStreamEvent[] = [];
    const answer = new LiveAnswer(fakeModel('x', ''), (event) => events.push(event), 0);
    const open = answer.openCall('a', 'write');
    answer.addArguments(open, '{"path":"a.txt","content":"half');
    answer.fail('aborted', 'Request was aborted');
    expect(steps(events)).toEqual(['start', 'toolcall_start 0', 'toolcall_delta 0']);
    expect(answer.message).toMatchObject({ stopReason: 'aborted', content: [{ arguments: { path: 'a.txt', content: 'half' } }] });
  });
});
