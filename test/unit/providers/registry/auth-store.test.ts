import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AuthStore, openAuthStore } from '../../../../core/providers/auth-store.js';
import type { RegistryDiagnostic } from '../../../../core/providers/registry-types.js';
import { agentDirWith } from './support.js';

function open(agentDir: string): { store: AuthStore; file: string; diagnostics: RegistryDiagnostic[] } {
  const diagnostics: RegistryDiagnostic[] = [];
  const store = openAuthStore({ agentDir, onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) });
  return { store, file: path.join(agentDir, 'auth.json'), diagnostics };
}
const mode = (file: string): number => statSync(file).mode & 0o777;
const content = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

describe('auth.json', () => {
  it('is made for its owner only, its folder too, and leaves nothing aside', async () => {
    const dir = path.join(agentDirWith(), 'new', 'agent');
    const { store, file } = open(dir);
    expect(await store.entry('openai')).toBeUndefined();
    await store.set('openai', 'sk-1');
    expect([mode(file), mode(dir)]).toEqual([0o600, 0o700]);
    expect(readdirSync(dir)).toEqual(['auth.json']);
    expect(content(file)).toEqual({ openai: { type: 'api_key', key: 'sk-1' } });
    expect(await store.entry('openai')).toEqual({ type: 'api_key', key: 'sk-1', env: {} });
  });

  it('keeps entries and fields it does not know', async () => {
    const others = {
      future: { type: 'passkey', blob: [1] },
      login: { type: 'oauth', access: 'a', refresh: 'r', expires: 5, extra: { x: 1 } },
      odd: 7,
    };
    const { store, file } = open(
      agentDirWith({ 'auth.json': { ...others, p: { type: 'api_key', key: 'old', env: { A: 'b' }, note: 1 } } }),
    );
    await store.set('p', 'new');
    await store.set('q', 'k');
    expect(content(file)).toEqual({
      ...others,
      p: { type: 'api_key', key: 'new', env: { A: 'b' }, note: 1 },
      q: { type: 'api_key', key: 'k' },
    });
    expect(await store.remove('q')).toBe(true);
    expect(await store.remove('q')).toBe(false);
    expect(await store.remove('toString')).toBe(false);
    expect(Object.keys(content(file) as object)).toEqual([...Object.keys(others), 'p']);
  });

  it('that others can read is narrowed, with a diagnostic', async () => {
    const dir = agentDirWith({ 'auth.json': { p: { type: 'api_key', key: 'k' } } });
    const { store, file, diagnostics } = open(dir);
    chmodSync(file, 0o644);
    expect(await store.entry('p')).toMatchObject({ key: 'k' });
    expect(mode(file)).toBe(0o600);
    expect(diagnostics).toEqual([
      expect.objectContaining({ kind: 'auth', severity: 'warning', message: expect.stringContaining('mode 0644') }),
    ]);
  });

  it('is read again when another program changed it', async () => {
    const { store, file } = open(agentDirWith({ 'auth.json': { p: { type: 'api_key', key: 'one' } } }));
    expect(await store.entry('p')).toMatchObject({ key: 'one' });
    writeFileSync(file, JSON.stringify({ p: { type: 'api_key', key: 'longer than one' } }), { mode: 0o600 });
    expect(await store.entry('p')).toMatchObject({ key: 'longer than one' });
    rmSync(file);
    expect(await store.entry('p')).toBeUndefined();
  });

  it('G38: that is no JSON is an error that quotes nothing of it, and is never written over', async () => {
    const { store, file, diagnostics } = open(agentDirWith({ 'auth.json': '{"p": {"key": "sk-secret"' }));
    expect(await store.entry('p')).toBeUndefined();
    expect(await store.entry('p')).toBeUndefined();
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]?.message).toBe(`${file}: is not a JSON object; correct it or move it away`);
    await expect(store.set('q', 'k')).rejects.toMatchObject({ code: 'AUTH_FILE_INVALID' });
    await expect(store.remove('p')).rejects.toMatchObject({ code: 'AUTH_FILE_INVALID' });
    expect(readFileSync(file, 'utf8')).toBe('{"p": {"key": "sk-secret"');
  });

  it.each([['[]'], ['3'], ['null']])('that holds %s is an error', async (text) => {
    const { store, diagnostics } = open(agentDirWith({ 'auth.json': text }));
    expect((await store.entries()).size).toBe(0);
    expect(diagnostics[0]?.severity).toBe('error');
  });

  it('reports an entry that is neither key nor login, and uses the others', async () => {
    const { store, diagnostics } = open(
      agentDirWith({ 'auth.json': { bad: { type: 'api_key' }, worse: null, good: { type: 'api_key', key: 'k' } } }),
    );
    expect([...(await store.entries()).keys()]).toEqual(['good']);
    expect(diagnostics.map(({ message }) => /"(\w+)"/.exec(message)?.[1])).toEqual(['bad', 'worse']);
  });

  it('that is a link stays one', async () => {
    const dir = agentDirWith();
    const real = path.join(dir, 'kept', 'auth.json');
    mkdirSync(path.dirname(real));
    writeFileSync(real, '{}', { mode: 0o600 });
    symlinkSync(real, path.join(dir, 'auth.json'));
    const { store, file } = open(dir);
    await store.set('p', 'k');
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(content(real)).toHaveProperty('p.key', 'k');
  });

  it('that cannot be written is an error and leaves nothing behind', async () => {
    const dir = agentDirWith({ blocker: 'a file' });
    const { store } = open(path.join(dir, 'blocker'));
    await expect(store.set('p', 'k')).rejects.toMatchObject({ code: 'AUTH_FILE_FAILED' });
    expect(existsSync(path.join(dir, 'blocker', 'auth.json'))).toBe(false);
  });
});
