import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ownStart, processState } from '../../../core/base/platform.js';
import { forkSession } from '../../../core/session/fork.js';
import { createSessionLock } from '../../../core/session/lock.js';
import { createSession, openSession, type Session } from '../../../core/session/session.js';
import { chain, header, user } from '../../unit/session/builders.js';
import { type Answering, startProgram, useProgram } from './programs.js';

const place = useProgram('lock-taker');
let dir: string;
let file: string;
let warnings: string[];
const open: { dispose(): void }[] = [];
const programs: Answering[] = [];
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(place.dir, 'case-'));
  file = path.join(dir, 's.jsonl');
  warnings = [];
  write(file);
});
afterEach(async () => {
  for (const one of open.splice(0)) one.dispose();
  for (const program of programs.splice(0)) {
    program.child.kill('SIGKILL');
    await program.closed;
  }
});

const write = (to: string): void =>
  fs.writeFileSync(to, [header(dir), ...chain()].map((value) => `${JSON.stringify(value)}\n`).join(''));
const newLock = (more: object = {}) => createSessionLock({ warn: (text) => warnings.push(text), ...more });
const keep = (session: Session): Session => {
  open.push(session);
  return session;
};
const reopen = (lock = newLock(), at = file): Session => keep(openSession(at, { cwd: dir, lock }));
const say = (session: Session, text = 'hi'): string => session.append({ type: 'message', message: user(text) }).id;
const start = async (identity?: { uid: number; gid: number }): Promise<Answering> => {
  const program = await startProgram(place.program, identity);
  programs.push(program);
  return program;
};
const lockText = (more: object = {}): string =>
  JSON.stringify({
    pid: process.pid,
    start: ownStart(),
    since: '2025-01-01T10:00:00.000Z',
    host: os.hostname(),
    token: 'abc123',
    ...more,
  });
const leave = (more: object = {}, at = file): void => fs.writeFileSync(`${at}.lock`, lockText(more));
const errorOf = (run: () => unknown): { code?: string; message: string; data?: object } => {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it did not fail');
};
const litter = (): string[] => fs.readdirSync(dir).filter((name) => name !== 's.jsonl');

describe('a session in use', () => {
  test('G26: a second process reads, and its first write is refused with the name of the first and a way out', async () => {
    const first = await start();
    await first.ask('open', file);
    const second = reopen();
    expect(second.messageCount).toBe(4);
    expect(second.lockedBy).toMatchObject({
      code: 'SESSION_LOCKED',
      data: { file, lockFile: `${file}.lock`, pid: first.pid, host: os.hostname() },
    });
    const error = errorOf(() => say(second));
    expect(error).toMatchObject({ code: 'SESSION_LOCKED', data: { pid: first.pid } });
    expect(error.message).toMatch(
      new RegExp(`process ${first.pid}, since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC.*--fork ${file}`),
    );
    expect(errorOf(() => second.claim()).code).toBe('SESSION_LOCKED');
    expect([second.entryCount, second.messageCount]).toEqual([4, 4]);
    expect(await first.ask('say', 'still mine')).toMatch(/^[0-9a-f]{8}$/);
    const { session: copy } = forkSession(second, {
      position: 'at',
      cwd: dir,
      sessionDir: path.join(dir, 'copies'),
      lock: newLock(),
    });
    keep(copy);
    expect(say(copy)).toMatch(/^[0-9a-f]{8}$/);
  });

  test('G26: when the first is done, the second may write; but not over what the first wrote meanwhile', async () => {
    const first = await start();
    await first.ask('open', file);
    const [quiet, late] = [reopen(), reopen()];
    await first.ask('dispose');
    say(quiet, 'my turn');
    expect(quiet.lockedBy).toBeUndefined();
    quiet.dispose();
    const error = errorOf(() => say(late));
    expect([error.code, late.entryCount]).toEqual(['SESSION_CHANGED', 4]);
    expect(litter()).toEqual([]);
    expect(reopen().entryCount).toBe(5);
  });

  test('one program may open a file again before it closes it, also by another path', () => {
    const lock = newLock();
    const link = path.join(dir, 'link.jsonl');
    fs.symlinkSync(file, link);
    const [first, second] = [reopen(lock), reopen(lock, link)];
    first.dispose();
    first.dispose();
    expect(fs.existsSync(`${file}.lock`)).toBe(true);
    say(second);
    expect(openSession(link, { cwd: dir, lock: newLock() }).lockedBy?.message).toContain('in use by this process');
    second.dispose();
    expect(litter()).toEqual(['link.jsonl']);
  });

  test('an old version that another process has open is read from a copy, and stays as it is', () => {
    const [, ...records] = [header(dir), ...chain()];
    const old = [
      { type: 'session', id: 'old', timestamp: '', cwd: dir },
      ...records.map(({ id, parentId, ...rest }: object & { id?: string; parentId?: string | null }) => rest),
    ];
    fs.writeFileSync(file, old.map((value) => `${JSON.stringify(value)}\n`).join(''));
    const before = fs.readFileSync(file, 'utf8');
    leave();
    const session = reopen();
    expect([session.messageCount, session.branch().length]).toEqual([4, 4]);
    const source = keep(openSession(file, { cwd: dir, readOnly: true }));
    expect([source.messageCount, errorOf(() => say(source)).code]).toEqual([4, 'SESSION_READ_ONLY']);
    fs.rmSync(`${file}.lock`);
    expect(errorOf(() => say(session)).code).toBe('SESSION_CHANGED');
    expect(fs.readFileSync(file, 'utf8')).toBe(before);
    expect(reopen().messageCount).toBe(4);
    expect(fs.readFileSync(file, 'utf8')).not.toBe(before);
  });
});

describe('a lock', () => {
  test('of a new session is made with its first message, for the owner only; without a file there is none', () => {
    const lock = newLock();
    const session = keep(createSession({ cwd: dir, sessionDir: path.join(dir, 'new'), lock }));
    session.append({ type: 'model_change', provider: 'p', modelId: 'm' });
    session.claim();
    expect(fs.existsSync(path.join(dir, 'new'))).toBe(false);
    say(session);
    expect(fs.statSync(`${session.file}.lock`).mode & 0o777).toBe(0o600);
    expect(JSON.parse(fs.readFileSync(`${session.file}.lock`, 'utf8'))).toMatchObject({ pid: process.pid, host: os.hostname() });
    session.dispose();
    expect(fs.readdirSync(path.join(dir, 'new'))).toEqual([path.basename(session.file ?? '')]);
    const memory = createSession({ cwd: dir, lock });
    say(memory);
    memory.claim();
    expect(litter()).toEqual(['new']);
  });

  test('is given up at the exit of a process that closes nothing', async () => {
    const program = await start();
    await program.ask('open', file);
    expect(litter()).toEqual(['s.jsonl.lock']);
    program.child.stdin.write('exit\n');
    await program.closed;
    expect(litter()).toEqual([]);
  });

  test('G26: that a killed process left is taken over at once, before anybody has waited for its end', async () => {
    for (let round = 0; round < 10; round++) {
      const program = await start();
      await program.ask('open', file);
      program.child.kill('SIGKILL');
      const session = reopen();
      expect(session.lockedBy).toBeUndefined();
      say(session, `after kill ${round}`);
      session.dispose();
    }
    expect(reopen().messageCount).toBe(14);
  });

  test('G26: of a pid that another process has now is taken over', () => {
    for (const more of [{ start: `${ownStart()}0` }, { pid: 0 }, { pid: -1 }, { pid: 4_000_000 }]) {
      leave(more);
      const session = reopen();
      expect([more, session.lockedBy]).toEqual([more, undefined]);
      say(session);
      session.dispose();
      expect(litter()).toEqual([]);
    }
  });

  test('G26: of another host is not judged from here: who holds it is said, and how to get on', () => {
    leave({ host: 'elsewhere', pid: 4_000_000 });
    const session = reopen();
    const { code, message } = errorOf(() => say(session));
    expect(code).toBe('SESSION_LOCKED');
    expect(message).toContain(`process 4000000 on the host elsewhere, since 2025-01-01 10:00:00 UTC`);
    expect(message).toContain(`pi session unlock ${file}`);
    expect(message).toContain(`--fork ${file}`);
    expect(litter()).toEqual(['s.jsonl.lock']);
  });

  test('without sense is respected while it is fresh, and taken over later', () => {
    for (const text of ['', '{"pid":', 'null', '{"pid":"1"}', lockText({ token: '../x' })]) {
      fs.writeFileSync(`${file}.lock`, text);
      const fresh = reopen();
      expect(errorOf(() => say(fresh)).message).toContain('Try again in a few seconds');
      const old = new Date(Date.now() - 60_000);
      fs.utimesSync(`${file}.lock`, old, old);
      say(fresh);
      fresh.dispose();
      expect([text, litter()]).toEqual([text, []]);
    }
  });

  test('that a person removed is made again; one that another has meanwhile ends the writing', () => {
    const session = reopen();
    fs.rmSync(`${file}.lock`);
    say(session);
    expect(litter()).toEqual(['s.jsonl.lock']);
    leave();
    expect(errorOf(() => say(session)).code).toBe('SESSION_LOCKED');
    session.dispose();
    expect(fs.readFileSync(`${file}.lock`, 'utf8')).toBe(lockText());
    fs.rmSync(`${file}.lock`);
    const other = reopen();
    fs.rmSync(`${file}.lock`);
    const third = reopen();
    say(third);
    third.dispose();
    expect([errorOf(() => say(other)).code, other.entryCount]).toEqual(['SESSION_CHANGED', 5]);
  });

  test('that can’t be made is done without, with one warning for a directory', () => {
    const long = path.join(dir, `${'x'.repeat(250)}`);
    const longer = path.join(dir, `${'y'.repeat(251)}`);
    write(long);
    write(longer);
    const lock = newLock();
    for (const at of [long, longer]) say(reopen(lock, at));
    expect(warnings).toEqual([expect.stringContaining(`Nothing keeps other processes from writing to the session ${long}`)]);
    expect(reopen(newLock(), long).messageCount).toBe(5);
  });

  test('a directory where nothing may be made is done without, with one warning', async () => {
    fs.chmodSync(place.dir, 0o755);
    fs.chmodSync(dir, 0o555);
    fs.chmodSync(file, 0o666);
    // Root may write everywhere: then somebody else tries.
    const program = await start(process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined);
    expect(await program.ask('open', file)).toContain('warning Nothing keeps other processes');
    expect(await program.next()).toBe('done');
    expect(await program.ask('say', 'hi')).toMatch(/^[0-9a-f]{8}$/);
    fs.chmodSync(dir, 0o755);
  });

  test('works on a file system without links', () => {
    const link = (): never => {
      throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM', errno: -1 });
    };
    const session = reopen(newLock({ link }));
    expect(litter()).toEqual(['s.jsonl.lock']);
    expect(reopen(newLock({ link })).lockedBy?.code).toBe('SESSION_LOCKED');
    say(session);
    session.dispose();
    leave({ pid: 4_000_000 });
    say(reopen(newLock({ link })));
    expect(warnings).toEqual([]);
  });
});

describe('taking over', () => {
  test('G26: of twenty processes that find a dead one’s lock at the same moment, one wins', async () => {
    const takers = await Promise.all(Array.from({ length: 20 }, () => start()));
    let wins = 0;
    for (let round = 0; round < 25; round++) {
      const at = path.join(dir, `${round}.jsonl`);
      write(at);
      leave({ pid: 4_000_000, token: `dead${round}` }, at);
      // The lock over the taking over may have been left, too.
      if (round % 2 === 1) fs.writeFileSync(`${at}.lock.dead${round}`, lockText({ pid: 4_000_001, token: 'dead' }));
      const moment = Date.now() + 40;
      const answers = await Promise.all(takers.map((taker) => taker.ask('take', at, moment)));
      expect(answers.filter((one) => one === 'won')).toHaveLength(1);
      wins++;
      // One who read before the winner wrote, and asked after it: there is none, as the winner keeps its lock.
      expect(new Set(answers)).toEqual(new Set(['won', 'SESSION_LOCKED']));
      const session = keep(openSession(at, { cwd: dir }));
      expect([session.entryCount, session.problemCount]).toEqual([5, 0]);
      await Promise.all(takers.map((taker) => taker.ask('dispose')));
      expect(fs.readdirSync(dir).filter((name) => name.startsWith(`${round}.jsonl.`))).toEqual([]);
    }
    console.log(`take-over: ${wins} rounds of 20 takers, ${wins} winners`);
  }, 60_000);
});

test('a process is told by its pid and start: it runs, or is gone also when it is only not yet waited for', async () => {
  expect(processState(process.pid, ownStart())).toBe('running');
  expect(processState(process.pid, '0')).toBe('gone');
  expect(processState(1, ownStart())).toBe('gone');
  const program = await start();
  await program.ask('open', file);
  const { start: since } = JSON.parse(fs.readFileSync(`${file}.lock`, 'utf8'));
  expect(processState(program.pid, since)).toBe('running');
  program.child.kill('SIGKILL');
  expect(processState(program.pid, since)).not.toBe('running');
  await program.closed;
  expect(processState(program.pid, since)).toBe('gone');
});
