/** Where an entry's line is when it is in no file yet. */
export const UNSTORED = -1;

/** What the index keeps of one entry. Offsets are bytes in the session file. */
export interface IndexedEntry {
  id: string;
  type: string;
  parentId: string | null;
  /** {@link UNSTORED} while the entry is in memory only. */
  offset: number;
  length: number;
  /** Offset of the `message` object within the line, 0 when unknown. */
  messageOffset: number;
  messageLength: number;
  role: string | null;
  /** The stored bytes may not be handed out as they are: raw U+2028 and its like, or invalid UTF-8. */
  unsafe: boolean;
}

/** Roles of message entries, as a byte. */
const ROLES = ['', 'user', 'assistant', 'toolResult', 'bashExecution'];
const OTHER_ROLE = 255;
const UNSAFE = 1;

/**
 * The shape of the tree: ids, parents and places of all entries in the order they were appended, in typed arrays, so that a
 * session of 50 000 entries costs a few megabytes. Entries are named by their position. Parents are linked so that walking up
 * always ends: an entry's parent is an earlier one wherever possible, and a loop is cut at its first entry, which becomes a root.
 */
export class EntryIndex {
  readonly ids: string[] = [];
  readonly types: string[] = [];
  /** Position of the parent; -1 for a root. */
  #parents = new Int32Array(64);
  #offsets = new Float64Array(64);
  #lengths = new Uint32Array(64);
  #messageOffsets = new Uint32Array(64);
  #messageLengths = new Uint32Array(64);
  #roles = new Uint8Array(64);
  #flags = new Uint8Array(64);
  readonly #positions = new Map<string, number>();
  /** Parents that were not there when their child came. */
  readonly #missing = new Map<number, string>();

  get size(): number {
    return this.ids.length;
  }

  /** True when an entry has this id. */
  has(id: string): boolean {
    return this.#positions.has(id);
  }

  /** Position of the last entry with this id. */
  find(id: string): number | undefined {
    return this.#positions.get(id);
  }

  add(entry: IndexedEntry): number {
    const at = this.ids.length;
    if (at === this.#parents.length) this.#grow();
    let parent = -1;
    if (entry.parentId !== null) {
      // Nearly always the entry before.
      const found = at > 0 && this.ids[at - 1] === entry.parentId ? at - 1 : this.#positions.get(entry.parentId);
      if (found === undefined) this.#missing.set(at, entry.parentId);
      else parent = found;
    }
    this.ids.push(entry.id);
    this.types.push(entry.type);
    this.#parents[at] = parent;
    this.#offsets[at] = entry.offset;
    this.#lengths[at] = entry.length;
    this.#messageOffsets[at] = entry.messageOffset;
    this.#messageLengths[at] = entry.messageLength;
    const role = entry.role === null ? 0 : ROLES.indexOf(entry.role);
    this.#roles[at] = role < 0 ? OTHER_ROLE : role;
    this.#flags[at] = entry.unsafe ? UNSAFE : 0;
    this.#positions.set(entry.id, at);
    return at;
  }

  /** The entry is in the file now. */
  setPlace(at: number, offset: number, length: number): void {
    this.#offsets[at] = offset;
    this.#lengths[at] = length;
  }

  parent(at: number): number {
    return this.#parents[at] ?? -1;
  }

  /** The parent's id as stored: also one that does not exist. */
  parentId(at: number): string | null {
    const parent = this.parent(at);
    return parent < 0 ? (this.#missing.get(at) ?? null) : (this.ids[parent] ?? null);
  }

  offset(at: number): number {
    return this.#offsets[at] ?? UNSTORED;
  }

  length(at: number): number {
    return this.#lengths[at] ?? 0;
  }

  messageOffset(at: number): number {
    return this.#messageOffsets[at] ?? 0;
  }

  messageLength(at: number): number {
    return this.#messageLengths[at] ?? 0;
  }

  isUnsafe(at: number): boolean {
    return this.#flags[at] === UNSAFE;
  }

  /** True for message entries whose message has a role. */
  hasMessage(at: number): boolean {
    return this.#roles[at] !== 0 && this.types[at] === 'message';
  }

  hasRole(at: number, role: 'user' | 'assistant' | 'toolResult' | 'bashExecution'): boolean {
    return this.#roles[at] === ROLES.indexOf(role) && this.types[at] === 'message';
  }

  /** Positions from `at` up to its root. */
  *up(at: number): Generator<number> {
    for (let here = at; here >= 0; here = this.parent(here)) yield here;
  }

  /**
   * Links children that stand before their parent in the file (merged or hand-edited files), after everything is read. Links
   * that would close a loop are left out: the child stays a root.
   */
  linkLateParents(): void {
    const linked: number[] = [];
    for (const [child, parentId] of this.#missing) {
      const parent = this.#positions.get(parentId);
      if (parent === undefined || parent === child) continue;
      this.#parents[child] = parent;
      linked.push(child);
    }
    if (linked.length === 0) return;
    this.#cutLoops();
    for (const child of linked) if (this.parent(child) >= 0) this.#missing.delete(child);
  }

  /** Each walk up stamps what it passes; meeting its own stamp means a loop. Linear, as finished walks are not repeated. */
  #cutLoops(): void {
    const stamps = new Int32Array(this.size);
    for (let start = 0; start < this.size; start++) {
      let here = start;
      while (here >= 0 && stamps[here] === 0) {
        stamps[here] = start + 1;
        here = this.parent(here);
      }
      if (here < 0 || stamps[here] !== start + 1) continue;
      let first = here;
      for (let member = this.parent(here); member !== here; member = this.parent(member)) first = Math.min(first, member);
      this.#parents[first] = -1;
    }
  }

  #grow(): void {
    this.#parents = grown(this.#parents, new Int32Array(this.#parents.length * 2));
    this.#offsets = grown(this.#offsets, new Float64Array(this.#offsets.length * 2));
    this.#lengths = grown(this.#lengths, new Uint32Array(this.#lengths.length * 2));
    this.#messageOffsets = grown(this.#messageOffsets, new Uint32Array(this.#messageOffsets.length * 2));
    this.#messageLengths = grown(this.#messageLengths, new Uint32Array(this.#messageLengths.length * 2));
    this.#roles = grown(this.#roles, new Uint8Array(this.#roles.length * 2));
    this.#flags = grown(this.#flags, new Uint8Array(this.#flags.length * 2));
  }
}

function grown<T extends Int32Array | Float64Array | Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
