import { describe, expect, it } from 'vitest';
import type { ThinkingLevel } from '../../../../core/protocol/model.js';
import { anthropicBody, anthropicHeaders } from '../../../../core/providers/anthropic-request.js';
import { type AskOptions, fakeModel, requestFor, user } from '../../../support/fake-llm/ask.js';
import { answered, call, IMAGE, NO_IMAGES, result, TOOLS, text } from './messages.js';

const model = fakeModel('anthropic-messages', 'http://localhost');
const thinker = fakeModel('anthropic-messages', 'http://localhost', { reasoning: true });
const CACHE = { cache_control: { type: 'ephemeral' } };
const bodyOf = (asked: AskOptions = {}, of = model) => anthropicBody(requestFor(of, asked)).toObject();
const messagesOf = (asked: AskOptions, of = model) => bodyOf(asked, of).messages;

describe('a request to Anthropic', () => {
  it('marks the system prompt, the last tool and the last user block for the cache, and nothing else', () => {
    const messages = [user('one'), answered(model, [text('two')]), user([text('three'), IMAGE])];
    expect(bodyOf({ tools: TOOLS, messages })).toEqual({
      model: 'fake-model',
      max_tokens: 32_000,
      stream: true,
      system: [{ type: 'text', text: 'Be brief.', ...CACHE }],
      tools: [
        { name: 'read', description: 'What read does.', eager_input_streaming: true, input_schema: TOOLS[0]?.parameters },
        {
          name: 'bash',
          description: 'What bash does.',
          eager_input_streaming: true,
          input_schema: TOOLS[1]?.parameters,
          ...CACHE,
        },
      ],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'one' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'two' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'three' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' }, ...CACHE },
          ],
        },
      ],
    });
  });

  it('puts the results of one batch into one message, in their order', () => {
    const messages = [
      user('go'),
      answered(model, [call('a'), call('b|fc_1')]),
      result('a', [text('A')]),
      result('b|fc_1', [text('see'), IMAGE], true),
    ];
    expect(messagesOf({ messages })).toMatchObject([
      {},
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: { path: 'a' } }, { id: 'b_fc_1' }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'A', is_error: false },
          {
            type: 'tool_result',
            tool_use_id: 'b_fc_1',
            content: [{ type: 'text', text: 'see' }, { type: 'image' }],
            is_error: true,
            ...CACHE,
          },
        ],
      },
    ]);
  });

  it('says in words that a text-only model was shown an image, by the user or by a tool', () => {
    const blind = fakeModel('anthropic-messages', 'http://localhost', { input: ['text'] });
    const messages = [user([text('look'), IMAGE]), answered(blind, [call('a')]), result('a', [IMAGE])];
    expect(messagesOf({ messages }, blind)).toMatchObject([
      { content: [{ text: 'look' }, { type: 'text', text: NO_IMAGES }] },
      {},
      { content: [{ type: 'tool_result', content: NO_IMAGES }] },
    ]);
  });

  it('replays signatures to the model that made them, and only the words to any other', () => {
    const content = [
      { type: 'thinking', thinking: 'plan', thinkingSignature: 'sig' } as const,
      { type: 'thinking', thinking: '', thinkingSignature: 'hidden', redacted: true } as const,
      { type: 'thinking', thinking: 'unsigned' } as const,
      text('so'),
    ];
    expect(messagesOf({ messages: [user('q'), answered(thinker, content), user('r')] }, thinker)).toMatchObject([
      {},
      {
        content: [
          { type: 'thinking', thinking: 'plan', signature: 'sig' },
          { type: 'redacted_thinking', data: 'hidden' },
          { type: 'text', text: 'unsigned' },
          { type: 'text', text: 'so' },
        ],
      },
      {},
    ]);
    const other = { ...thinker, id: 'another' };
    expect(messagesOf({ messages: [user('q'), answered(thinker, content), user('r')] }, other)).toMatchObject([
      {},
      { content: [text('plan'), text('unsigned'), text('so')] },
      {},
    ]);
  });

  it('replays an empty signature where the service wants it', () => {
    const own = { ...thinker, compat: { allowEmptySignature: true } };
    const messages = [
      user('q'),
      answered(own, [{ type: 'thinking', thinking: 'plan', thinkingSignature: '' }, text('so')]),
      user('r'),
    ];
    expect(messagesOf({ messages }, own)).toMatchObject([
      {},
      { content: [{ type: 'thinking', thinking: 'plan', signature: '' }, {}] },
      {},
    ]);
  });

  it.each([
    ['minimal', 1024],
    ['low', 2048],
    ['medium', 8192],
    ['high', 16_384],
  ] as [ThinkingLevel, number][])('gives the level %s a budget of %i tokens', (thinkingLevel, budget) => {
    expect(bodyOf({ thinkingLevel }, thinker)).toMatchObject({
      thinking: { type: 'enabled', budget_tokens: budget, display: 'summarized' },
    });
  });

  it.each([
    ['a budget from the settings', { thinkingBudgets: { high: 5000 } }, 5000],
    ['room for an answer', { maxTokens: 4000 }, 2976],
    ['no thinking where an answer would not fit', { maxTokens: 1500 }, undefined],
  ])('takes %s', (_, asked, budget) => {
    const { thinking } = bodyOf({ thinkingLevel: 'high', ...asked }, thinker);
    expect((thinking as { budget_tokens?: number } | undefined)?.budget_tokens).toBe(budget);
  });

  it('turns thinking off in words, except for a model that cannot stop', () => {
    expect(bodyOf({ thinkingLevel: 'off' }, thinker).thinking).toEqual({ type: 'disabled' });
    expect(bodyOf({ thinkingLevel: 'off' }, { ...thinker, thinkingLevelMap: { off: null } })).not.toHaveProperty('thinking');
    expect(bodyOf({ thinkingLevel: 'off' })).not.toHaveProperty('thinking');
  });

  it('asks newer models for an effort', () => {
    const adaptive = {
      ...thinker,
      compat: { forceAdaptiveThinking: true },
      thinkingLevelMap: { xhigh: 'xhigh', max: 'maximum' },
    };
    const of = (thinkingLevel: ThinkingLevel) => bodyOf({ thinkingLevel }, adaptive);
    expect(of('high')).toMatchObject({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    });
    expect(of('minimal')).toMatchObject({ output_config: { effort: 'low' } });
    expect(of('max')).toMatchObject({ output_config: { effort: 'maximum' } });
  });

  it('never allows more than the model can answer, nor a whole window', () => {
    expect(bodyOf({ maxTokens: 1_000_000 }).max_tokens).toBe(32_000);
    expect(bodyOf({ maxTokens: 10 }).max_tokens).toBe(10);
    expect(bodyOf({}, { ...model, contextWindow: 8192, maxTokens: 16_384 }).max_tokens).toBe(4096);
  });

  it('signs with x-api-key, in the version of the dialect spoken, and joins betas', () => {
    const request = requestFor(thinker, { headers: { 'Anthropic-Beta': 'of-a-hook', 'X-Other': 'v' } });
    expect(anthropicHeaders(request)).toEqual({
      'anthropic-version': '2023-06-01',
      'x-api-key': 'sk-test-0123456789',
      authorization: null,
      'anthropic-beta': 'interleaved-thinking-2025-05-14,of-a-hook',
      'x-other': 'v',
    });
  });

  it('does without what a compatible service does not know', () => {
    const compat = {
      supportsEagerToolInputStreaming: false,
      supportsCacheControlOnTools: false,
      sendSessionAffinityHeaders: true,
    };
    const other = { ...model, compat };
    expect(bodyOf({ tools: TOOLS.slice(0, 1) }, other).tools).toEqual([
      { name: 'read', description: 'What read does.', input_schema: TOOLS[0]?.parameters },
    ]);
    expect(anthropicHeaders(requestFor(other, { tools: TOOLS }))).toMatchObject({
      'anthropic-beta': 'fine-grained-tool-streaming-2025-05-14',
      'x-session-affinity': 'session-1',
    });
  });

  it('leaves out empty text, and messages of which nothing is left', () => {
    const messages = [user('q'), answered(model, [text('  ')]), user([text(''), text('r')])];
    expect(messagesOf({ messages })).toMatchObject([{ content: [text('q')] }, { content: [text('r')] }]);
  });
});
