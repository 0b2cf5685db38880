import type { StoredEntry } from '../protocol/commands/session.js';

/** An entry in the order of reading, with how far it is moved in: once more for each fork above it. */
export interface PlacedEntry {
  entry: StoredEntry;
  depth: number;
  /** On the current branch. */
  isCurrent: boolean;
}

/** Entries depth first, the current branch last among its siblings; orphans are roots. Iterates: a chain may be of any length. */
export function placeEntries(entries: readonly StoredEntry[], leafId: string | null): PlacedEntry[] {
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  const current = new Set<string>();
  for (let at = leafId === null ? undefined : known.get(leafId); at && !current.has(at.id); at = known.get(at.parentId ?? ''))
    current.add(at.id);

  const children = new Map<string | null, StoredEntry[]>();
  for (const entry of entries) {
    const parent = entry.parentId !== null && known.has(entry.parentId) && entry.parentId !== entry.id ? entry.parentId : null;
    const list = children.get(parent);
    if (list) list.push(entry);
    else children.set(parent, [entry]);
  }
  const placed: PlacedEntry[] = [];
  const visited = new Set<StoredEntry>();
  const visit = (roots: readonly StoredEntry[]): void => {
    const stack = roots.map((entry) => ({ entry, depth: 0 })).reverse();
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { entry, depth } = next;
      if (visited.has(entry)) continue;
      visited.add(entry);
      placed.push({ entry, depth, isCurrent: current.has(entry.id) });
      const below = children.get(entry.id) ?? [];
      const ordered = [...below].sort((a, b) => Number(current.has(a.id)) - Number(current.has(b.id)));
      for (const child of ordered.reverse())
        stack.push({ entry: child, depth: below.length > 1 && !current.has(child.id) ? depth + 1 : depth });
    }
  };
  visit(children.get(null) ?? []);
  // What hangs in a circle of parents is under no root.
  visit(entries.filter((entry) => !visited.has(entry)));
  return placed;
}
