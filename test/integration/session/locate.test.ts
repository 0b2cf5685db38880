import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findById, findLatest, listSessions, resolveSessionArg, sessionDirFor } from '../../../core/session/locate.js';
import { projectSessionDir } from '../../../core/session/naming.js';
import type { SessionSummary } from '../../../core/session/summary.js';
import { chain, entry, header } from '../../unit/session/builders.js';

let agentDir: string;
beforeEach(() => {
  agentDir = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-locate-'));
});
afterEach(() => fs.rmSync(agentDir, { recursive: true, force: true }));

/** A session file whose last write is `order` minutes after the others'. */
function put(
  cwd: string,
  id: string,
  order: number,
  more: readonly object[] = [],
  name = `2025-01-01T00-00-00-000Z_${id}.jsonl`,
): string {
  const dir = projectSessionDir(agentDir, cwd);
  fs.mkdirSync(dir, { recursive: true });
  const file = path.join(dir, name);
  fs.writeFileSync(file, [header(cwd, { id }), ...chain(), ...more].map((value) => `${JSON.stringify(value)}\n`).join(''));
  const when = new Date(Date.UTC(2025, 0, 1, 0, order));
  fs.utimesSync(file, when, when);
  return file;
}
const where = (cwd: string) => ({ cwd, agentDir, sessionDir: projectSessionDir(agentDir, cwd) });

test('the directory is the flag’s, then the environment’s, then the setting’s, then the project’s own', () => {
  const base = { agentDir: '/a', cwd: '/home/me/my-app', env: { HOME: '/home/me' } };
  expect(sessionDirFor(base)).toBe('/a/sessions/--home-me-my-app--');
  expect(sessionDirFor({ ...base, setting: '~/logs' })).toBe('/home/me/logs');
  const env = { ...base.env, PI_CODING_AGENT_SESSION_DIR: '/env' };
  expect(sessionDirFor({ ...base, env, setting: '/s' })).toBe('/env');
  expect(sessionDirFor({ ...base, env, setting: '/s', flag: 'rel' })).toBe('/home/me/my-app/rel');
});

test('the latest session is the one written last in this directory, though two directories share a name', () => {
  put('/w/x', 'older', 1);
  const newer = put('/w/x', 'newer', 2);
  put('/w-x', 'neighbour', 3);
  fs.writeFileSync(path.join(path.dirname(newer), 'notes.jsonl'), 'no session\n');
  expect(findLatest(projectSessionDir(agentDir, '/w/x'), '/w/x')).toBe(newer);
  expect(findLatest(path.join(agentDir, 'nowhere'), '/w/x')).toBeUndefined();
});

test('an argument with a slash, an absolute one and one that ends in .jsonl is a path, whether it exists or not', () => {
  const options = where('/w');
  expect(resolveSessionArg('x.jsonl', options)).toBe('/w/x.jsonl');
  expect(resolveSessionArg('../up', options)).toBe('/up');
  expect(resolveSessionArg('/abs/s', options)).toBe('/abs/s');
});

test('anything else is part of an id: first of this project’s sessions, then of the others', () => {
  const own = put('/w', '0198aaaa-1111', 1);
  const foreign = put('/other', '0198bbbb-2222', 2);
  const named = put('/w', 'header-only-id', 3, [], 'my-notes.jsonl');
  const options = where('/w');
  expect(resolveSessionArg('0198aaaa', options)).toBe(own);
  expect(resolveSessionArg('1111', options)).toBe(own);
  expect(resolveSessionArg('0198BBBB', options)).toBe(foreign);
  expect(resolveSessionArg('0198', options)).toBe(own);
  expect(resolveSessionArg('header-only', options)).toBe(named);
});

test('the beginning of an id goes before its middle, the whole before the beginning', () => {
  const short = put('/w', 'abc', 1);
  put('/w', 'abcdef', 2);
  put('/w', 'xabcx', 3);
  expect(resolveSessionArg('abc', where('/w'))).toBe(short);
});

test('an ambiguous or unknown part is refused with what was found or searched', () => {
  put('/w', 'same-1', 1);
  put('/w', 'same-2', 2);
  expect(() => resolveSessionArg('same', where('/w'))).toThrow(
    expect.objectContaining({ code: 'SESSION_AMBIGUOUS', message: expect.stringMatching(/same-2.*same-1/s) }),
  );
  expect(() => resolveSessionArg('ffffffff', where('/w'))).toThrow(
    expect.objectContaining({ code: 'SESSION_NOT_FOUND', message: expect.stringContaining('"ffffffff"') }),
  );
});

test('a session is found by its exact id; an id that could leave the directory is refused', () => {
  const file = put('/w', 'my_id.1', 1);
  const { sessionDir } = where('/w');
  expect(findById(sessionDir, 'my_id.1')).toBe(file);
  expect(findById(sessionDir, 'my_id')).toBeUndefined();
  for (const bad of ['../../evil', '', 'a/b', '.hidden', 'ends-', 'ü', 'x'.repeat(300)]) {
    expect(() => findById(sessionDir, bad)).toThrow(expect.objectContaining({ code: 'SESSION_ID_INVALID' }));
  }
});

test('G27: a listing reads the ends of files only', () => {
  const filler = Array.from({ length: 3000 }, (_, n) => entry('custom', `f${n}`, null, { data: 'x'.repeat(500) }));
  const path1 = put('/w', 'long', 2, [...filler, entry('session_info', 'n2', null, { name: 'late name' })]);
  put('/w', 'short', 1, [entry('session_info', 'n1', null, { name: 'one' }), entry('session_info', 'n2', null, { name: 'two' })]);
  let bytes = 0;
  const { readSync } = fs;
  fs.readSync = ((...args: Parameters<typeof readSync>) => {
    const count = readSync(...args);
    bytes += count;
    return count;
  }) as typeof readSync; // the overloads of a wrapper can't be told from its type
  syncBuiltinESMExports();
  let listed: SessionSummary[];
  try {
    listed = listSessions(where('/w').sessionDir);
  } finally {
    fs.readSync = readSync;
    syncBuiltinESMExports();
  }
  expect(listed).toMatchObject([
    { id: 'long', path: path1, cwd: '/w', name: 'late name', firstMessage: 'first question', sizeBytes: fs.statSync(path1).size },
    { id: 'short', name: 'two', created: '2025-01-01T00:00:00.000Z' },
  ]);
  expect(bytes).toBeGreaterThan(1000);
  expect(bytes).toBeLessThan(100_000);
});
