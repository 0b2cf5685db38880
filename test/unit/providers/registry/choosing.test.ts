import { describe, expect, it } from 'vitest';
import { names, provider, registryWith, type TestRegistry } from './support.js';

const files = {
  'models.json': {
    providers: {
      fake: provider(['plain', { id: 'thinker', name: 'Gamma Ray', reasoning: true }, 'llama:8b', 'llama:8b:low']),
      second: provider(['plain', 'big-20250101', 'big-latest', 'second/inner', 'openai/gpt-oss-120b']),
      nokey: provider(['secret-model'], { apiKey: '$NOT_SET' }),
      'Mixed-Case': provider(['m']),
    },
  },
};
const withKeys = (env: Record<string, string> = {}): TestRegistry => registryWith(files, { env });

describe('--model', () => {
  it.each<[string, string | undefined, string, string?]>([
    ['fake/plain', undefined, 'fake/plain'],
    ['plain', undefined, 'fake/plain'],
    ['PLAIN', undefined, 'fake/plain'],
    ['plain', 'second', 'second/plain'],
    ['second/plain', 'second', 'second/plain'],
    ['second/inner', 'second', 'second/second/inner'],
    ['fake/thinker:high', undefined, 'fake/thinker', 'high'],
    ['thinker:low', undefined, 'fake/thinker', 'low'],
    ['llama:8b', undefined, 'fake/llama:8b'],
    ['llama:8b:low', undefined, 'fake/llama:8b:low'],
    ['llama:8b:high', undefined, 'fake/llama:8b', 'high'],
    ['big', undefined, 'second/big-latest'],
    ['second/big', undefined, 'second/big-latest'],
    ['big:minimal', 'second', 'second/big-latest', 'minimal'],
    ['gamma', undefined, 'fake/thinker'],
    ['mixed-case/m', undefined, 'Mixed-Case/m'],
    ['m', 'mixed-case', 'Mixed-Case/m'],
    ['fake/th*', undefined, 'fake/thinker'],
    ['openai/gpt-oss-120b', undefined, 'second/openai/gpt-oss-120b'],
    ['secret-model', undefined, 'nokey/secret-model'],
    ['nokey/secret', undefined, 'nokey/secret-model'],
  ])('%s (provider %s) is %s', async (pattern, from, expected, level) => {
    const result = await withKeys().resolvePattern(pattern, from === undefined ? {} : { provider: from });
    if (!result.ok) throw new Error(result.error);
    expect([`${result.model.provider}/${result.model.id}`, result.thinkingLevel, result.warning]).toEqual([
      expected,
      level,
      undefined,
    ]);
  });

  it('prefers models with a key: a part of a name, and an id several providers have', async () => {
    const registry = withKeys({ GROQ_API_KEY: 'k' });
    expect(await registry.resolvePattern('qwen')).toMatchObject({ ok: true, model: { provider: 'groq' } });
    expect(await registry.resolvePattern('gpt-oss-120b')).toMatchObject({ ok: true, model: { provider: 'second' } });
    expect(await registryWith({}, { env: { CEREBRAS_API_KEY: 'k' } }).resolvePattern('gpt-oss-120b')).toMatchObject({
      ok: true,
      model: { provider: 'cerebras' },
    });
  });

  it('finds the newest of a family, and shipped models before there is a key', async () => {
    expect(await registryWith().resolvePattern('sonnet:high')).toMatchObject({
      ok: true,
      model: { provider: 'anthropic', id: 'claude-sonnet-5-5' },
      thinkingLevel: 'high',
    });
    expect(await registryWith().resolvePattern('openai/gpt-5')).toMatchObject({
      ok: true,
      model: { provider: 'openai', id: 'gpt-5' },
    });
  });

  it('asks which, when several providers have the id and none a key', async () => {
    const result = await registryWith().resolvePattern('gpt-5');
    expect(result).toMatchObject({
      ok: false,
      code: 'AMBIGUOUS_MODEL',
      suggestions: expect.arrayContaining(['openai/gpt-5', 'opencode/gpt-5']),
    });
  });

  it('takes an unknown id of a known provider as it is, with a warning, made after the provider', async () => {
    const registry = withKeys();
    const own = await registry.resolvePattern('fake/brand-new:7b');
    expect(own).toMatchObject({
      ok: true,
      model: { id: 'brand-new:7b', baseUrl: 'http://127.0.0.1:9/v1', contextWindow: 128000, reasoning: false },
    });
    expect(own).toHaveProperty('warning', expect.stringContaining('"brand-new:7b" is not known for provider "fake"'));
    expect(await registry.resolvePattern('thinkre', { provider: 'fake' })).toHaveProperty(
      'warning',
      expect.stringContaining('did you mean "thinker"?'),
    );
    const shipped = await registry.resolvePattern('claude-next-9:low', { provider: 'anthropic' });
    expect(shipped).toMatchObject({
      ok: true,
      thinkingLevel: 'low',
      model: { id: 'claude-next-9', name: 'claude-next-9', api: 'anthropic-messages', reasoning: true },
    });
  });

  it('takes any id for a service on this machine without a word', async () => {
    const result = await registryWith().resolvePattern('ollama/qwen3:8b');
    expect(result).toMatchObject({
      ok: true,
      model: { id: 'qwen3:8b', provider: 'ollama', baseUrl: 'http://localhost:11434/v1' },
    });
    expect(result).not.toHaveProperty('warning');
  });

  it.each([
    ['no-such-model', undefined, 'UNKNOWN_MODEL', /"no-such-model".*--list-models/, []],
    ['thinkre', undefined, 'UNKNOWN_MODEL', /Did you mean thinker/, ['thinker']],
    ['thinker:extreme', undefined, 'UNKNOWN_MODEL', /"extreme" is not a thinking level \(off, minimal/, []],
    ['fak/plain', undefined, 'UNKNOWN_MODEL', /Did you mean fake\/plain/, ['fake/plain']],
    ['github-copilot/gpt-5', undefined, 'UNKNOWN_MODEL', /GitHub Copilot cannot be reached/, undefined],
    ['plain', 'no-such-provider', 'UNKNOWN_PROVIDER', /"no-such-provider".*Known are fake, second/, []],
    ['plain', 'antropic', 'UNKNOWN_PROVIDER', /Did you mean anthropic/, ['anthropic']],
    ['gpt', 'amazon-bedrock', 'UNKNOWN_PROVIDER', /Amazon Bedrock cannot be reached/, []],
    [' ', undefined, 'UNKNOWN_MODEL', /empty/, []],
    ['', 'fake', 'UNKNOWN_MODEL', /empty/, []],
    ['fake/', undefined, 'UNKNOWN_MODEL', /"fake" has no model ""/, []],
  ])('%j (provider %s) is refused: %s', async (pattern, from, code, message, suggestions) => {
    const result = await withKeys().resolvePattern(pattern, from === undefined ? {} : { provider: from });
    expect(result).toMatchObject({
      ok: false,
      code,
      error: expect.stringMatching(message),
      ...(suggestions ? { suggestions } : {}),
    });
  });
});

describe('--models', () => {
  it('takes ids, globs and parts in order, each model once, with levels', async () => {
    const { models, warnings } = await withKeys().resolveScope('fake/thinker:high, *plain ,gamma,big*:low,nothing*,secret-model');
    expect(models.map(({ model, thinkingLevel }) => [`${model.provider}/${model.id}`, thinkingLevel])).toEqual([
      ['fake/thinker', 'high'],
      ['fake/plain', undefined],
      ['second/plain', undefined],
      ['second/big-20250101', 'low'],
      ['second/big-latest', 'low'],
    ]);
    expect(warnings).toEqual(['No models match "nothing*".', 'No models match "secret-model".']);
  });

  it('takes a list as settings give it, and nothing from an empty one', async () => {
    expect(names((await withKeys().resolveScope(['second/plain', 'fake/plain'])).models.map(({ model }) => model))).toEqual([
      'second/plain',
      'fake/plain',
    ]);
    expect(await withKeys().resolveScope(' , ')).toEqual({ models: [], warnings: [] });
  });
});

describe('the default model', () => {
  it('is that of the settings', async () => {
    expect(await withKeys().defaultModel({ defaultProvider: 'second', defaultModel: 'big-latest' })).toMatchObject({
      model: { provider: 'second', id: 'big-latest' },
    });
    expect(await withKeys().defaultModel({ defaultProvider: 'second' })).toMatchObject({
      model: { provider: 'second', id: 'plain' },
    });
    expect(await withKeys().defaultModel({ defaultModel: 'thinker' })).toMatchObject({
      model: { provider: 'fake', id: 'thinker' },
    });
  });

  it('is the usual one of the first shipped provider with a key, else the first of models.json', async () => {
    expect(await withKeys({ OPENAI_API_KEY: 'k', GROQ_API_KEY: 'k' }).defaultModel({})).toMatchObject({
      model: { provider: 'openai', id: 'gpt-6.2-sol' },
    });
    expect(await withKeys().defaultModel({})).toMatchObject({ model: { provider: 'fake', id: 'plain' } });
    expect(await registryWith().defaultModel({})).toEqual({});
  });

  it.each([
    [
      'an unknown provider',
      { defaultProvider: 'fakee', defaultModel: 'x' },
      /defaultProvider: Unknown provider "fakee"\. Did you mean fake/,
    ],
    ['a provider without a key', { defaultProvider: 'nokey', defaultModel: 'secret-model' }, /"nokey" has no API key/],
    ['a model without a key', { defaultModel: 'secret-model' }, /"secret-model" is no model with an API key/],
  ])('is another one, with a warning, when the settings name %s', async (_, settings, warning) => {
    expect(await withKeys().defaultModel(settings)).toMatchObject({
      model: { id: 'plain' },
      warning: expect.stringMatching(warning),
    });
  });

  it('is an id nobody listed when the settings say so, with a warning', async () => {
    expect(await withKeys().defaultModel({ defaultProvider: 'fake', defaultModel: 'newer' })).toMatchObject({
      model: { provider: 'fake', id: 'newer' },
      warning: expect.stringContaining('"fake/newer" is not known'),
    });
  });

  it("of a provider alone is the settings' own of it, else its usual one, else its first", async () => {
    const registry = withKeys();
    expect(await registry.defaultOfProvider('fake', { defaultProvider: 'fake', defaultModel: 'thinker' })).toMatchObject({
      ok: true,
      model: { id: 'thinker' },
    });
    expect(await registry.defaultOfProvider('fake', { defaultProvider: 'second', defaultModel: 'thinker' })).toMatchObject({
      ok: true,
      model: { id: 'plain' },
    });
    expect(await registry.defaultOfProvider('anthropic', {})).toMatchObject({ ok: true, model: { id: 'claude-opus-5-5' } });
    expect(await registry.defaultOfProvider('ollama', {})).toMatchObject({
      ok: false,
      error: expect.stringContaining('--model'),
    });
    expect(await registry.defaultOfProvider('nobody', {})).toMatchObject({ ok: false, code: 'UNKNOWN_PROVIDER' });
  });
});

describe('--list-models', () => {
  it('is a table of what can be used', async () => {
    const registry = registryWith({
      'models.json': {
        providers: {
          a: provider([{ id: 'one', contextWindow: 1_000_000, maxTokens: 16_384, reasoning: true, input: ['text', 'image'] }]),
          longer: provider([{ id: 'two', contextWindow: 204_800, maxTokens: 999 }]),
        },
      },
    });
    expect(await registry.listTable()).toBe(
      [
        'provider  model  context  max-out  thinking  images',
        'a         one    1M       16.4K    yes       yes',
        'longer    two    204.8K   999      no        no',
        '',
      ].join('\n'),
    );
  });

  it('searches provider and id: words first, letters in order only when no model has the words', async () => {
    const rows = async (search: string): Promise<string[]> =>
      (await withKeys().listTable(search))
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(/\s+/).slice(0, 2).join('/'));
    expect(await rows('thinker')).toEqual(['fake/thinker']);
    expect(await rows('SECOND big')).toEqual(['second/big-20250101', 'second/big-latest']);
    expect(await rows('fkthk')).toEqual(['fake/thinker']);
    expect(await withKeys().listTable('zzzz')).toBe('No models matching "zzzz"\n');
  });

  it('says what to do when there is none', async () => {
    expect(await registryWith().listTable()).toMatch(/^No models available\.\n[\s\S]*API key[\s\S]*--provider offline/);
  });
});
