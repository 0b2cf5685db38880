import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setWorkerServices, type WorkerServices } from '../../../../../core/extension-host/contract/worker-services.js';
import * as pi from '../../../../../core/extension-host/packages/pi-coding-agent.js';
import type { Model } from '../../../../../core/protocol/model.js';
import { startFakeLlm } from '../../../../support/fake-llm/server.js';
import { answer, user } from '../../../session/builders.js';
import { makePlace, type Place } from './place.js';

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => {
  setWorkerServices(undefined);
  place[Symbol.dispose]();
});

const mustFind = (list: { getModel(provider: string, id: string): Model | undefined }, provider: string, id: string): Model => {
  const model = list.getModel(provider, id);
  if (!model) throw new Error(`no model ${provider}/${id}`);
  return model;
};

describe('a model runtime', () => {
  it('knows the models of the program and of models.json, and which can be used', async () => {
    const runtime = await pi.ModelRuntime.create();
    const names = (await runtime.getAvailable()).map(({ provider, id }) => `${provider}/${id}`);
    expect(names).toEqual(['fake/m', 'fake/other']);
    expect(runtime.getAvailableSnapshot()).toHaveLength(2);
    expect(runtime.getModels('anthropic').length).toBeGreaterThan(1);
    expect(mustFind(runtime, 'keyless', 'locked').api).toBe('openai-completions');
    expect(runtime.getProvider('anthropic')).toMatchObject({ id: 'anthropic', name: 'Anthropic' });
    expect(runtime.getProvider('nobody')).toBeUndefined();
    expect(runtime.getError()).toBeUndefined();
  });

  it('tells where keys come from: of its own, stored, the environment, models.json', async () => {
    process.env.ANTHROPIC_API_KEY = 'from the environment';
    writeFileSync(join(place.agentDir, 'auth.json'), '{"openai":{"type":"api_key","key":"stored"}}', { mode: 0o600 });
    const runtime = await pi.ModelRuntime.create();
    expect(runtime.getProviderAuthStatus('anthropic')).toEqual({
      configured: true,
      source: 'environment',
      label: 'ANTHROPIC_API_KEY',
    });
    expect(runtime.getProviderAuthStatus('openai')).toMatchObject({ configured: true, source: 'stored' });
    expect(runtime.getProviderAuthStatus('fake')).toEqual({ configured: true, source: 'models_json' });
    expect(runtime.getProviderAuthStatus('keyless')).toEqual({ configured: false });
    expect(await runtime.getAuth('openai')).toMatchObject({ auth: { apiKey: 'stored' } });
    expect(await runtime.getAuth('keyless')).toBeUndefined();
    expect(await runtime.listCredentials()).toEqual([{ providerId: 'openai', type: 'api_key' }]);
    await runtime.setRuntimeApiKey('keyless', 'mine');
    expect(await runtime.getAuth('keyless')).toMatchObject({ auth: { apiKey: 'mine' } });
    await runtime.removeRuntimeApiKey('keyless');
    expect(runtime.hasConfiguredAuth('keyless')).toBe(false);
    expect(runtime.isUsingOAuth('openai')).toBe(false);
  });

  it('with files of its own looks at no others', async () => {
    process.env.PI_CODING_AGENT_DIR = join(place.agentDir, 'elsewhere');
    const runtime = await pi.ModelRuntime.create({
      authPath: join(place.agentDir, 'auth.json'),
      modelsPath: join(place.agentDir, 'models.json'),
    });
    expect(runtime.getAvailableSnapshot().map(({ provider }) => provider)).toEqual(['fake', 'fake']);
    const alone = await pi.ModelRuntime.create({ credentials: {} });
    expect(alone.getModel('fake', 'm')).toBeUndefined();
    await expect(pi.ModelRuntime.create({ authPath: '/a/auth.json', modelsPath: '/b/models.json' })).rejects.toMatchObject({
      code: 'PACKAGE_BAD_ARGUMENT',
    });
  });

  it('says what is wrong with models.json', async () => {
    writeFileSync(join(place.agentDir, 'models.json'), '{bad');
    expect((await pi.ModelRuntime.create()).getError()).toContain('models.json');
  });

  it('asks models and streams their answers', async () => {
    await using llm = await startFakeLlm({ text: 'hello' }, { text: 'again' });
    const runtime = await pi.ModelRuntime.create();
    const model = { ...mustFind(runtime, 'fake', 'm'), baseUrl: `${llm.url}/v1` };
    const message = await runtime.complete(model, { messages: [user('hi')] }, { apiKey: 'key' });
    expect(message.content).toEqual([{ type: 'text', text: 'hello' }]);
    await runtime.setRuntimeApiKey('fake', 'runtime key');
    const events: string[] = [];
    for await (const event of runtime.streamSimple(model, { messages: [user('hi')] })) events.push(event.type);
    expect(events.at(0)).toBe('start');
    expect(events.at(-1)).toBe('done');
    expect(llm.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer key', 'Bearer runtime key']);
  });
});

describe('a model registry', () => {
  it('gives lists without waiting, and credentials', async () => {
    const registry = new pi.ModelRegistry(await pi.ModelRuntime.create());
    expect(registry.getAvailable()).toHaveLength(2);
    const model = registry.find('fake', 'm');
    expect(model && (await registry.getApiKeyAndHeaders(model))).toEqual({ ok: true, apiKey: 'fake-key' });
    const locked = registry.find('keyless', 'locked');
    expect(locked && (await registry.getApiKeyAndHeaders(locked))).toMatchObject({
      ok: false,
      error: expect.stringContaining('NOT_SET_ANYWHERE'),
    });
    expect(await registry.getApiKeyForProvider('fake')).toBe('fake-key');
    expect(await registry.getApiKeyForProvider('keyless')).toBeUndefined();
    expect(registry.getProviderDisplayName('anthropic')).toBe('Anthropic');
    expect(registry.getProviderDisplayName('nobody')).toBe('nobody');
    registry.registerProvider('own', { baseUrl: 'http://x', api: 'openai-completions', apiKey: 'k', models: [{ id: 'own-1' }] });
    expect(registry.find('own', 'own-1')).toMatchObject({ provider: 'own', contextWindow: 128000, input: ['text'] });
    expect(registry.getRegisteredProviderIds()).toEqual(['own']);
    registry.unregisterProvider('own');
    expect(registry.find('own', 'own-1')).toBeUndefined();
    expect(await registry.refresh()).toEqual({ aborted: false, errors: new Map() });
  });
});

describe('in a worker', () => {
  it('the agent\u2019s own models are asked through the agent, with its credentials', async () => {
    const runtimeAlone = await pi.ModelRuntime.create();
    const known = { ...mustFind(runtimeAlone, 'fake', 'm'), provider: 'of-another-extension' };
    const asked: unknown[] = [];
    const services: WorkerServices = {
      version: '9.9.9',
      agentDir: place.agentDir,
      cliPath: '/x/dist/cli.js',
      models: () => [known],
      credentials: async () => ({ headers: {} }),
      async *streamModel(model, context, options) {
        asked.push([model.id, context.messages.length, options]);
        yield { type: 'start', message: answer('') };
        yield { type: 'text_start', contentIndex: 0 };
        yield { type: 'text_delta', contentIndex: 0, delta: 'from the agent' };
        yield { type: 'text_end', contentIndex: 0, content: 'from the agent' };
        yield { type: 'answer', answer: { message: answer('from the agent') } };
      },
    };
    setWorkerServices(services);
    const runtime = await pi.ModelRuntime.create();
    expect((await runtime.getAvailable()).map(({ provider }) => provider)).toContain('of-another-extension');
    const { session } = await pi.createAgentSession({
      cwd: place.cwd,
      model: known,
      modelRuntime: runtime,
      sessionManager: pi.SessionManager.inMemory(place.cwd),
      noTools: 'all',
    });
    await session.prompt('hi');
    expect(session.getLastAssistantText()).toBe('from the agent');
    expect(asked).toMatchObject([['m', 1, { thinkingLevel: expect.any(String) }]]);
    session.dispose();
  });
});

describe('a model of the command line', () => {
  it('is found by provider, id, part and level', async () => {
    const modelRuntime = await pi.ModelRuntime.create();
    const found = (cliModel: string, cliProvider?: string) => {
      const { model, ...rest } = pi.resolveCliModel({ cliModel, modelRuntime, ...(cliProvider ? { cliProvider } : {}) });
      return { ...rest, model: model && `${model.provider}/${model.id}` };
    };
    expect(found('fake/m:high')).toEqual({ model: 'fake/m', thinkingLevel: 'high' });
    expect(found('other')).toEqual({ model: 'fake/other' });
    expect(found('m', 'fake')).toEqual({ model: 'fake/m' });
    expect(found('new-one', 'fake')).toMatchObject({
      model: 'fake/new-one',
      warning: expect.stringContaining('custom model id'),
    });
    expect(found('nothing-like-it-at-all')).toMatchObject({ model: undefined, error: expect.stringContaining('not found') });
    expect(found('m', 'nobody')).toMatchObject({ error: expect.stringContaining('Unknown provider') });
    expect(pi.resolveCliModel({ modelRuntime })).toEqual({});
  });

  it('of a scope is taken by pattern, and what fits nothing is told', async () => {
    const runtime = await pi.ModelRuntime.create();
    const { scopedModels, diagnostics } = await pi.resolveModelScopeWithDiagnostics(['fake/*:low', 'other', 'nope-zz'], runtime);
    expect(scopedModels.map(({ model, thinkingLevel }) => [model.id, thinkingLevel])).toEqual([
      ['m', 'low'],
      ['other', 'low'],
    ]);
    expect(diagnostics).toEqual([
      { type: 'warning', code: 'no-match', message: 'No models match pattern "nope-zz"', pattern: 'nope-zz' },
    ]);
  });
});
