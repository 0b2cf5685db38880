import { readSync } from 'node:fs';
import { shortId } from '../base/id.js';
import type { EntryIndex } from './entry-index.js';
import type { Finding } from './finding.js';

/** Where the sound entries of a file stand, by position. */
export interface StoredRecords {
  fd: number;
  index: EntryIndex;
  /** Line of each. */
  lines: readonly number[];
  /** Positions of entries that name no parent, not even `null`. */
  parentless: ReadonlySet<number>;
  /** Positions of entries with bytes that are no UTF-8. */
  badText: ReadonlySet<number>;
}

/** What is to be changed in an entry so that the tree holds together. */
export interface Mend {
  /** It stands in the file before, byte for byte. */
  drop?: true;
  id?: string;
  parentId?: string | null;
}

/**
 * Finds what is wrong with the tree, and what makes it whole: of several entries with one id the last keeps it, as readers take it
 * that way, the others get new ones, and their children follow; a loop is cut at its first entry; an entry whose parent is missing
 * is attached to the one before it, because the lost record most likely stood between the two.
 */
export function mendTree(records: StoredRecords): { mends: Map<number, Mend>; findings: Finding[] } {
  const { index } = records;
  const mends = new Map<number, Mend>();
  const findings: Finding[] = [];
  const report = (at: number, kind: Finding['kind'], message: string): void => {
    findings.push({ line: records.lines[at] ?? 0, severity: 'problem', kind, message });
  };
  const standsFor = mendDuplicates(records, mends, report);
  const idOf = (at: number): string => mends.get(standsFor(at))?.id ?? index.ids[at] ?? '';
  let before: number | undefined;
  for (let at = 0; at < index.size; at++) {
    if (mends.get(at)?.drop) continue;
    const parent = index.parent(at);
    const named = index.parentId(at);
    const mend = (parentId: string | null): void => void mends.set(at, { ...mends.get(at), parentId });
    if (parent >= 0) {
      if (idOf(parent) !== named) mend(idOf(parent));
    } else if (named !== null && index.has(named)) {
      report(at, 'cycle', `is its own ancestor: entry ${index.ids[at]} below ${named}; it becomes a root`);
      mend(null);
    } else if (named !== null || records.parentless.has(at)) {
      const what = named === null ? 'says no parent' : `is below ${named}, which is missing`;
      report(at, 'orphan', `${what}: entry ${index.ids[at]}; it is attached to the entry before it`);
      mend(before === undefined ? null : idOf(before));
    }
    before = at;
  }
  return { mends, findings };
}

type Report = (at: number, kind: Finding['kind'], message: string) => void;

/** Returns which position stands for another: itself, or the first of its copies. */
function mendDuplicates(records: StoredRecords, mends: Map<number, Mend>, report: Report): (at: number) => number {
  const { index, lines } = records;
  const copies = new Map<number, number>();
  const taken = { has: (id: string): boolean => index.has(id) || fresh.has(id) };
  const fresh = new Set<string>();
  for (const [id, places] of repeated(index)) {
    const firsts = new Map<string, number>();
    for (const at of places) {
      const text = textOf(records, at);
      const first = firsts.get(text);
      if (first === undefined) {
        firsts.set(text, at);
        continue;
      }
      copies.set(at, first);
      mends.set(at, { drop: true });
      report(at, 'duplicate', `repeats line ${lines[first]}, entry ${id}; one of them is enough`);
    }
    const last = places.at(-1) ?? 0;
    const keeper = copies.get(last) ?? last;
    for (const at of firsts.values()) {
      if (at === keeper) continue;
      const newId = shortId(taken);
      fresh.add(newId);
      mends.set(at, { id: newId });
      report(at, 'duplicate', `has the same id as line ${lines[keeper]}: ${id}; it becomes ${newId}`);
    }
  }
  return (at) => copies.get(at) ?? at;
}

/** Ids that several entries have, with their positions. */
function repeated(index: EntryIndex): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [at, id] of index.ids.entries()) {
    const known = places.get(id);
    if (known) known.push(at);
    else if (index.find(id) !== at) places.set(id, [at]);
  }
  return places;
}

function textOf({ fd, index }: StoredRecords, at: number): string {
  return readRecord(fd, index.offset(at), index.length(at)).toString('latin1');
}

/** Bytes of one entry, which was there when the file was read. */
export function readRecord(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(fd, bytes, filled, length - filled, offset + filled);
    if (count === 0) throw new Error('The file became shorter while it was read');
    filled += count;
  }
  return bytes;
}
