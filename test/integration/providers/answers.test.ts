import { describe, expect, it } from 'vitest';
import type { AssistantMessage } from '../../../core/protocol/messages.js';
import { APIS, ask, fakeModel, steps } from '../../support/fake-llm/ask.js';
import { startFakeLlm } from '../../support/fake-llm/server.js';

const CALLS = [
  { id: 'call_a', name: 'bash', args: { command: 'ls' } },
  { id: 'call_b', name: 'read', args: { path: 'ä.txt' } },
];

describe.each(APIS)('%s: what an answer becomes', (api) => {
  it('streams text whose deltas add up, on one live message', async () => {
    await using llm = await startFakeLlm({ text: 'Grüße 🚀 from afar', chunks: 6 });
    const lengths: number[] = [];
    let live: AssistantMessage | undefined;
    const { message, events } = await ask(fakeModel(api, llm.url), {
      onEvent: (event) => {
        if (event.type === 'start') live = event.message;
        const first = live?.content[0];
        if (first?.type === 'text') lengths.push(first.text.length);
      },
    });
    expect(steps(events)).toEqual(['start', 'text_start 0', ...Array<string>(6).fill('text_delta 0'), 'text_end 0']);
    const deltas = events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []));
    expect(deltas.join('')).toBe('Grüße 🚀 from afar');
    expect(live).toBe(message);
    expect(lengths).toEqual([0, 3, 6, 10, 13, 16, 18, 18]);
    expect(message).toMatchObject({
      role: 'assistant',
      api,
      provider: 'fake',
      model: 'fake-model',
      stopReason: 'stop',
      content: [{ type: 'text', text: 'Grüße 🚀 from afar' }],
    });
    expect(message.responseId).toMatch(/_?-?\d+$/);
    expect(message.rawStopReason).toBeTypeOf('string');
  });

  it('starts with the first content, when the answer is still pending', async () => {
    await using llm = await startFakeLlm({ text: 'x' });
    let first: unknown;
    await ask(fakeModel(api, llm.url), {
      onEvent: (event) => {
        if (event.type === 'start') first = structuredClone(event.message);
      },
    });
    expect(first).toMatchObject({ stopReason: 'pending', content: [], responseId: expect.any(String) });
  });

  it('numbers thinking, text and tool calls by their place in the content', async () => {
    await using llm = await startFakeLlm({ thinking: 'hm', text: 'so', toolCalls: CALLS });
    const { message, events } = await ask(fakeModel(api, llm.url, { reasoning: true }), { thinkingLevel: 'high' });
    const starts = events.flatMap((event) => (/_(start|end)$/.test(event.type) ? steps([event]) : []));
    const opened = ['thinking_start 0', 'text_start 1', 'toolcall_start 2', 'toolcall_start 3'];
    const ended = ['thinking_end 0', 'text_end 1', 'toolcall_end 2', 'toolcall_end 3'];
    const inTurn = opened.flatMap((start, at) => [start, ended[at]]);
    expect(starts).toEqual(api === 'openai-completions' ? [...opened, ...ended] : inTurn);
    expect(message.stopReason).toBe('toolUse');
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'so' },
      { type: 'toolCall', name: 'bash', arguments: { command: 'ls' } },
      { type: 'toolCall', name: 'read', arguments: { path: 'ä.txt' } },
    ]);
    expect(events.find((event) => event.type === 'toolcall_start')).toMatchObject({
      toolName: 'bash',
      id: expect.stringMatching(/^call_a/),
    });
    expect(events.filter((event) => event.type === 'toolcall_end').map((event) => event.toolCall)).toEqual(
      message.content.slice(2),
    );
  });

  it('counts tokens and dollars by the prices of the model', async () => {
    await using llm = await startFakeLlm({ text: 'x', usage: { input: 1000, output: 500, cacheRead: 200, cacheWrite: 100 } });
    const { usage } = (await ask(fakeModel(api, llm.url))).message;
    expect(usage).toMatchObject({ input: 1000, output: 500, cacheRead: 200, cacheWrite: 100, totalTokens: 1800 });
    const { cost } = usage;
    expect(cost.input).toBeCloseTo(0.001, 9);
    expect(cost.output).toBeCloseTo(0.001, 9);
    expect(cost.cacheRead).toBeCloseTo(0.0001, 9);
    expect(cost.cacheWrite).toBeCloseTo(0.00015, 9);
    expect(cost.total).toBeCloseTo(0.00225, 9);
  });

  it('keeps the calls of an answer that was cut by length, their arguments as far as they came', async () => {
    const call = { id: 'call_a', name: 'write', rawArgs: '{"path":"a.txt","content":"half a sen' };
    await using llm = await startFakeLlm({ text: 'cut', toolCalls: [call], stopReason: 'length' });
    const { message, failure } = await ask(fakeModel(api, llm.url));
    expect(failure).toBeUndefined();
    expect(message.stopReason).toBe('length');
    expect(message.content).toMatchObject([
      { type: 'text', text: 'cut' },
      { type: 'toolCall', name: 'write', arguments: { path: 'a.txt', content: 'half a sen' } },
    ]);
  });

  it('reads a call without arguments as one with none', async () => {
    await using llm = await startFakeLlm({ toolCalls: [{ id: 'call_a', name: 'ls', rawArgs: '' }] });
    const { message } = await ask(fakeModel(api, llm.url));
    expect(message).toMatchObject({ stopReason: 'toolUse', content: [{ type: 'toolCall', name: 'ls', arguments: {} }] });
  });

  it('takes an empty answer for an answer', async () => {
    await using llm = await startFakeLlm({});
    const { message, events, failure } = await ask(fakeModel(api, llm.url));
    expect(steps(events)).toEqual(['start']);
    expect(message).toMatchObject({ stopReason: 'stop', content: [] });
    expect(failure).toBeUndefined();
  });

  it('reports a refusal of the model as an error that no retry helps', async () => {
    await using llm = await startFakeLlm({ text: 'I can', stopReason: 'refusal' });
    const { message, failure } = await ask(fakeModel(api, llm.url));
    expect(message).toMatchObject({ stopReason: 'error', content: [{ text: 'I can' }] });
    expect(message.errorMessage).toMatch(/declined|filter/);
    expect(failure?.kind).toBe('fatal');
  });

  it('reads a stream cut into single bytes, characters and lines included', async () => {
    await using llm = await startFakeLlm({ thinking: 'ä', text: '🚀é\u2028', toolCalls: CALLS, pieceBytes: 1 });
    const { message } = await ask(fakeModel(api, llm.url, { reasoning: true }), { thinkingLevel: 'low' });
    expect(message).toMatchObject({
      stopReason: 'toolUse',
      content: [{ thinking: 'ä' }, { text: '🚀é\u2028' }, {}, { arguments: CALLS[1]?.args }],
    });
  });

  it('reads a compressed stream', async () => {
    await using llm = await startFakeLlm({ text: 'squeezed', gzip: true, pieceBytes: 7 });
    expect((await ask(fakeModel(api, llm.url))).message).toMatchObject({ stopReason: 'stop', content: [{ text: 'squeezed' }] });
  });

  it('replays its own thinking and calls in the next request', async () => {
    await using llm = await startFakeLlm({ thinking: 'secret plan', text: 'so', toolCalls: CALLS.slice(0, 1) }, { text: 'done' });
    const model = fakeModel(api, llm.url, { reasoning: true });
    const { message } = await ask(model, { thinkingLevel: 'high' });
    const call = message.content.find((block) => block.type === 'toolCall');
    const result = {
      role: 'toolResult' as const,
      toolCallId: call?.id ?? '',
      toolName: 'bash',
      content: [{ type: 'text' as const, text: 'a.txt' }],
      isError: false,
      timestamp: 2,
    };
    await ask(model, { thinkingLevel: 'high', messages: [{ role: 'user', content: 'hi', timestamp: 1 }, message, result] });
    const { body } = await llm.request(1);
    const list = (body.messages ?? body.input) as object[];
    const wanted = {
      'anthropic-messages': [
        { type: 'thinking', thinking: 'secret plan', signature: 'c2lnbmVk' },
        { type: 'tool_use', id: 'call_a', name: 'bash', input: { command: 'ls' } },
        { type: 'tool_result', tool_use_id: 'call_a', content: 'a.txt', is_error: false },
      ],
      'openai-completions': [
        { role: 'assistant', reasoning_content: 'secret plan', tool_calls: [{ id: 'call_a' }] },
        { role: 'tool', tool_call_id: 'call_a', content: 'a.txt' },
      ],
      'openai-responses': [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'secret plan' }], encrypted_content: 'c2lnbmVk' },
        { type: 'message', role: 'assistant', id: expect.stringMatching(/^text_/) },
        { type: 'function_call', call_id: 'call_a', id: expect.stringMatching(/^toolCall_/), arguments: '{"command":"ls"}' },
        { type: 'function_call_output', call_id: 'call_a', output: 'a.txt' },
      ],
    }[api];
    const flat = list.flatMap((item) =>
      'content' in item && Array.isArray(item.content) && !('type' in item) ? item.content : [item],
    );
    for (const item of wanted) expect(flat).toContainEqual(expect.objectContaining(matching(item)));
  });
});

/** `toContainEqual` compares whole values: nested objects are compared in part. */
function matching(item: object): Record<string, unknown> {
  const part = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(part);
    return value?.constructor === Object ? expect.objectContaining(matching(value)) : value;
  };
  return Object.fromEntries(Object.entries(item).map(([key, value]) => [key, part(value)]));
}
