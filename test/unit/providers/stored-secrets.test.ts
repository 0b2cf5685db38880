import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { storedSecrets } from '../../../core/providers/stored-secrets.js';

let agentDir: string;
beforeEach(() => {
  agentDir = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-secrets-'));
});
afterEach(() => fs.rmSync(agentDir, { recursive: true, force: true }));

const write = (name: string, content: unknown): void => fs.writeFileSync(path.join(agentDir, name), JSON.stringify(content));

it('knows keys and headers of models.json, and none of the headers that say what a request is', () => {
  const headers = {
    'X-Team': 'team-71a1',
    'Content-Type': 'application/json',
    'User-Agent': 'our-tool/1.0',
    Accept: 'text/event-stream',
  };
  write('models.json', {
    providers: {
      own: { apiKey: 'key-71a2', baseUrl: 'http://host', headers: { ...headers, Authorization: 'Bearer bear-71a3' } },
    },
  });
  expect(storedSecrets({}, agentDir)().sort()).toEqual([
    'Bearer bear-71a3',
    'bear-71a3',
    'key-71a2',
    'key-71a2',
    'team-71a1',
    'team-71a1',
  ]);
});

it('takes names of variables and commands for what they are', () => {
  write('models.json', { providers: { a: { apiKey: 'OWN_KEY' }, b: { apiKey: '!pass show b' }, c: { apiKey: '$OTHER' } } });
  expect(storedSecrets({ OWN_KEY: 'value-71a4', PATH: '/bin' }, agentDir)()).toEqual(['value-71a4']);
});

it('reads a file again when it changed, and knows nothing of one that is gone or broken', () => {
  const secrets = storedSecrets({}, agentDir);
  expect(secrets()).toEqual([]);
  write('auth.json', { anthropic: { type: 'api_key', key: 'key-71a5' } });
  expect(new Set(secrets())).toEqual(new Set(['key-71a5']));
  write('auth.json', { anthropic: { type: 'oauth', access: 'access-71a6', refresh: 'refresh-71a7' } });
  expect(new Set(secrets())).toEqual(new Set(['access-71a6', 'refresh-71a7']));
  fs.writeFileSync(path.join(agentDir, 'auth.json'), '{');
  expect(secrets()).toEqual([]);
});

it('knows the password of a proxy', () => {
  expect(storedSecrets({ HTTPS_PROXY: 'http://me:pass%2Fword@proxy:80', http_proxy: 'http://proxy' }, agentDir)()).toEqual([
    'pass/word',
    'me:pass%2Fword',
  ]);
});
