import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeEntries } from '../../../core/export/entry-tree.js';

const entry = (id: string, parentId: string | null): { id: string; parentId: string | null; type: string } => ({
  id,
  parentId,
  type: 'x',
});

describe('the order of entries on the page', () => {
  it('does not move a chain in, however long it is', () => {
    const chain = Array.from({ length: 50_000 }, (_, at) => entry(`${at}`, at === 0 ? null : `${at - 1}`));
    const placed = placeEntries(chain, '49999');
    expect(placed.length).toBe(50_000);
    expect(placed.at(-1)).toMatchObject({ entry: { id: '49999' }, depth: 0, isCurrent: true });
  });

  it('holds every entry once, whatever parents a file names', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    fc.assert(
      fc.property(fc.array(fc.tuple(id, fc.option(fc.oneof(id, fc.constant('gone')))), { maxLength: 20 }), id, (made, leaf) => {
        const entries = made.map(([own, parent]) => entry(own, parent));
        const placed = placeEntries(entries, leaf);
        expect(new Set(placed.map((item) => item.entry))).toEqual(new Set(entries));
        expect(placed).toHaveLength(entries.length);
      }),
    );
  });
});
