import { describe, expect, it } from 'vitest';
import { ModelSchema } from '../../../../core/protocol/model.js';
import { catalogueDefault, catalogueModels } from '../../../../core/providers/catalogue.js';
import { PROVIDER_ROWS } from '../../../../core/providers/catalogue-providers.js';
import { DEFAULT_MODELS, MODELS } from '../../../../core/providers/data/catalogue.gen.js';
import { BUILT_IN } from './support.js';

const shipped = PROVIDER_ROWS.filter(({ local }) => !local);

describe('the catalogue', () => {
  it('has the services the program promises', () => {
    const promised = [
      'anthropic',
      'openai',
      'google',
      'openrouter',
      'groq',
      'xai',
      'deepseek',
      'mistral',
      'together',
      'fireworks',
      'cerebras',
    ];
    expect(shipped.map(({ id }) => id)).toEqual(expect.arrayContaining(promised));
    expect(PROVIDER_ROWS.filter(({ local }) => local).map(({ id }) => id)).toEqual(
      expect.arrayContaining(['ollama', 'lmstudio', 'vllm']),
    );
  });

  it('has a row for each provider with models, models for each row, and no id twice', () => {
    expect(Object.keys(MODELS).sort()).toEqual(shipped.map(({ id }) => id).sort());
    expect(Object.keys(DEFAULT_MODELS).sort()).toEqual(shipped.map(({ id }) => id).sort());
    expect(new Set(PROVIDER_ROWS.map(({ id }) => id)).size).toBe(PROVIDER_ROWS.length);
  });

  it.each(shipped.map(({ id }) => id))('%s: every model is one that clients can read and an adapter can reach', async (id) => {
    const models = await catalogueModels(id);
    expect(models.length).toBeGreaterThan(0);
    for (const model of models) {
      expect(ModelSchema.parse(model)).toMatchObject({ id: model.id, provider: id });
      expect(BUILT_IN).toContain(model.api);
      expect(new URL(model.baseUrl).protocol).toBe('https:');
      expect(Math.min(model.contextWindow, model.maxTokens)).toBeGreaterThan(0);
      expect(Object.values(model.cost).every((price) => typeof price !== 'number' || price >= 0)).toBe(true);
    }
    expect(new Set(models.map((model) => model.id)).size).toBe(models.length);
    expect(models.map((model) => model.id)).toContain(await catalogueDefault(id));
  });

  it('reaches Google and Mistral in the OpenAI dialect, efforts in small letters', async () => {
    const google = await catalogueModels('google');
    expect(new Set(google.map(({ api, baseUrl }) => `${api} ${baseUrl}`))).toEqual(
      new Set(['openai-completions https://generativelanguage.googleapis.com/v1beta/openai']),
    );
    for (const { thinkingLevelMap } of google)
      for (const word of Object.values(thinkingLevelMap ?? {})) expect(word ?? '').toMatch(/^[a-z]*$/);
    expect((await catalogueModels('mistral')).every(({ api }) => api === 'openai-completions')).toBe(true);
  });

  it('gives no models of local or unknown providers', async () => {
    expect(await catalogueModels('ollama')).toEqual([]);
    expect(await catalogueModels('constructor')).toEqual([]);
  });
});
