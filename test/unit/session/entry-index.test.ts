import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EntryIndex, UNSTORED } from '../../../core/session/entry-index.js';
import { TreeShape } from '../../../core/session/tree.js';

function indexOf(entries: readonly { id: string; parentId: string | null }[]): EntryIndex {
  const index = new EntryIndex();
  for (const { id, parentId } of entries) {
    index.add({
      id,
      parentId,
      type: 'custom',
      offset: UNSTORED,
      length: 0,
      messageOffset: 0,
      messageLength: 0,
      role: null,
      unsafe: false,
    });
  }
  index.linkLateParents();
  return index;
}

test('walking up always ends and the tree holds every entry once, whatever ids and parents a file has', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  fc.assert(
    fc.property(fc.array(fc.record({ id: ids, parentId: fc.oneof(ids, fc.constant(null)) }), { maxLength: 20 }), (entries) => {
      const index = indexOf(entries);
      for (const at of entries.keys()) expect([...index.up(at)].length).toBeLessThanOrEqual(entries.length);
      const entered: number[] = [];
      const left: number[] = [];
      for (const { at, down } of new TreeShape(index).walk()) (down ? entered : left).push(at);
      const all = [...entries.keys()];
      expect(entered.toSorted((a, b) => a - b)).toEqual(all);
      expect(left.toSorted((a, b) => a - b)).toEqual(all);
    }),
    { numRuns: 1000 },
  );
});

test('children that stand before their parent are linked, loops are cut at their first entry', () => {
  const late = indexOf([
    { id: 'child', parentId: 'parent' },
    { id: 'parent', parentId: null },
  ]);
  expect([late.parent(0), late.parent(1)]).toEqual([1, -1]);
  const loop = indexOf([
    { id: 'a', parentId: 'b' },
    { id: 'b', parentId: 'a' },
    { id: 'self', parentId: 'self' },
  ]);
  expect([0, 1, 2].map((at) => loop.parent(at))).toEqual([-1, 0, -1]);
  expect(loop.parentId(0)).toBe('b');
});

test('a file of 100 000 entries in reverse order is linked in linear time', () => {
  const entries = Array.from({ length: 100_000 }, (_, n) => ({ id: `e${n}`, parentId: n === 99_999 ? null : `e${n + 1}` }));
  const index = indexOf(entries);
  expect([...index.up(0)]).toHaveLength(100_000);
});
