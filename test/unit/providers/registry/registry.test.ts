import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ModelStream } from '../../../../core/protocol/model-stream.js';
import { catalogueModels } from '../../../../core/providers/catalogue.js';
import { names, provider, registryWith } from './support.js';

const stream: ModelStream = () => Promise.reject(new Error('never asked'));
const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

describe('the registry', () => {
  it('gives a model with only an id the documented defaults', async () => {
    const registry = registryWith({ 'models.json': { providers: { p: provider(['m']) } } });
    expect(await registry.available()).toEqual([
      {
        id: 'm',
        name: 'm',
        api: 'openai-completions',
        provider: 'p',
        baseUrl: 'http://127.0.0.1:9/v1',
        reasoning: false,
        input: ['text'],
        contextWindow: 128000,
        maxTokens: 16384,
        cost: free,
      },
    ]);
    expect(registry.diagnostics).toEqual([]);
  });

  it('offers models with credentials: those of models.json in its order, then the catalogue', async () => {
    const registry = registryWith(
      {
        'models.json': {
          providers: { z: provider(['z1', 'z2']), nokey: provider(['n'], { apiKey: '$NOT_SET' }), a: provider(['a1']) },
        },
      },
      { env: { DEEPSEEK_API_KEY: 'k', CEREBRAS_API_KEY: '' } },
    );
    const shipped = names(await catalogueModels('deepseek'));
    expect(names(await registry.available())).toEqual(['z/z1', 'z/z2', 'a/a1', ...shipped]);
    expect(await registry.find('nokey', 'n')).toBeUndefined();
    expect(await registry.lookup('nokey', 'n')).toMatchObject({ id: 'n' });
    expect(await registry.find('z', 'none')).toBeUndefined();
    expect(await registry.find('nobody', 'z1')).toBeUndefined();
  });

  it('does not load the catalogue for providers of models.json', async () => {
    vi.doMock('../../../../core/providers/data/catalogue.gen.js', () => {
      throw new Error('the catalogue was loaded');
    });
    vi.resetModules();
    try {
      const { registryWith: fresh } = await import('./support.js');
      const registry = fresh({ 'models.json': { providers: { p: provider(['m', 'n']), anthropic: provider(['own']) } } });
      expect(await registry.resolvePattern('p/m')).toMatchObject({ ok: true });
      expect(await registry.resolvePattern('n:high')).toMatchObject({ ok: true });
      expect(await registry.resolvePattern('m', { provider: 'p' })).toMatchObject({ ok: true });
      expect(await registry.find('anthropic', 'own')).toMatchObject({ id: 'own' });
      expect(await registry.credentials({ ...(await registry.find('p', 'm')), provider: 'p' } as never)).toMatchObject({
        apiKey: 'literal-key',
      });
      const onlyOwn = fresh({ 'models.json': { providers: { p: provider(['m']) } } });
      expect(names(await onlyOwn.available())).toEqual(['p/m']);
      expect(await onlyOwn.defaultModel({ defaultProvider: 'p', defaultModel: 'm' })).toMatchObject({ model: { id: 'm' } });
      expect(await onlyOwn.defaultModel({})).toMatchObject({ model: { id: 'm' } });
      // The mock works: what needs the catalogue fails.
      await expect(onlyOwn.all()).rejects.toThrow();
    } finally {
      vi.doUnmock('../../../../core/providers/data/catalogue.gen.js');
      vi.resetModules();
    }
  });

  it('redirects the models of a shipped provider when models.json gives no models of its own', async () => {
    const registry = registryWith(
      {
        'models.json': {
          providers: {
            anthropic: {
              baseUrl: 'https://proxy.example/v1',
              headers: { 'X-Team': '$TEAM' },
              compat: { supportsEagerToolInputStreaming: false },
            },
          },
        },
      },
      { env: { ANTHROPIC_API_KEY: 'k', TEAM: 'blue' } },
    );
    const models = await registry.available();
    expect(names(models)).toEqual(names(await catalogueModels('anthropic')));
    expect(new Set(models.map(({ baseUrl }) => baseUrl))).toEqual(new Set(['https://proxy.example/v1']));
    const [first] = models;
    if (!first) throw new Error('no model');
    expect(first.compat).toMatchObject({ supportsEagerToolInputStreaming: false, supportsStrictTools: true });
    expect(await registry.credentials(first)).toEqual({ apiKey: 'k', headers: { 'X-Team': 'blue' } });
  });

  it('adds models to a shipped provider, the same id taking the place of the shipped one, and overrides parts', async () => {
    const [shipped, other] = await catalogueModels('anthropic');
    if (!shipped || !other) throw new Error('no models');
    const registry = registryWith(
      {
        'models.json': {
          providers: {
            anthropic: {
              models: [{ id: shipped.id }, { id: 'brand-new', baseUrl: 'https://elsewhere.example' }],
              modelOverrides: {
                [other.id]: { name: 'Mine', cost: { input: 99 }, contextWindow: 5, samplingParams: { top_p: 1 } },
                unknown: { name: 'x' },
              },
            },
          },
        },
      },
      { env: { ANTHROPIC_API_KEY: 'k' } },
    );
    const models = await registry.available();
    expect(models).toHaveLength((await catalogueModels('anthropic')).length + 1);
    expect(models[0]).toMatchObject({
      id: shipped.id,
      name: shipped.id,
      api: 'anthropic-messages',
      contextWindow: 128000,
      cost: free,
    });
    expect(models[0]?.baseUrl).toBe('https://api.anthropic.com');
    expect(models[1]).toEqual({
      ...other,
      name: 'Mine',
      contextWindow: 5,
      samplingParams: { top_p: 1 },
      cost: { ...other.cost, input: 99 },
    });
    expect(models.at(-1)).toMatchObject({ id: 'brand-new', baseUrl: 'https://elsewhere.example' });
  });

  it('G38: keeps keys and headers out of the models that clients see', async () => {
    const registry = registryWith({
      'models.json': {
        providers: {
          p: provider([{ id: 'm', headers: { 'X-B': 'model-secret' } }], {
            apiKey: 'key-secret',
            headers: { 'X-A': 'header-secret' },
          }),
        },
      },
    });
    const models = await registry.available();
    expect(JSON.stringify([models, await registry.listTable(), registry.diagnostics])).not.toContain('secret');
    const [model] = models;
    if (!model) throw new Error('no model');
    expect(await registry.credentials(model)).toEqual({
      apiKey: 'key-secret',
      headers: { 'X-A': 'header-secret', 'X-B': 'model-secret' },
    });
  });

  it('names what a model lacks, and uses the others', async () => {
    const registry = registryWith({
      'models.json':
        '{"providers": {\n"p": {"apiKey": "k", "models": [{"id": "a"}, {"id": "b", "api": "openai-completions", "baseUrl": "http://h"}]}}}',
    });
    expect(names(await registry.available())).toEqual(['p/b']);
    expect(registry.diagnostics).toEqual([
      expect.objectContaining({
        line: 2,
        message: expect.stringContaining('model "a" can\'t be used without "api" and "baseUrl"'),
      }),
    ]);
  });

  it('lists models of an api nobody speaks as unusable, names it once, and offers them when somebody does', async () => {
    const files = {
      'models.json':
        '{"providers": {"p": {\n"api": "telepathy", "baseUrl": "http://h", "apiKey": "k",\n"models": [{"id": "a"}, {"id": "b"}]}}}',
    };
    const registry = registryWith(files);
    expect(await registry.available()).toEqual([]);
    await registry.reportUnknownApis();
    await registry.reportUnknownApis();
    expect(registry.diagnostics).toEqual([
      expect.objectContaining({
        severity: 'error',
        line: 2,
        message: expect.stringMatching(/"telepathy"; unusable: a, b\. Known are anthropic-messages/),
      }),
    ]);
    expect(await registry.listTable()).toContain('not usable: p/a (unknown api "telepathy")');
    // A session may still name it: the request then says why it can't be sent.
    expect(await registry.find('p', 'a')).toMatchObject({ api: 'telepathy' });

    registry.registerProvider('seer', { api: 'telepathy', stream });
    expect(names(await registry.available())).toEqual(['p/a', 'p/b']);
    expect(registry.streamOf({ provider: 'p', api: 'telepathy' } as never)).toBe(stream);
    expect(registry.streamOf({ provider: 'p', api: 'openai-completions' } as never)).toBeUndefined();
  });

  it('reads models.json again when asked to', async () => {
    const registry = registryWith({ 'models.json': { providers: { p: provider(['a']) } } });
    expect(names(await registry.available())).toEqual(['p/a']);
    writeFileSync(path.join(registry.agentDir, 'models.json'), JSON.stringify({ providers: { p: provider(['b']) } }));
    expect(names(await registry.available())).toEqual(['p/a']);
    registry.reload();
    expect(names(await registry.available())).toEqual(['p/b']);
  });
});

describe('registered providers', () => {
  it('add models, are overridden by models.json, and go without a trace', async () => {
    const registry = registryWith({
      'models.json': { providers: { mine: { baseUrl: 'http://proxy', modelOverrides: { m: { name: 'Renamed' } } } } },
    });
    expect(await registry.available()).toEqual([]);
    registry.registerProvider('mine', {
      baseUrl: 'http://h',
      api: 'openai-completions',
      apiKey: 'k',
      models: [{ id: 'm', name: 'M' }],
    });
    expect(await registry.available()).toMatchObject([{ id: 'm', name: 'Renamed', baseUrl: 'http://proxy' }]);
    registry.unregisterProvider('mine');
    expect(await registry.available()).toEqual([]);
  });

  it('with models take the place of the shipped ones, without redirect them, and leave them as they were', async () => {
    const registry = registryWith({}, { env: { DEEPSEEK_API_KEY: 'k' } });
    const shipped = await catalogueModels('deepseek');
    registry.registerProvider('deepseek', { baseUrl: 'http://proxy' });
    expect(await registry.available()).toEqual(shipped.map((model) => ({ ...model, baseUrl: 'http://proxy' })));
    registry.registerProvider('deepseek', { models: [{ id: 'only' }] });
    expect(await registry.available()).toMatchObject([{ id: 'only', baseUrl: 'https://api.deepseek.com' }]);
    registry.unregisterProvider('deepseek');
    expect(await registry.available()).toEqual(shipped);
  });

  const offline = {
    baseUrl: 'offline:',
    api: 'offline',
    hidden: true,
    keyless: true,
    models: [{ id: 'offline', name: 'Offline model' }],
    stream,
  };

  it('that are hidden are never offered, listed, cycled to, matched by a part or taken by default', async () => {
    const registry = registryWith({ 'models.json': { providers: { p: provider(['m']) } } });
    registry.registerProvider('offline', offline);
    expect(names(await registry.available())).toEqual(['p/m']);
    expect(names(await registry.all())).not.toContain('offline/offline');
    expect(await registry.listTable()).not.toContain('offline');
    expect(await registry.resolvePattern('offl')).toMatchObject({ ok: false });
    expect(await registry.resolvePattern('offline')).toMatchObject({ ok: false });
    expect((await registry.resolveScope('*')).models.map(({ model }) => model.id)).toEqual(['m']);
    expect(await registryWith().defaultModel({})).toEqual({});
  });

  it.each([
    ['--provider', (r: ReturnType<typeof registryWith>) => r.defaultOfProvider('offline', {})],
    ['--provider and --model', (r: ReturnType<typeof registryWith>) => r.resolvePattern('offline', { provider: 'offline' })],
    ['provider/id', (r: ReturnType<typeof registryWith>) => r.resolvePattern('offline/offline')],
    [
      'the settings',
      (r: ReturnType<typeof registryWith>) => r.defaultModel({ defaultProvider: 'offline', defaultModel: 'offline' }),
    ],
    ['the settings without a model', (r: ReturnType<typeof registryWith>) => r.defaultModel({ defaultProvider: 'offline' })],
    ['a session', async (r: ReturnType<typeof registryWith>) => ({ model: await r.find('offline', 'offline') })],
    [
      'a name alone',
      async (r: ReturnType<typeof registryWith>) => {
        await r.reveal('offline');
        return { model: (await r.available())[0] };
      },
    ],
    [
      '--models',
      async (r: ReturnType<typeof registryWith>) => ({ model: (await r.resolveScope('offline/offline')).models[0]?.model }),
    ],
  ])('that are hidden can be used, and are in sight, once named by %s', async (_, name) => {
    const registry = registryWith();
    registry.registerProvider('offline', offline);
    const { model } = (await name(registry)) as { model?: { provider: string; id: string } };
    expect(model).toMatchObject({ provider: 'offline', id: 'offline' });
    expect(names(await registry.available())).toEqual(['offline/offline']);
    expect(await registry.listTable('off')).toMatch(/^offline\s+offline/m);
    expect(await registry.credentials(model as never)).toEqual({ apiKey: undefined, headers: {} });
    expect(registry.streamOf(model as never)).toBe(stream);
  });
});
