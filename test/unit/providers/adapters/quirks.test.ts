import { describe, expect, it } from 'vitest';
import { QUIRK_ROWS, quirksOf } from '../../../../core/providers/quirks.js';
import { fakeModel } from '../../../support/fake-llm/ask.js';

const quirks = (baseUrl: string, provider = 'mine', compat?: Record<string, unknown>) =>
  quirksOf(fakeModel('openai-completions', '', { baseUrl, provider, ...(compat ? { compat } : {}) }));

describe('the quirks of a service', () => {
  it.each([
    [
      'https://api.openai.com/v1',
      'mine',
      { supportsDeveloperRole: true, supportsPromptCacheKey: true, maxTokensField: 'max_completion_tokens' },
    ],
    ['http://10.0.0.1:8080/v1', 'mine', { supportsDeveloperRole: true, supportsStore: true, supportsPromptCacheKey: false }],
    [
      'https://api.mistral.ai/v1',
      'mine',
      { toolCallIdFormat: 'short', requiresToolResultName: true, supportsUsageInStreaming: false },
    ],
    ['https://openrouter.ai/api/v1', 'mine', { thinkingFormat: 'openrouter', supportsDeveloperRole: false }],
    ['https://eu.api.groq.com/openai/v1', 'mine', { supportsStore: false }],
    ['https://notapi.groq.com.example.org/v1', 'mine', { supportsStore: true }],
    ['http://localhost:11434/v1', 'mine', { maxTokensField: 'max_tokens', supportsStrictMode: false }],
    ['http://my-gateway/v1', 'deepseek', { thinkingFormat: 'deepseek' }],
    ['https://openrouter.ai/api/v1', 'deepseek', { thinkingFormat: 'openrouter' }],
    ['no url', 'mine', { thinkingFormat: 'openai' }],
  ])('%s of provider %s', (baseUrl, provider, expected) => {
    expect(quirks(baseUrl, provider)).toMatchObject(expected);
  });

  it('are overridden by the compat of the model, as far as it makes sense', () => {
    const compat = {
      supportsStore: true,
      supportsDeveloperRole: 'yes',
      maxTokensField: 'max_answer',
      thinkingFormat: 'qwen',
      chatTemplateKwargs: [1],
      openRouterRouting: { only: ['x'] },
      unknownKey: true,
      __proto__: { supportsStrictMode: false },
    };
    expect(quirks('https://openrouter.ai/api/v1', 'mine', compat)).toMatchObject({
      supportsStore: true,
      supportsDeveloperRole: false,
      maxTokensField: 'max_tokens',
      thinkingFormat: 'qwen',
      chatTemplateKwargs: undefined,
      openRouterRouting: { only: ['x'] },
      supportsStrictMode: true,
    });
    expect(quirks('https://openrouter.ai/api/v1', 'mine', compat)).not.toHaveProperty('unknownKey');
  });

  it('name each service once', () => {
    const names = QUIRK_ROWS.flatMap(({ providers, hosts }) => [...providers, ...hosts]);
    expect(new Set(names).size).toBe(names.length);
  });
});
