import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentDirWith, provider, registryWith, type TestRegistry } from './support.js';

async function ask(
  registry: TestRegistry,
  from: string,
  id: string,
): Promise<{ apiKey?: string | undefined; headers: Record<string, string> }> {
  const model = await registry.lookup(from, id);
  if (!model) throw new Error(`no model ${from}/${id}`);
  return registry.credentials(model);
}
const NOW = Date.UTC(2027, 0, 1);
const login = (expires: number): Record<string, unknown> => ({ type: 'oauth', access: 'token-1', refresh: 'r', expires });

describe('credentials', () => {
  it('come from the flag, then auth.json, then the environment, then models.json', async () => {
    const models = { providers: { groq: { apiKey: 'from-models', models: [{ id: 'm' }] } } };
    const key = async (
      files: Record<string, unknown>,
      env: Record<string, string>,
      flag?: string,
    ): Promise<string | undefined> => {
      const registry = registryWith({ 'models.json': models, ...files }, { env });
      if (flag) registry.setApiKey('groq', flag);
      return (await ask(registry, 'groq', 'm')).apiKey;
    };
    const auth = { 'auth.json': { groq: { type: 'api_key', key: 'from-auth' } } };
    const env = { GROQ_API_KEY: 'from-env' };
    expect(await key(auth, env, 'from-flag')).toBe('from-flag');
    expect(await key(auth, env)).toBe('from-auth');
    expect(await key({}, env)).toBe('from-env');
    expect(await key({}, {})).toBe('from-models');
    const override = registryWith({ 'models.json': models }, { apiKeyOverride: { provider: 'groq', key: 'at-once' } });
    expect((await ask(override, 'groq', 'm')).apiKey).toBe('at-once');
  });

  it('of auth.json may name variables, its own env first, and one that is missing passes the turn on', async () => {
    const files = (env: Record<string, string>): Record<string, unknown> => ({
      'auth.json': { groq: { type: 'api_key', key: '$MINE', env } },
    });
    const [id] = ['openai/gpt-oss-120b'];
    expect((await ask(registryWith(files({ MINE: 'scoped' }), { env: { MINE: 'process' } }), 'groq', id)).apiKey).toBe('scoped');
    expect((await ask(registryWith(files({}), { env: { MINE: 'process' } }), 'groq', id)).apiKey).toBe('process');
    expect((await ask(registryWith(files({}), { env: { GROQ_API_KEY: 'e' } }), 'groq', id)).apiKey).toBe('e');
    expect(await registryWith(files({})).hasCredentials('groq')).toBe(false);
  });

  it('of a command: counted as there without running it; run once for auth.json, each time for models.json', async () => {
    const note = path.join(agentDirWith(), 'runs');
    const command = `!echo x >> '${note}'; echo key-of-command`;
    writeFileSync(note, '');
    const registry = registryWith(
      {
        'models.json': { providers: { p: provider(['m'], { apiKey: command }), q: provider(['m'], { apiKey: undefined }) } },
        'auth.json': { q: { type: 'api_key', key: command } },
      },
      { env: { PATH: process.env.PATH } },
    );
    const runs = (): number => readFileSync(note, 'utf8').length / 2;
    expect(await registry.available()).toHaveLength(2);
    expect(runs()).toBe(0);
    for (const times of [1, 2]) {
      expect((await ask(registry, 'p', 'm')).apiKey).toBe('key-of-command');
      expect(runs()).toBe(times);
    }
    for (let i = 0; i < 2; i++) expect((await ask(registry, 'q', 'm')).apiKey).toBe('key-of-command');
    expect(runs()).toBe(3);
  });

  it('that are missing are an error which names variable, file, command and the model that needs none', async () => {
    const registry = registryWith({
      'models.json': { providers: { p: provider(['m'], { apiKey: '${A}-$B' }), q: provider(['m'], { apiKey: undefined }) } },
    });
    const refused = expect.objectContaining({ code: 'PROVIDER_KEY_MISSING' });
    const wants = async (from: string, id: string, ...texts: (string | RegExp)[]): Promise<void> => {
      const error = await ask(registry, from, id).then(
        () => undefined,
        (reason: Error) => reason,
      );
      expect(error).toEqual(refused);
      for (const text of [
        'API key',
        `pi auth set ${from}`,
        path.join(registry.agentDir, 'auth.json'),
        '--api-key',
        '--provider offline',
        ...texts,
      ]) {
        expect(error?.message).toMatch(text);
      }
      expect(error?.message).toMatch(/api.?key|log.?in/i);
    };
    await wants('anthropic', 'claude-sonnet-4-5', 'ANTHROPIC_API_KEY');
    await wants('p', 'm', 'set A or B');
    await wants('q', 'm', path.join(registry.agentDir, 'models.json'));
    expect(await registry.explainNoModels()).toMatch(/ANTHROPIC_API_KEY[\s\S]*pi auth set[\s\S]*--provider offline/);
  });

  it('of a login of the existing program are used while it is valid', async () => {
    const files = { 'auth.json': { anthropic: login(NOW + 1), groq: login(NOW + 1) } };
    const registry = registryWith(files, { now: () => NOW });
    expect(await registry.hasCredentials('anthropic')).toBe(true);
    expect(await ask(registry, 'anthropic', 'claude-sonnet-4-5')).toEqual({
      apiKey: undefined,
      headers: { Authorization: 'Bearer token-1', 'anthropic-beta': 'oauth-2025-04-20' },
    });
    expect(await ask(registry, 'groq', 'openai/gpt-oss-120b')).toEqual({ apiKey: 'token-1', headers: {} });
    expect(registry.diagnostics).toEqual([]);
  });

  it('of a login that is over are one clear error that names it, never another key', async () => {
    const registry = registryWith(
      { 'auth.json': { anthropic: login(NOW) } },
      { now: () => NOW, env: { ANTHROPIC_API_KEY: 'k' } },
    );
    expect(await registry.hasCredentials('anthropic')).toBe(false);
    expect(await registry.available()).toEqual([]);
    await expect(ask(registry, 'anthropic', 'claude-sonnet-4-5')).rejects.toMatchObject({
      code: 'PROVIDER_LOGIN_EXPIRED',
      message: expect.stringMatching(/"anthropic".*auth\.json expired 2027-01-01T00:00:00\.000Z.*pi auth set anthropic/),
    });
    expect(registry.diagnostics).toHaveLength(1);
    expect(await registry.explainNoModels()).toContain('"anthropic"');
  });

  it('add an Authorization header on demand; one that is configured wins', async () => {
    const registry = registryWith({
      'models.json': {
        providers: {
          p: provider(['m'], { authHeader: true }),
          q: provider(['m'], { authHeader: true, headers: { authorization: 'Basic x' } }),
        },
      },
    });
    expect(await ask(registry, 'p', 'm')).toEqual({ apiKey: 'literal-key', headers: { Authorization: 'Bearer literal-key' } });
    expect(await ask(registry, 'q', 'm')).toEqual({ apiKey: 'literal-key', headers: { authorization: 'Basic x' } });
    const shipped = registryWith({}, { env: { MINIMAX_API_KEY: 'k' } });
    expect((await ask(shipped, 'minimax', 'MiniMax-M3')).headers).toEqual({ Authorization: 'Bearer k' });
  });

  it('with a header whose variable is missing are an error that names both', async () => {
    const registry = registryWith({ 'models.json': { providers: { p: provider(['m'], { headers: { 'X-Team': '$TEAM' } }) } } });
    await expect(ask(registry, 'p', 'm')).rejects.toMatchObject({
      code: 'PROVIDER_HEADER_UNRESOLVED',
      message: expect.stringMatching(/"X-Team" of provider "p" needs TEAM/),
    });
  });

  it('are not needed by services on this machine', async () => {
    const registry = registryWith({ 'models.json': { providers: { ollama: { models: [{ id: 'llama3.1:8b' }] } } } });
    expect(await registry.available()).toMatchObject([
      { id: 'llama3.1:8b', baseUrl: 'http://localhost:11434/v1', api: 'openai-completions' },
    ]);
    expect((await ask(registry, 'ollama', 'llama3.1:8b')).apiKey).toBe('none');
  });
});
