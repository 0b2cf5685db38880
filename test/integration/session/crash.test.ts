import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StoredEntry } from '../../../core/protocol/commands/session.js';
import { openSession } from '../../../core/session/session.js';
import { chain, header, user } from '../../unit/session/builders.js';

let dir: string;
let writer: string;
beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-crash-'));
  writer = path.join(dir, 'writer.mjs');
  buildSync({
    entryPoints: [fileURLToPath(new URL('crash-writer.ts', import.meta.url))],
    outfile: writer,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
});
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

const idsIn = (file: string): string[] => {
  const text = fs.readFileSync(file, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  const [, ...entries]: StoredEntry[] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return entries.map(({ id }) => id);
};
/** The writer under a limit on the size of files, in KiB: the system refuses what goes beyond, as a full disk does. */
const writeLimited = (file: string, kib: number, bytes: number): string[] =>
  execFileSync(
    'bash',
    ['-c', 'ulimit -f "$1"; exec "$2" "$3" "$4" "$5"', 'bash', String(kib), process.execPath, writer, file, String(bytes)],
    {
      encoding: 'utf8',
    },
  )
    .trimEnd()
    .split('\n');

test('G24: a record that does not fit is rolled back whole; the session goes on from the one before', () => {
  const file = path.join(dir, 'full.jsonl');
  const told = writeLimited(file, 64, 5000);
  const failure = told.at(-2) ?? '';
  const written = told.slice(0, -2);
  expect(written.length).toBeGreaterThan(5);
  expect(failure).toBe(`failed SESSION_WRITE_FAILED ${written.length} ${written.at(-1)}`);
  expect(idsIn(file)).toEqual([...written, told.at(-1)]);
  const session = openSession(file, { cwd: dir });
  expect([session.problemCount, session.branch().length]).toEqual([0, written.length + 1]);
  session.dispose();
});

test('G24: a session that does not fit at all leaves no file behind', () => {
  const file = path.join(dir, 'none.jsonl');
  expect(writeLimited(file, 1, 5000)).toEqual(['failed SESSION_WRITE_FAILED 0 null']);
  expect(fs.existsSync(file)).toBe(false);
});

/** Runs the writer until it told `count` ids, then kills it. Returns all ids it told. */
function killAfter(file: string, count: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [writer, file, '3000'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let told = '';
    child.stdout.on('data', (data: Buffer) => {
      told += data.toString();
      if (told.split('\n').length > count) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', () => resolve(told.split('\n').slice(0, -1)));
  });
}

test('G24: a writer killed at any moment loses nothing it said was written, and the file goes on', async () => {
  const file = path.join(dir, 'killed.jsonl');
  fs.writeFileSync(file, [header(dir), ...chain()].map((value) => `${JSON.stringify(value)}\n`).join(''));
  const told: string[] = [];
  for (let round = 0; round < 12; round++) {
    told.push(...(await killAfter(file, 1 + ((round * 7) % 20))));
    const session = openSession(file, { cwd: dir });
    const { id } = session.append({ type: 'message', message: user(`after kill ${round}`) });
    told.push(id);
    session.dispose();
  }
  const session = openSession(file, { cwd: dir });
  const ids = session.branch().map(({ id }) => id);
  session.dispose();
  const known = new Set(ids);
  expect(told.filter((id) => !known.has(id))).toEqual([]);
  expect(ids.slice(0, 4)).toEqual(chain().map(({ id }) => id));
  expect(idsIn(file)).toEqual(ids);
}, 60_000);
