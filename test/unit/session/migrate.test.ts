import { expect, test } from 'vitest';
import { migrateLines } from '../../../core/session/migrate.js';
import { answer, header, user } from './builders.js';

const lines = (records: readonly object[]): string[] => records.map((record) => JSON.stringify(record));
const parsed = (migrated: readonly string[]): Record<string, unknown>[] => migrated.map((line) => JSON.parse(line));

test('version 1 gets ids and parents, and the first kept place of a compaction becomes an id', () => {
  const old = [
    { type: 'session', id: 'x', timestamp: 't', cwd: '/w', provider: 'p' },
    { type: 'message', timestamp: 't', message: user('one') },
    { type: 'message', timestamp: 't', message: answer('two') },
    { type: 'compaction', timestamp: 't', summary: 's', firstKeptEntryIndex: 2, tokensBefore: 1 },
  ];
  const [head, one, two, compaction] = parsed(migrateLines(lines(old), 1));
  expect(head).toEqual({ ...old[0], version: 3 });
  expect(Object.keys(head ?? {}).at(-1)).toBe('version');
  expect(one).toMatchObject({ type: 'message', parentId: null, message: { content: 'one' } });
  expect(two?.parentId).toBe(one?.id);
  expect(compaction).toMatchObject({ parentId: two?.id, firstKeptEntryId: two?.id });
  expect(compaction).not.toHaveProperty('firstKeptEntryIndex');
});

test('version 2 keeps its tree; hookMessage becomes custom', () => {
  const old = [
    header('/w', { version: 2 }),
    { type: 'message', id: 'a', parentId: null, timestamp: 't', message: { role: 'hookMessage', content: 'x' } },
  ];
  const [head, entry] = parsed(migrateLines(lines(old), 2));
  expect(head).toMatchObject({ version: 3 });
  expect(entry).toMatchObject({ id: 'a', parentId: null, message: { role: 'custom', content: 'x' } });
});

test('lines that are no objects stay where they are', () => {
  const [, noise, blank] = migrateLines([JSON.stringify(header('/w', { version: 2 })), '%%% noise\r', '', '[1]'], 2);
  expect([noise, blank]).toEqual(['%%% noise', '']);
});
