import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSandbox, type Json, PiProcess, runPi, type Sandbox } from '../../support/pi-process.js';
import { chain, header } from '../../unit/session/builders.js';

let sandbox: Sandbox;
let file: string;
const started: PiProcess[] = [];
beforeEach(() => {
  sandbox = createSandbox();
  file = path.join(sandbox.cwd, 's.jsonl');
  writeFileSync(file, [header(sandbox.cwd), ...chain()].map((value) => `${JSON.stringify(value)}\n`).join(''));
});
afterEach(async () => {
  for (const pi of started.splice(0)) {
    pi.kill();
    await pi.exited;
  }
  sandbox.remove();
});

const start = (...args: string[]): PiProcess => {
  const pi = new PiProcess(sandbox, ['--mode', 'rpc', '--provider', 'offline', ...args]);
  started.push(pi);
  return pi;
};
const stateOf = async (pi: PiProcess): Promise<Json> => (await pi.request({ type: 'get_state' })).data;
const diagnosticsOf = async (pi: PiProcess): Promise<Json[]> => (await pi.request({ type: 'get_diagnostics' })).data.diagnostics;
const beside = (): string[] => readdirSync(sandbox.cwd).filter((name) => name !== 's.jsonl');

test('G26: the second process on a session reads it, is refused what would write, and may fork', async () => {
  const first = start('--session', file);
  await stateOf(first);
  const second = start('--session', file);
  expect(await stateOf(second)).toMatchObject({ messageCount: 4, sessionFile: file });
  const before = readFileSync(file, 'utf8');
  for (const command of [
    { type: 'prompt', message: 'hi' },
    { type: 'bash', command: 'touch ran' },
    { type: 'set_session_name', name: 'mine' },
  ]) {
    expect(await second.request(command)).toMatchObject({
      success: false,
      code: 'SESSION_LOCKED',
      error: expect.stringContaining(`process ${first.child.pid}`),
    });
  }
  expect(beside()).toEqual(['s.jsonl.lock']);
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(await diagnosticsOf(second)).toEqual([
    expect.objectContaining({ kind: 'session', severity: 'warning', path: file, message: expect.stringContaining('--fork') }),
  ]);
  expect(second.stderr.split('in use by process')).toHaveLength(2);
  expect(await second.request({ type: 'get_entries' })).toMatchObject({ success: true });
  expect(await second.request({ type: 'clone' })).toMatchObject({ success: true });
  await second.prompt('list the files');
  await first.prompt('list the files');
  expect(readFileSync(file, 'utf8').startsWith(before)).toBe(true);
});

test('G26: after kill -9 the next process goes on at once', async () => {
  const first = start('--session', file);
  await first.prompt('list the files');
  const { messageCount } = await stateOf(first);
  first.kill();
  const second = start('--session', file);
  expect(await stateOf(second)).toMatchObject({ messageCount });
  await second.prompt('list the files');
  expect(second.stderr).not.toContain('in use');
  await second.end();
  expect(beside()).toEqual([]);
});

test('a process that waited with its session open for reading writes once the other has gone', async () => {
  const first = start('--session', file);
  await stateOf(first);
  const second = start('--session', file);
  await stateOf(second);
  await first.end();
  await second.prompt('list the files');
  expect((await stateOf(second)).messageCount).toBeGreaterThan(4);
});

test('the session in use can be switched to, and what a run that this ended said last is there', async () => {
  const pi = start('--session', file);
  await pi.prompt('list the files');
  const { messageCount } = await stateOf(pi);
  await pi.request({ type: 'prompt', message: 'list the files' });
  expect(await pi.request({ type: 'switch_session', sessionPath: file })).toMatchObject({ success: true });
  const state = await stateOf(pi);
  expect(state.messageCount).toBeGreaterThan(messageCount);
  const records = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): Json => JSON.parse(line));
  expect(state.messageCount).toBe(records.filter(({ type }) => type === 'message').length);
  await pi.prompt('list the files');
  await pi.end();
  expect(beside()).toEqual([]);
});

test('damaged places are told once, with their lines, also when the session is opened again', async () => {
  writeFileSync(file, `${[header(sandbox.cwd), ...chain()].map((value) => JSON.stringify(value)).join('\n%%%\n')}\n`);
  const pi = start('--session', file);
  await stateOf(pi);
  await pi.request({ type: 'switch_session', sessionPath: file });
  const diagnostics = await diagnosticsOf(pi);
  expect(diagnostics.map(({ kind, path: where, line }) => [kind, where, line])).toEqual(
    [2, 4, 6, 8].map((line) => ['session', file, line]),
  );
  expect(pi.stderr.split(`pi session doctor ${file}`)).toHaveLength(2);
});

test('nothing is locked, or left, by --no-session; nor by a one-shot run that has ended', async () => {
  await runPi(sandbox, ['-p', 'list the files', '--provider', 'offline', '--no-session']);
  await runPi(sandbox, ['-p', 'list the files', '--provider', 'offline', '--session', 'fresh/f.jsonl']);
  expect(readdirSync(path.join(sandbox.cwd, 'fresh'))).toEqual(['f.jsonl']);
  expect(beside()).toEqual(['fresh']);
});

test('a one-shot run on a session in use ends with 1 and says who uses it', async () => {
  const first = start('--session', file);
  await stateOf(first);
  const { code, stdout, stderr } = await runPi(sandbox, ['-p', 'hi', '--provider', 'offline', '--session', file]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(`in use by process ${first.child.pid}`);
  const forked = await runPi(sandbox, ['-p', 'list the files', '--provider', 'offline', '--fork', file]);
  expect(forked).toMatchObject({ code: 0, stderr: '' });
});
