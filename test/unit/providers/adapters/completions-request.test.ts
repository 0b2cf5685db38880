import { describe, expect, it } from 'vitest';
import type { Model, ThinkingLevel } from '../../../../core/protocol/model.js';
import { completionsBody, completionsHeaders } from '../../../../core/providers/completions-request.js';
import { THINKING_FORMATS } from '../../../../core/providers/quirks.js';
import { type AskOptions, fakeModel, requestFor, user } from '../../../support/fake-llm/ask.js';
import { answered, call, IMAGE, NO_IMAGES, result, TOOLS, text } from './messages.js';

const model = fakeModel('openai-completions', 'http://localhost');
const thinker = fakeModel('openai-completions', 'http://localhost', { reasoning: true });
const withCompat = (compat: Model['compat'] & object, of = thinker): Model => ({ ...of, compat });
const bodyOf = (asked: AskOptions = {}, of = model) => completionsBody(requestFor(of, asked)).toObject();
const messagesOf = (asked: AskOptions, of = model) => bodyOf({ systemPrompt: '', ...asked }, of).messages;
const CACHE = { cache_control: { type: 'ephemeral' } };

describe('a request in Chat Completions', () => {
  it('asks as OpenAI wants to be asked', () => {
    expect(bodyOf({ tools: TOOLS.slice(0, 1) })).toEqual({
      model: 'fake-model',
      stream: true,
      stream_options: { include_usage: true },
      store: false,
      max_completion_tokens: 32_000,
      tools: [
        {
          type: 'function',
          function: { name: 'read', description: 'What read does.', parameters: TOOLS[0]?.parameters, strict: false },
        },
      ],
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hi' },
      ],
    });
  });

  it('gives a reasoning model its instructions as developer and its effort', () => {
    expect(bodyOf({ thinkingLevel: 'high' }, thinker)).toMatchObject({
      reasoning_effort: 'high',
      messages: [{ role: 'developer', content: 'Be brief.' }, {}],
    });
    expect(bodyOf({ thinkingLevel: 'off' }, thinker)).not.toHaveProperty('reasoning_effort');
    expect(bodyOf({ thinkingLevel: 'high' })).not.toHaveProperty('reasoning_effort');
    const mapped = { ...thinker, thinkingLevelMap: { off: 'none', high: 'lots' } };
    expect(bodyOf({ thinkingLevel: 'high' }, mapped)).toHaveProperty('reasoning_effort', 'lots');
    expect(bodyOf({ thinkingLevel: 'off' }, mapped)).toHaveProperty('reasoning_effort', 'none');
  });

  it('replays thinking under the name it came with, calls and results', () => {
    const thought = { type: 'thinking', thinking: 'plan', thinkingSignature: 'reasoning' } as const;
    const messages = [user('go'), answered(thinker, [thought, text('so'), call('a')]), result('a', [text('A')])];
    expect(messagesOf({ messages, thinkingLevel: 'high' }, thinker)).toEqual([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: 'so',
        reasoning: 'plan',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'A' },
    ]);
    const unsigned = [user('go'), answered(thinker, [{ type: 'thinking', thinking: 'plan' }, text('so')])];
    expect(messagesOf({ messages: unsigned }, thinker)).toMatchObject([{}, { reasoning_content: 'plan' }]);
    expect(messagesOf({ messages: unsigned }, { ...thinker, id: 'other' })).toEqual([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'plan\n\nso' },
    ]);
  });

  it('gives back the signatures of thoughts behind calls', () => {
    const google = { ...call('a'), thoughtSignature: '{"google":{"thought_signature":"s"}}' };
    const detail = { type: 'reasoning.encrypted', id: 'b', data: 'x' };
    const router = { ...call('b'), thoughtSignature: JSON.stringify(detail) };
    const opaque = { ...call('c'), thoughtSignature: 'opaque' };
    const messages = [user('go'), answered(thinker, [google, router, opaque])];
    expect(messagesOf({ messages }, thinker)).toMatchObject([
      {},
      {
        content: null,
        reasoning_details: [detail],
        tool_calls: [{ id: 'a', extra_content: { google: { thought_signature: 's' } } }, { id: 'b' }, { id: 'c' }],
      },
    ]);
    expect(JSON.stringify(messagesOf({ messages }, { ...thinker, id: 'other' }))).not.toMatch(/thought_signature|encrypted/);
  });

  it('shows images of tools after the results, and says what a text-only model misses', () => {
    const messages = [
      user([text('look'), IMAGE]),
      answered(model, [call('a'), call('b')]),
      result('a', [IMAGE]),
      result('b', [text('B')]),
    ];
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1n' } };
    expect(messagesOf({ messages })).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'look' }, image] },
      {},
      { role: 'tool', tool_call_id: 'a', content: '(see attached image)' },
      { role: 'tool', tool_call_id: 'b', content: 'B' },
      { role: 'user', content: [{ type: 'text', text: 'Attached image(s) from tool result:' }, image] },
    ]);
    const blind = { ...model, input: ['text' as const] };
    expect(messagesOf({ messages }, blind)).toMatchObject([
      { content: [{}, { text: NO_IMAGES }] },
      {},
      { content: NO_IMAGES },
      {},
    ]);
  });

  it('does as the quirks of its service say', () => {
    const quirky = withCompat({
      supportsStore: false,
      supportsDeveloperRole: false,
      supportsReasoningEffort: false,
      supportsUsageInStreaming: false,
      supportsStrictMode: false,
      maxTokensField: 'max_tokens',
      zaiToolStream: true,
      openRouterRouting: { only: ['a'] },
      vercelGatewayRouting: { order: ['b'] },
      supportsPromptCacheKey: true,
    });
    const { messages, tools, ...fields } = bodyOf({ thinkingLevel: 'high', tools: TOOLS.slice(0, 1) }, quirky);
    expect(fields).toEqual({
      model: 'fake-model',
      stream: true,
      max_tokens: 32_000,
      tool_stream: true,
      provider: { only: ['a'] },
      providerOptions: { gateway: { order: ['b'] } },
      prompt_cache_key: 'session-1',
    });
    expect(messages).toMatchObject([{ role: 'system' }, {}]);
    expect(tools).toEqual([
      { type: 'function', function: { name: 'read', description: 'What read does.', parameters: TOOLS[0]?.parameters } },
    ]);
  });

  it('shapes messages as the quirks of its service say', () => {
    const thought = { type: 'thinking', thinking: 'plan', thinkingSignature: 'reasoning_content' } as const;
    const strict = withCompat({
      requiresToolResultName: true,
      requiresAssistantAfterToolResult: true,
      requiresThinkingAsText: true,
    });
    const messages = (of: Model) => [
      user('go'),
      answered(of, [thought, text('so'), call('a')]),
      result('a', [text('A')]),
      user('more'),
    ];
    expect(messagesOf({ messages: messages(strict) }, strict)).toMatchObject([
      {},
      { content: 'plan\n\nso' },
      { role: 'tool', name: 'read' },
      { role: 'assistant', content: 'I have processed the tool results.' },
      { role: 'user', content: 'more' },
    ]);
    const echo = withCompat({ requiresReasoningContentOnAssistantMessages: true });
    const plain = [user('go'), answered(echo, [text('so')])];
    expect(messagesOf({ messages: plain, thinkingLevel: 'high' }, echo)).toMatchObject([{}, { reasoning_content: '' }]);
    expect(messagesOf({ messages: plain, thinkingLevel: 'off' }, echo)).toEqual([
      expect.anything(),
      { role: 'assistant', content: 'so' },
    ]);
  });

  it('gives Mistral nine letters and digits for an id, the same for call and result', () => {
    const mistral = { ...model, baseUrl: 'https://api.mistral.ai/v1' };
    const messages = [
      user('go'),
      answered(mistral, [call('call_abc|fc_1'), call('abcDEF123')]),
      result('call_abc|fc_1', [text('A')]),
      result('abcDEF123', [text('B')]),
    ];
    const [, answer, first, second] = messagesOf({ messages }, mistral) as {
      tool_calls?: { id: string }[];
      tool_call_id?: string;
      name?: string;
    }[];
    expect(answer?.tool_calls?.[0]?.id).toMatch(/^[a-z0-9]{9}$/);
    expect(first).toMatchObject({ tool_call_id: answer?.tool_calls?.[0]?.id, name: 'read' });
    expect(second).toMatchObject({ tool_call_id: 'abcDEF123' });
  });

  it('marks the cache in the manner of Anthropic where the service takes it', () => {
    const cached = withCompat({ cacheControlFormat: 'anthropic' });
    const messages = [user('one'), answered(cached, [text('two'), call('a')]), result('a', [text('A')])];
    const body = bodyOf({ messages, tools: TOOLS }, cached);
    expect(body.messages).toMatchObject([
      { content: [{ type: 'text', text: 'Be brief.', ...CACHE }] },
      { content: 'one' },
      { content: 'two' },
      { role: 'tool', content: [{ type: 'text', text: 'A', ...CACHE }] },
    ]);
    expect(body.tools).toMatchObject([expect.not.objectContaining(CACHE), CACHE]);
    expect(JSON.stringify(bodyOf({ messages, tools: TOOLS }, thinker))).not.toContain('cache_control');
  });

  it('sends the affinity headers that the service understands', () => {
    const headers = (compat: Model['compat'] & object) => completionsHeaders(requestFor(withCompat(compat)));
    const authorization = 'Bearer sk-test-0123456789';
    expect(headers({})).toEqual({ authorization });
    expect(headers({ sendSessionAffinityHeaders: true })).toEqual({
      authorization,
      session_id: 'session-1',
      'x-client-request-id': 'session-1',
      'x-session-affinity': 'session-1',
    });
    expect(headers({ sendSessionAffinityHeaders: true, sessionAffinityFormat: 'openrouter' })).toEqual({
      authorization,
      'x-session-id': 'session-1',
    });
    expect(headers({ sendSessionAffinityHeaders: true, sessionAffinityFormat: 'openai-nosession' })).not.toHaveProperty(
      'session_id',
    );
  });

  it('lets sampling parameters of the model have the last word', () => {
    const sampled: Model = { ...model, ...{ samplingParams: { temperature: 1, min_p: 0, stream_options: null } } };
    expect(bodyOf({}, sampled)).toMatchObject({ temperature: 1, min_p: 0, stream_options: null });
  });
});

describe('turning thinking on and off', () => {
  const compat = {
    chatTemplateKwargs: {
      thinking: { $var: 'thinking.enabled' },
      effort: { $var: 'thinking.effort', omitWhenOff: true },
      keep: 1,
    },
    chatTemplateArgs: { enable_thinking: { $var: 'thinking.enabled' } },
  };
  const plain = bodyOf({}, thinker);
  /** What the level adds to a request. */
  const fields = (thinkingFormat: string, thinkingLevel: ThinkingLevel, changes: Partial<Model> = {}, more: object = {}) => {
    const body = bodyOf({ thinkingLevel }, { ...withCompat({ ...compat, thinkingFormat, ...more }), ...changes });
    return Object.fromEntries(Object.entries(body).filter(([key]) => !(key in plain)));
  };

  it.each([
    ['openai', {}, { reasoning_effort: 'high' }],
    ['openrouter', { reasoning: { effort: 'none' } }, { reasoning: { effort: 'high' } }],
    ['deepseek', { thinking: { type: 'disabled' } }, { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
    ['together', { reasoning: { enabled: false } }, { reasoning: { enabled: true }, reasoning_effort: 'high' }],
    [
      'baseten',
      { chat_template_args: { enable_thinking: false } },
      { chat_template_args: { enable_thinking: true }, reasoning_effort: 'high' },
    ],
    [
      'zai',
      { thinking: { type: 'disabled' } },
      { thinking: { type: 'enabled', clear_thinking: false }, reasoning_effort: 'high' },
    ],
    ['qwen', { enable_thinking: false }, { enable_thinking: true, reasoning_effort: 'high' }],
    [
      'chat-template',
      { chat_template_kwargs: { thinking: false, keep: 1 } },
      { chat_template_kwargs: { thinking: true, effort: 'high', keep: 1 } },
    ],
    [
      'qwen-chat-template',
      { chat_template_kwargs: { enable_thinking: false, preserve_thinking: true } },
      { chat_template_kwargs: { enable_thinking: true, preserve_thinking: true } },
    ],
    ['string-thinking', { thinking: 'none' }, { thinking: 'high' }],
    ['ant-ling', {}, {}],
  ])('%s', (format, off, on) => {
    expect(fields(format, 'off')).toEqual(off);
    expect(fields(format, 'high')).toEqual(on);
  });

  it('covers every format', () => {
    for (const format of THINKING_FORMATS) expect(() => fields(format, 'high')).not.toThrow();
  });

  it.each(['deepseek', 'together', 'zai', 'qwen', 'openrouter', 'string-thinking'])(
    '%s sends nothing to stop a model that always thinks',
    (format) => {
      expect(fields(format, 'off', { thinkingLevelMap: { off: null } })).toEqual({});
    },
  );

  it('leaves the effort out where the service has only a switch', () => {
    expect(fields('together', 'high', {}, { supportsReasoningEffort: false })).toEqual({ reasoning: { enabled: true } });
    expect(fields('deepseek', 'high', {}, { supportsReasoningEffort: false })).toEqual({ thinking: { type: 'enabled' } });
  });
});
