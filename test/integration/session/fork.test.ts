import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StoredEntry } from '../../../core/protocol/commands/session.js';
import { forkSession } from '../../../core/session/fork.js';
import { createSession, openSession, type Session } from '../../../core/session/session.js';
import { answered, chain, entry, header, said, user } from '../../unit/session/builders.js';

let dir: string;
const open: Session[] = [];
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-fork-'));
});
afterEach(() => {
  for (const session of open.splice(0)) session.dispose();
  fs.rmSync(dir, { recursive: true, force: true });
});

const keep = (session: Session): Session => {
  open.push(session);
  return session;
};
const source = (entries: readonly StoredEntry[]): Session => {
  const file = path.join(dir, 'source.jsonl');
  fs.writeFileSync(file, [header(dir), ...entries].map((value) => `${JSON.stringify(value)}\n`).join(''));
  return keep(openSession(file, { cwd: dir }));
};
const inFile = (session: Session): StoredEntry[] =>
  fs
    .readFileSync(session.file ?? '', 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const options = () => ({ cwd: '/elsewhere', sessionDir: path.join(dir, 'forks') });

test('a fork has the branch before the message, ids and times kept, and the message’s text; the source stays as it was', () => {
  const change = entry('model_change', 'mmmmmmm1', null, { provider: 'p', modelId: 'm' });
  const [first, ...rest] = chain();
  const from = source([change, { ...(first as StoredEntry), parentId: 'mmmmmmm1' }, ...rest]);
  const before = fs.readFileSync(from.file ?? '');
  const { session, text } = forkSession(from, { ...options(), position: 'before', entryId: 'aaaaaaa3' });
  keep(session);
  expect(text).toBe('second question');
  expect(session.entries()).toEqual(from.entries().slice(0, 3));
  expect(inFile(session)).toEqual([session.header, ...session.entries()]);
  expect(session.header).toMatchObject({ parentSession: from.file, cwd: '/elsewhere' });
  expect([session.id === from.id, session.leafId, session.messageCount]).toEqual([false, 'aaaaaaa2', 2]);
  session.append({ type: 'message', message: user('changed') });
  expect(inFile(session).at(-1)).toMatchObject({ parentId: 'aaaaaaa2' });
  expect(fs.readFileSync(from.file ?? '').equals(before)).toBe(true);
});

test('a fork at the first message is empty, and its file comes with the next one', () => {
  const { session, text } = forkSession(source(chain()), { ...options(), position: 'before', entryId: 'aaaaaaa1' });
  keep(session);
  expect([text, session.entryCount, session.isSaved]).toEqual(['first question', 0, false]);
  session.append({ type: 'message', message: user('changed') });
  expect(inFile(session)).toHaveLength(2);
});

test.each(['aaaaaaa2', 'ffffffff', undefined])('a fork at what is no user message is refused: %s', (entryId) => {
  expect(() => forkSession(source(chain()), { ...options(), position: 'before', entryId })).toThrow(
    expect.objectContaining({
      code: 'SESSION_FORK_INVALID_ENTRY',
      message: expect.stringContaining('Invalid entry ID for forking'),
    }),
  );
  expect(fs.existsSync(path.join(dir, 'forks'))).toBe(false);
});

test('a clone has the current branch and leaves the abandoned ones behind', () => {
  const from = source([...chain(), said('bbbbbbb1', 'aaaaaaa2', 'other way'), answered('bbbbbbb2', 'bbbbbbb1', 'other answer')]);
  const { session } = forkSession(from, { ...options(), position: 'at' });
  keep(session);
  expect(session.entries().map(({ id }) => id)).toEqual(['aaaaaaa1', 'aaaaaaa2', 'bbbbbbb1', 'bbbbbbb2']);
  expect(session.stats()).toMatchObject({ userMessages: 2, tokens: { input: 20 } });
});

test('the whole session may be copied, all branches and the name included', () => {
  const from = source([
    ...chain(),
    said('bbbbbbb1', 'aaaaaaa2', 'other way'),
    entry('session_info', 'nnnnnnn1', 'bbbbbbb1', { name: 'n' }),
  ]);
  const { session } = forkSession(from, { ...options(), position: 'all' });
  keep(session);
  expect(session.entries()).toEqual(from.entries());
  expect([session.name, session.leafId]).toEqual(['n', 'nnnnnnn1']);
});

test('an orphaned branch becomes a rooted one', () => {
  const { session } = forkSession(
    source([...chain(), said('bbbbbbb1', 'deadbeef', 'lost'), answered('bbbbbbb2', 'bbbbbbb1', 'found')]),
    { ...options(), position: 'at' },
  );
  keep(session);
  expect(inFile(session).slice(1)).toMatchObject([
    { id: 'bbbbbbb1', parentId: null },
    { id: 'bbbbbbb2', parentId: 'bbbbbbb1' },
  ]);
});

test('a session without a message yet has nothing to clone; one in memory is cloned in memory', () => {
  const unsaved = keep(createSession({ cwd: dir, sessionDir: dir, name: 'n' }));
  expect(() => forkSession(unsaved, { ...options(), position: 'at' })).toThrow(
    expect.objectContaining({ code: 'SESSION_UNSAVED' }),
  );
  const memory = createSession({ cwd: dir });
  memory.append({ type: 'message', message: user('hi') });
  const { session } = forkSession(memory, { cwd: dir, position: 'at' });
  expect(session.entries()).toEqual(memory.entries());
  expect([session.file, session.header.parentSession]).toEqual([undefined, undefined]);
});
