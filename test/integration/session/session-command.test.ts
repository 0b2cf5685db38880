import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { projectSessionDir } from '../../../core/session/naming.js';
import { createSandbox, runPi, type Sandbox } from '../../support/pi-process.js';
import { chain, entry, header, said } from '../../unit/session/builders.js';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.remove());

const ID = '11111111-2222-7333-8444-555555555555';
function store(cwd: string, id: string, records: readonly (object | string)[], ageS: number): string {
  const dir = projectSessionDir(sandbox.agentDir, cwd);
  mkdirSync(dir, { recursive: true });
  const file = path.join(dir, `2025-01-01T00-00-00-000Z_${id}.jsonl`);
  const lines = [header(cwd, { id }), ...records].map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  writeFileSync(file, `${lines.join('\n')}\n`);
  utimesSync(file, Date.UTC(2025, 0, 2) / 1000, Date.UTC(2025, 0, 2) / 1000 - ageS);
  return file;
}
const session = (...args: string[]) => runPi(sandbox, ['session', ...args], { env: { TZ: 'UTC' } });

describe('pi session list', () => {
  test('shows id, date, messages, name and first words, the last written first; those of other directories with --all', async () => {
    store(sandbox.cwd, 'older', [...chain(), entry('session_info', 'aaaaaaa5', 'aaaaaaa4', { name: 'My\u001b[31m name' })], 3600);
    store(sandbox.cwd, 'newer', [said('a', null, `What\nis ${'very '.repeat(30)}long?`)], 0);
    store('/other', 'there', chain(), 60);
    const { stdout, stderr, code } = await session('list');
    expect(stdout.split('\n')).toEqual([
      `newer  2025-01-02 00:00       1  What is very very very very very very very very very very v…`,
      `older  2025-01-01 23:00       4  [My [31m name] first question`,
      '',
    ]);
    expect([stderr, code]).toEqual(['', 0]);
    const all = await session('list', '--all');
    expect(all.stdout.split('\n').map((line) => line.split(' ')[0])).toEqual(['newer', 'there', 'older', '']);
    expect(all.stdout).toContain('/other  first question');
  });

  test('as JSON tells everything, and that the messages of a long file are estimated', async () => {
    const long = Array.from({ length: 400 }, (_, n) =>
      said(`e${n}`, n === 0 ? null : `e${n - 1}`, `text ${n} ${'x'.repeat(100)}`),
    );
    const file = store(sandbox.cwd, 'long', long, 0);
    const [one] = JSON.parse((await session('list', '--json')).stdout);
    expect(one).toMatchObject({
      path: file,
      id: 'long',
      cwd: sandbox.cwd,
      modified: '2025-01-02T00:00:00.000Z',
      isEstimate: true,
    });
    expect(Math.abs(one.messages - 400)).toBeLessThan(20);
    expect(JSON.parse((await session('list', '--json', '--session-dir', 'none')).stdout)).toEqual([]);
  });

  test('says where it looked when there is none', async () => {
    expect(await session('list')).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(sandbox.agentDir) });
  });
});

describe('pi session doctor', () => {
  test('names each damaged line, ends with 1; with --fix repairs, keeps the original and ends with 0', async () => {
    const file = store(sandbox.cwd, ID, ['%%%', ...chain(), '{"type":"mess'], 0);
    const damaged = readFileSync(file, 'utf8');
    const found = await session('doctor', file);
    expect(found).toMatchObject({ code: 1, stderr: '' });
    expect(found.stdout.split('\n')).toEqual([
      'line 2 is no record (3 bytes)',
      'line 7 is no record (13 bytes)',
      `${file}: 2 problems, 4 sound entries. To repair: pi session doctor ${file} --fix`,
      '',
    ]);
    const fixed = await session('doctor', ID.slice(0, 8), '--fix');
    expect(fixed).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('2 problems repaired, 4 sound entries') });
    const kept = readdirSync(path.dirname(file)).find((name) => name.includes('.damaged-')) ?? '';
    expect(readFileSync(path.join(path.dirname(file), kept), 'utf8')).toBe(damaged);
    expect(await session('doctor', file)).toMatchObject({ code: 0, stdout: `${file}: nothing wrong, 4 sound entries\n` });
  });

  test('leaves what is no session alone', async () => {
    const file = path.join(sandbox.cwd, 'notes.txt');
    writeFileSync(file, 'notes\n');
    for (const args of [
      ['doctor', file],
      ['doctor', file, '--fix'],
    ]) {
      expect(await session(...args)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('not a valid pi session'),
      });
    }
    expect(readFileSync(file, 'utf8')).toBe('notes\n');
    expect(readdirSync(sandbox.cwd)).toEqual(['notes.txt']);
  });
});

test('pi session unlock removes a lock of another host, not one of a running process', async () => {
  const file = store(sandbox.cwd, ID, chain(), 0);
  const lock = { pid: process.pid, start: 'x', since: '2025-01-01T10:00:00.000Z', host: 'elsewhere', token: 'abc' };
  writeFileSync(`${file}.lock`, JSON.stringify(lock));
  expect(await session('unlock', file)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`process ${process.pid} on elsewhere`),
  });
  expect(await session('unlock', file)).toMatchObject({ code: 0, stdout: `${file} is not locked\n` });
  writeFileSync(`${file}.lock`, JSON.stringify({ ...lock, host: os.hostname(), pid: 4_000_000 }));
  expect(await session('unlock', file)).toMatchObject({ code: 0 });
});

test.each([
  [[], 'say what to do'],
  [['frobnicate'], '"frobnicate" is none of list, doctor, unlock'],
  [['constructor'], 'is none of'],
  [['doctor'], 'doctor needs a session'],
  [['doctor', 'a', 'b'], 'doctor takes one session'],
  [['doctor', 'a', '--all'], 'doctor has no option --all'],
  [['list', 'a'], 'list takes no argument'],
  [['list', '--session-dir'], '--session-dir needs a directory'],
  [['doctor', 'nowhere'], 'No session matches "nowhere"'],
  [['doctor', 'nowhere.jsonl'], 'There is no session file'],
])('pi session %j is a wrong call', async (args, message) => {
  expect(await session(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
});

test('pi session --help says what there is', async () => {
  expect(await session('--help')).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('pi session doctor') });
});
