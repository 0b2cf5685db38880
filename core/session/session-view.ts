import type { StoredEntry, TreeNode } from '../protocol/commands/session.js';
import type { SessionHeader } from '../protocol/entries.js';
import type { AgentMessage } from '../protocol/messages.js';
import { Branch, type RecordedModel } from './branch.js';
import { EntryIndex, UNSTORED } from './entry-index.js';
import { buildTree, type Label } from './tree.js';

/** What a view reads. Everything is asked for each time, so that it may change behind the view. */
export interface SessionViewSource {
  /** All entries, oldest first. The list only grows, in place or as a new array, unless it is replaced by another session's. */
  entries(): readonly StoredEntry[];
  /** The entry new ones attach to; null when there is none. */
  leafId(): string | null;
  header(): SessionHeader | null;
  /** Undefined for a session that is kept in memory. */
  file(): string | undefined;
  /** Where its files live; '' for a session that is kept in memory. */
  dir(): string;
}

/** What the model is asked with. Source: session-format document, "Context Building". */
export interface SessionContext {
  messages: AgentMessage[];
  thinkingLevel: string;
  model: RecordedModel | null;
}

/**
 * The reading half of the documented session manager, over a list of entries that somebody else keeps. Reading again costs what came
 * since: entries are indexed as they appear, and all of them anew only when the list was replaced. Arrays that are handed out are
 * copies; the entries in them are not. Source: session-format document, "SessionManager API"; unknown ids as observed, 0.84.0.
 */
export class SessionView {
  readonly #source: SessionViewSource;
  #indexed = new IndexedEntries();

  constructor(source: SessionViewSource) {
    this.#source = source;
  }

  getEntries(): StoredEntry[] {
    return this.#source.entries().slice();
  }

  getEntry(id: string): StoredEntry | undefined {
    return this.#current().entry(id);
  }

  getLeafId(): string | null {
    return this.#source.leafId();
  }

  getLeafEntry(): StoredEntry | undefined {
    const id = this.#source.leafId();
    return id === null ? undefined : this.getEntry(id);
  }

  /** Entries that name `parentId` as their parent, also when there is no such entry. */
  getChildren(parentId: string): StoredEntry[] {
    return this.#current().children(parentId);
  }

  /** From the root to `fromId` (default: the leaf); empty for an id that is not there. */
  getBranch(fromId?: string): StoredEntry[] {
    const id = fromId ?? this.#source.leafId();
    return id === null ? [] : this.#current().path(id);
  }

  /** The same under its other documented name. Source: sdk document. */
  getPath(): StoredEntry[] {
    return this.getBranch();
  }

  /** Orphans are roots. Do not encode a deep tree with `JSON.stringify`, which recurses. */
  getTree(): TreeNode[] {
    return this.#current().tree();
  }

  getLabel(id: string): string | undefined {
    return this.#current().labels.get(id)?.label;
  }

  /** The entries behind the context: the compaction in force, what it kept, what came after it. */
  buildContextEntries(): StoredEntry[] {
    return this.#current().contextEntries(this.#source.leafId());
  }

  buildSessionContext(): SessionContext {
    return this.#current().context(this.#source.leafId());
  }

  getHeader(): SessionHeader | null {
    return this.#source.header();
  }

  getSessionId(): string {
    return this.#source.header()?.id ?? '';
  }

  getSessionFile(): string | undefined {
    return this.#source.file();
  }

  getSessionDir(): string {
    return this.#source.dir();
  }

  /** The newest name; undefined without one, and when it was taken away. */
  getSessionName(): string | undefined {
    return this.#current().name;
  }

  getCwd(): string {
    return this.#source.header()?.cwd ?? '';
  }

  isPersisted(): boolean {
    return this.#source.file() !== undefined;
  }

  #current(): IndexedEntries {
    const entries = this.#source.entries();
    if (!this.#indexed.continues(entries)) this.#indexed = new IndexedEntries();
    this.#indexed.catchUp(entries);
    return this.#indexed;
  }
}

/** One list of entries as far as it was read: ids, the tree, labels, the name. */
class IndexedEntries {
  readonly labels = new Map<string, Label>();
  name: string | undefined;
  #first: StoredEntry | undefined;
  #entries: readonly StoredEntry[] = [];
  #index = new EntryIndex();
  /** Of the last question for a context; undefined before the first. */
  #branch: Branch | undefined;
  /** The last path that was asked for: most questions are for the same, or for one entry more. */
  #path: StoredEntry[] = [];
  /** By the parent's id; made at the first question. */
  #children: Map<string, StoredEntry[]> | undefined;
  /** Parents that were named and are not there. */
  readonly #missing = new Set<string>();

  /** True when `entries` is the list read so far, or a longer one that begins with it. */
  continues(entries: readonly StoredEntry[]): boolean {
    const { size } = this.#index;
    return (
      entries.length >= size && (size === 0 || (entries[0] === this.#first && entries[size - 1] === this.#entries[size - 1]))
    );
  }

  catchUp(entries: readonly StoredEntry[]): void {
    const { size } = this.#index;
    this.#entries = entries;
    if (entries.length === size) return;
    if (size === 0) this.#first = entries[0];
    let late = false;
    for (let at = size; at < entries.length; at++) {
      const entry = entries[at];
      if (entry) late = this.#add(entry) || late;
    }
    if (late) this.#relink();
  }

  entry(id: string): StoredEntry | undefined {
    const at = this.#index.find(id);
    return at === undefined ? undefined : this.#entries[at];
  }

  children(parentId: string): StoredEntry[] {
    if (!this.#children) {
      this.#children = new Map();
      for (const entry of this.#entries) this.#addChild(entry);
    }
    return this.#children.get(parentId)?.slice() ?? [];
  }

  path(id: string): StoredEntry[] {
    const at = this.#index.find(id);
    if (at === undefined) return [];
    const end = this.#path.at(-1);
    const parent = this.#entries[this.#index.parent(at)];
    if (end === undefined || end !== this.#entries[at]) {
      if (end !== undefined && end === parent) this.#path.push(this.#at(at));
      else this.#path = [...this.#index.up(at)].reverse().map((place) => this.#at(place));
    }
    return this.#path.slice();
  }

  tree(): TreeNode[] {
    return buildTree(this.#index, (at) => this.#at(at), this.labels);
  }

  context(leafId: string | null): SessionContext {
    const branch = this.#branchTo(leafId);
    return {
      messages: branch.messages().slice(),
      thinkingLevel: branch.thinkingLevel() ?? 'off',
      model: branch.model() ?? null,
    };
  }

  contextEntries(leafId: string | null): StoredEntry[] {
    const path = leafId === null ? [] : this.path(leafId);
    const at = path.findLastIndex(({ type }) => type === 'compaction');
    const compaction = path[at];
    if (!compaction) return path;
    const after = path.slice(at + 1);
    if (Array.isArray(compaction.retainedTail)) return [compaction, ...after];
    const first = path.findIndex(({ id }) => id === compaction.firstKeptEntryId);
    // An older summary within what was kept is part of the newer one.
    const kept = first < 0 || first > at ? [] : path.slice(first, at).filter(({ type }) => type !== 'compaction');
    return [compaction, ...kept, ...after];
  }

  #at(at: number): StoredEntry {
    const entry = this.#entries[at];
    if (!entry) throw new Error(`No entry at ${at}: the list of entries became shorter while it was read`);
    return entry;
  }

  #branchTo(leafId: string | null): Branch {
    this.#branch ??= new Branch({ index: this.#index, entry: (at) => this.#at(at) });
    const at = leafId === null ? -1 : (this.#index.find(leafId) ?? -1);
    const { leaf } = this.#branch;
    if (at !== leaf) {
      if (at >= 0 && leaf >= 0 && this.#index.parent(at) === leaf) this.#branch.grew(at);
      else this.#branch.moveTo(at);
    }
    return this.#branch;
  }

  /** True when a parent and its child are in the wrong order. */
  #add(entry: StoredEntry): boolean {
    const { id, type, parentId } = entry;
    const at = this.#index.add({
      id,
      type,
      parentId: parentId ?? null,
      offset: UNSTORED,
      length: 0,
      messageOffset: 0,
      messageLength: 0,
      role: roleOf(entry),
      unsafe: false,
    });
    if (this.#children) this.#addChild(entry);
    if (type === 'label') this.#addLabel(entry);
    if (type === 'session_info') this.name = typeof entry.name === 'string' && entry.name.trim() !== '' ? entry.name : undefined;
    if (typeof parentId === 'string' && this.#index.parent(at) < 0) this.#missing.add(parentId);
    return this.#missing.has(id);
  }

  #addChild(entry: StoredEntry): void {
    if (typeof entry.parentId !== 'string') return;
    const siblings = this.#children?.get(entry.parentId);
    if (siblings) siblings.push(entry);
    else this.#children?.set(entry.parentId, [entry]);
  }

  #addLabel({ targetId, label, timestamp }: StoredEntry): void {
    if (typeof targetId !== 'string') return;
    this.labels.delete(targetId);
    if (typeof label !== 'string' || label === '') return;
    this.labels.set(targetId, { label, timestamp: typeof timestamp === 'string' ? timestamp : undefined });
  }

  /** Children may stand before their parents in merged files: what hangs together is known when all were read. */
  #relink(): void {
    this.#index.linkLateParents();
    this.#branch = undefined;
    this.#path = [];
  }
}

function roleOf({ type, message }: StoredEntry): string | null {
  if (type !== 'message' || typeof message !== 'object' || message === null || !('role' in message)) return null;
  return typeof message.role === 'string' && message.role !== '' ? message.role : null;
}
