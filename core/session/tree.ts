import type { JsonPiece } from '../base/raw-json.js';
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

  /** All entries depth first: a step down before an entry's children, a step up after them. */
  *walk(): Generator<{ at: number; down: boolean; isFirst: boolean }> {
    let at = this.firstRoot;
    let isFirst = true;
    while (at >= 0) {
      yield { at, down: true, isFirst };
      const child = this.#firstChild[at] ?? -1;
      if (child >= 0) {
        at = child;
        isFirst = true;
        continue;
      }
      yield { at, down: false, isFirst };
      isFirst = false;
      let next = this.#nextSibling[at] ?? -1;
      while (next < 0) {
        at = this.#index.parent(at);
        if (at < 0) return;
        yield { at, down: false, isFirst };
        next = this.#nextSibling[at] ?? -1;
      }
      at = next;
    }
  }
}

/** The session as nested nodes. Do not encode a long one with `JSON.stringify`, which recurses: see {@link treePieces}. */
export function buildTree(
  index: EntryIndex,
  entryAt: (at: number) => StoredEntry,
  labels: ReadonlyMap<string, Label>,
): TreeNode[] {
  const roots: TreeNode[] = [];
  const path: TreeNode[] = [];
  for (const { at, down } of new TreeShape(index).walk()) {
    if (!down) {
      path.pop();
      continue;
    }
    const entry = entryAt(at);
    const label = labels.get(entry.id);
    const node: TreeNode = { entry, children: [], ...(label && { label: label.label, labelTimestamp: label.timestamp }) };
    (path.at(-1)?.children ?? roots).push(node);
    path.push(node);
  }
  return roots;
}

/** The same as JSON text, in pieces, made of the entries' stored texts. The tree is that of the moment of the call. */
export function treePieces(
  index: EntryIndex,
  pieceAt: (at: number) => JsonPiece,
  labels: ReadonlyMap<string, Label>,
): Iterable<JsonPiece> {
  return pieces(new TreeShape(index), index, pieceAt, labels);
}

function* pieces(
  shape: TreeShape,
  index: EntryIndex,
  pieceAt: (at: number) => JsonPiece,
  labels: ReadonlyMap<string, Label>,
): Generator<JsonPiece> {
  yield '[';
  for (const { at, down, isFirst } of shape.walk()) {
    if (down) {
      yield isFirst ? FIRST_ENTRY : NEXT_ENTRY;
      yield pieceAt(at);
      yield CHILDREN;
    } else yield closing(labels.get(index.ids[at] ?? ''));
  }
  yield ']';
}

const FIRST_ENTRY = Buffer.from('{"entry":');
const NEXT_ENTRY = Buffer.from(',{"entry":');
const CHILDREN = Buffer.from(',"children":[');
const END = Buffer.from(']}');

function closing(label: Label | undefined): JsonPiece {
  if (!label) return END;
  const { label: text, timestamp } = label;
  const time = timestamp === undefined ? '' : `,"labelTimestamp":${JSON.stringify(timestamp)}`;
  return `],"label":${JSON.stringify(text)}${time}}`;
}
