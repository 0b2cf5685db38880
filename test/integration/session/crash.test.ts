import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { StoredEntry } from '../../../core/protocol/commands/session.js';
import { checkSession, repairSession } from '../../../core/session/doctor.js';
import { createSessionLock } from '../../../core/session/lock.js';
import { openSession } from '../../../core/session/session.js';
import { chain, header, user } from '../../unit/session/builders.js';
import { useProgram } from './programs.js';

const place = useProgram('crash-writer');
const at = (name: string): string => path.join(place.dir, name);
const start = (name: string): string => {
  fs.writeFileSync(at(name), [header(place.dir), ...chain()].map((value) => `${JSON.stringify(value)}\n`).join(''));
  return at(name);
};
const failOn = (text: string): never => {
  throw new Error(text);
};
const lock = createSessionLock({ warn: failOn });

/** All ids of entries that are whole; those of the writer tell how long they are. */
function wholeIds(file: string): Set<string> {
  const session = openSession(file, { cwd: place.dir, readOnly: true });
  const ids = session
    .entries()
    .filter(isWhole)
    .map(({ id }) => id);
  session.dispose();
  return new Set(ids);
}

function isWhole({ message }: StoredEntry): boolean {
  if (typeof message !== 'object' || message === null || !('content' in message) || typeof message.content !== 'string')
    return true;
  const [, size = '-1', text = ''] = message.content.split(' ');
  return text.length === Number(size);
}

/** What the writer told until it was killed, after it had told `count` ids (0: at some moment of its start). */
function killAfter(file: string, count: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [place.program, 'flood', file, '200000'], { stdio: ['ignore', 'pipe', 'inherit'] });
    let told = '';
    let lines = 0;
    child.stdout.setEncoding('latin1').on('data', (data: string) => {
      told += data;
      lines += data.split('\n').length - 1;
      if (lines >= count) child.kill('SIGKILL');
    });
    if (count === 0) setTimeout(() => child.kill('SIGKILL'), 30 + Math.random() * 60);
    child.on('error', reject);
    child.on('close', () => resolve(told.split('\n').slice(0, -1)));
  });
}

interface Counts {
  kills: number;
  told: number;
  lost: number;
  damaged: number;
  torn: number;
}

async function killAgainAndAgain(name: string, kills: number, counts: Counts): Promise<void> {
  const file = start(name);
  const told: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const now = await killAfter(file, Math.floor(Math.random() * 25));
    expect(now.filter((line) => line.startsWith('failed'))).toEqual([]);
    told.push(...now);
    const whole = wholeIds(file);
    counts.kills++;
    counts.told += now.length;
    counts.lost += now.filter((id) => !whole.has(id)).length;
    // Half a record that was not told yet may be there; nothing else.
    const kinds = checkSession(file)
      .findings.filter(({ severity }) => severity === 'problem')
      .map(({ kind }) => kind);
    counts.torn += kinds.filter((kind) => kind === 'torn').length;
    counts.damaged += kinds.filter((kind) => kind !== 'torn' && kind !== 'lock' && kind !== 'newline').length;
  }
  const session = openSession(file, { cwd: place.dir, lock });
  session.append({ type: 'message', message: user('after all kills') });
  session.dispose();
  const whole = wholeIds(file);
  expect(told.filter((id) => !whole.has(id))).toEqual([]);
  expect(chain().filter(({ id }) => !whole.has(id))).toEqual([]);
  // A kill while the lock was taken may leave bits of that beside the file.
  expect(checkSession(file).findings.filter(({ kind }) => kind !== 'lock')).toEqual([]);
  // What is half written is left alone for some seconds: its writer may be about to finish.
  for (const one of fs.readdirSync(place.dir))
    if (one.startsWith(`${name}.lock.`)) fs.utimesSync(path.join(place.dir, one), 0, 0);
  repairSession(file, { cwd: place.dir, warn: failOn });
  expect(fs.readdirSync(place.dir).filter((one) => one.startsWith(name) && one !== name && !one.endsWith('.torn'))).toEqual([]);
  fs.rmSync(file);
}

test('G24: of writers killed at 200 random moments not one record that was told is lost, and each file goes on', async () => {
  const counts: Counts = { kills: 0, told: 0, lost: 0, damaged: 0, torn: 0 };
  const files = async (first: number): Promise<void> => {
    for (let n = 0; n < 25; n++) await killAgainAndAgain(`killed-${first + n}.jsonl`, 4, counts);
  };
  await Promise.all([files(0), files(25)]);
  console.log('kill -9:', JSON.stringify(counts));
  expect([counts.kills, counts.lost, counts.damaged]).toEqual([200, 0, 0]);
  expect(counts.told).toBeGreaterThan(1000);
}, 120_000);

/** The writer under a limit on the size of files, in KiB: the system refuses what goes beyond, as a full disk does. */
const writeLimited = (file: string, kib: number, bytes: number): string[] =>
  execFileSync(
    'bash',
    [
      '-c',
      'ulimit -f "$1"; exec "$2" "$3" fill "$4" "$5"',
      'bash',
      String(kib),
      process.execPath,
      place.program,
      file,
      String(bytes),
    ],
    { encoding: 'utf8' },
  )
    .trimEnd()
    .split('\n');

test('G24: a disk that is full at any size loses no record that was told, rolls the one that does not fit back, and leaves no file without one', () => {
  const counts = { runs: 0, told: 0, lost: 0, damaged: 0, refused: 0 };
  for (let kib = 1; kib <= 40; kib++) {
    const file = at(`full-${kib}.jsonl`);
    const bytes = 300 + ((kib * 777) % 3000);
    const lines = writeLimited(file, kib, bytes);
    const failures = lines.filter((line) => line.startsWith('failed'));
    const told = lines.filter((line) => !line.startsWith('failed'));
    counts.runs++;
    counts.told += told.length;
    counts.refused += failures.length;
    if (told.length === 0) {
      expect([failures, fs.existsSync(file)]).toEqual([['failed SESSION_WRITE_FAILED 0 null'], false]);
    } else {
      // The small record after the failure is told after it, unless it does not fit either.
      const before = lines.slice(0, lines.indexOf(failures[0] ?? ''));
      expect(failures[0]).toBe(`failed SESSION_WRITE_FAILED ${before.length} ${before.at(-1)}`);
      const whole = wholeIds(file);
      counts.lost += told.filter((id) => !whole.has(id)).length;
      counts.damaged += checkSession(file).findings.length;
      expect(whole.size).toBe(told.length);
    }
    expect(fs.existsSync(`${file}.lock`)).toBe(false);
  }
  console.log('disk full:', JSON.stringify(counts));
  expect([counts.runs, counts.lost, counts.damaged]).toEqual([40, 0, 0]);
  expect(counts.told).toBeGreaterThan(100);
}, 60_000);

/** Ids that several writers told, all started at once. */
async function together(what: string, file: string, writers: number, count: number): Promise<string[]> {
  const runs = Array.from({ length: writers }, async (): Promise<string[]> => {
    const child = spawn(process.execPath, [place.program, what, file, '3000', String(count)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = '';
    child.stdout.setEncoding('latin1').on('data', (data: string) => {
      told += data;
    });
    await new Promise((resolve) => child.once('close', resolve));
    return told.split('\n').slice(0, -1);
  });
  return (await Promise.all(runs)).flat();
}

test('G26: of writers that open and close one file against each other, each record is kept, in one line of descent', async () => {
  const file = start('turns.jsonl');
  const told = await together('turns', file, 3, 100);
  const session = openSession(file, { cwd: place.dir });
  const branch = session.branch().map(({ id }) => id);
  session.dispose();
  const whole = wholeIds(file);
  const counts = {
    writers: 3,
    told: told.length,
    lost: told.filter((id) => !whole.has(id)).length,
    damaged: checkSession(file).findings.length,
  };
  console.log('writers in turns:', JSON.stringify(counts));
  expect(counts).toEqual({ writers: 3, told: 300, lost: 0, damaged: 0 });
  expect(new Set(branch)).toEqual(new Set([...chain().map(({ id }) => id), ...told]));
}, 60_000);

test('where no lock can be made, writers at the same time damage nothing of one another', async () => {
  const file = start('unlocked.jsonl');
  const told = await together('unlocked', file, 2, 300);
  const whole = wholeIds(file);
  const counts = {
    writers: 2,
    told: told.length,
    lost: told.filter((id) => !whole.has(id)).length,
    damaged: checkSession(file).findings.length,
  };
  console.log('writers without a lock:', JSON.stringify(counts));
  expect(counts).toEqual({ writers: 2, told: 600, lost: 0, damaged: 0 });
}, 60_000);
