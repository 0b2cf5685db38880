import type { StoredEntry, TreeNode } from '../protocol/commands/session.js';
import type { EntryIndex } from './entry-index.js';

export interface Label {
  label: string;
  timestamp: string | undefined;
}

/** Children of every entry as linked positions: no arrays per entry, no recursion, so a chain of any length is fine. */
export class TreeShape {
  readonly firstRoot: number;
  readonly #firstChild: Int32Array;
  readonly #nextSibling: Int32Array;
  readonly #index: EntryIndex;

  constructor(index: EntryIndex) {
    this.#index = index;
    this.#firstChild = new Int32Array(index.size).fill(-1);
    this.#nextSibling = new Int32Array(index.size).fill(-1);
    let firstRoot = -1;
    // From the last to the first, so that siblings end up in the order they were appended.
    for (let at = index.size - 1; at >= 0; at--) {
      const parent = index.parent(at);
      this.#nextSibling[at] = parent < 0 ? firstRoot : (this.#firstChild[parent] ?? -1);
      if (parent < 0) firstRoot = at;
      else this.#firstChild[parent] = at;
    }
    this.firstRoot = firstRoot;
  }

  /** Visits all entries depth first: `enter` before the children, `leave` after them. */
  walk(enter: (at: number, isFirst: boolean) => void, leave: (at: number) => void): void {
    let at = this.firstRoot;
    let isFirst = true;
    while (at >= 0) {
      enter(at, isFirst);
      const child = this.#firstChild[at] ?? -1;
      if (child >= 0) {
        at = child;
        isFirst = true;
        continue;
      }
      leave(at);
      isFirst = false;
      let next = this.#nextSibling[at] ?? -1;
      while (next < 0) {
        at = this.#index.parent(at);
        if (at < 0) return;
        leave(at);
        next = this.#nextSibling[at] ?? -1;
      }
      at = next;
    }
  }
}

/** The session as nested nodes. Do not encode a long one with `JSON.stringify`, which recurses: see {@link treeText}. */
export function buildTree(
  index: EntryIndex,
  entryAt: (at: number) => StoredEntry,
  labels: ReadonlyMap<string, Label>,
): TreeNode[] {
  const roots: TreeNode[] = [];
  const path: TreeNode[] = [];
  new TreeShape(index).walk(
    (at) => {
      const entry = entryAt(at);
      const label = labels.get(entry.id);
      const node: TreeNode = { entry, children: [], ...(label && { label: label.label, labelTimestamp: label.timestamp }) };
      (path.at(-1)?.children ?? roots).push(node);
      path.push(node);
    },
    () => path.pop(),
  );
  return roots;
}

/** The same as JSON text, made of the entries' stored texts. */
export function treeText(index: EntryIndex, textAt: (at: number) => string, labels: ReadonlyMap<string, Label>): string {
  const parts: string[] = ['['];
  new TreeShape(index).walk(
    (at, isFirst) => parts.push(isFirst ? '{"entry":' : ',{"entry":', textAt(at), ',"children":['),
    (at) => {
      const label = labels.get(index.ids[at] ?? '');
      if (!label) {
        parts.push(']}');
        return;
      }
      const { label: text, timestamp } = label;
      parts.push(`],"label":${JSON.stringify(text)}`);
      parts.push(timestamp === undefined ? '}' : `,"labelTimestamp":${JSON.stringify(timestamp)}}`);
    },
  );
  parts.push(']');
  return parts.join('');
}
