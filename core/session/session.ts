import { isAbsolute, join, resolve } from 'node:path';
import { CodedError } from '../base/coded-error.js';
import { shortId, uuidV7 } from '../base/id.js';
import { escapeSeparators } from '../base/jsonl.js';
import { inBatches, type JsonPiece, RawJson } from '../base/raw-json.js';
import type { SessionStats, StoredEntry, TreeNode } from '../protocol/commands/session.js';
import type { CompactionPlanResult } from '../protocol/compaction-plan.js';
import type { NewEntry, SessionEntry, SessionHeader } from '../protocol/entries.js';
import type { AgentMessage } from '../protocol/messages.js';
import { Branch, type RecordedModel } from './branch.js';
import { planCompaction } from './compaction-plan.js';
import { contextTokens, estimateTokens } from './context-tokens.js';
import { EntryStore } from './entry-store.js';
import { SESSION_ERRORS } from './errors.js';
import { createHeader } from './header.js';
import type { LedgerSums } from './ledger.js';
import { type FileProblem, type LoadedFile, loadFile } from './load.js';
import { sessionFileName } from './naming.js';
import { type LockSession, SessionFile } from './session-file.js';
import { storedText } from './stored-message.js';
import { buildTree, type Label, treePieces } from './tree.js';
import { WriteClaim } from './write-claim.js';

const COMMA = Buffer.from(',');

export interface NewSessionOptions {
  /** Where the conversation works; recorded in the header. */
  cwd: string;
  /** Directory of the file; left out, the session stays in memory. */
  sessionDir?: string | undefined;
  id?: string | undefined;
  /** Absolute path of the session this one comes from. */
  parentSession?: string | undefined;
  name?: string | undefined;
  now?: () => Date;
  /** Held from opening the file, or from the first write, to `dispose`; default: nothing keeps other writers off. */
  lock?: LockSession | undefined;
}

/** A new, empty session. Its file is made with the first message. The caller disposes it. */
export function createSession(options: NewSessionOptions): Session {
  const { cwd, sessionDir, parentSession, name, now = () => new Date(), lock } = options;
  const started = now();
  const id = options.id ?? uuidV7(started.getTime());
  const header = createHeader({ id, cwd, now: started, parentSession });
  const path = sessionDir === undefined ? undefined : join(resolve(cwd, sessionDir), sessionFileName(started, id));
  const session = new Session({ header, path, now, claim: new WriteClaim({ lock }) });
  if (name !== undefined) session.setName(name);
  return session;
}

export interface OpenSessionOptions extends Omit<NewSessionOptions, 'sessionDir'> {
  /** Nothing will be written, not even the new form of an old version: for the source of a fork. */
  readOnly?: boolean;
}

/**
 * Opens the session in `path` (relative to `cwd`). A path without a file, or with nothing in it, becomes a new session with
 * the other options. A session that another process writes to is opened for reading: see {@link Session.lockedBy}.
 * Throws SESSION_INVALID_FILE, SESSION_READ_FAILED, or SESSION_WRITE_FAILED for an old version that can't be rewritten.
 * The caller disposes it. Source: transcripts of `--session` and `switch_session`.
 */
export function openSession(path: string, options: OpenSessionOptions): Session {
  const { cwd, id, parentSession, name, now = () => new Date(), lock, readOnly } = options;
  const file = isAbsolute(path) ? path : resolve(cwd, path);
  const claim = new WriteClaim({ lock, readOnly });
  claim.takeBeforeReading(file);
  try {
    const common = { path: file, now, claim };
    const loaded = loadFile(file, { migrate: claim.mayRewrite ? 'in place' : 'copy' });
    if (loaded) return new Session({ ...common, header: loaded.header, loaded });
    const started = now();
    const header = createHeader({ id: id ?? uuidV7(started.getTime()), cwd, now: started, parentSession });
    const session = new Session({ ...common, header });
    if (name !== undefined) session.setName(name);
    return session;
  } catch (error) {
    claim.release();
    throw error;
  }
}

interface SessionParts {
  header: SessionHeader;
  path: string | undefined;
  now: () => Date;
  claim: WriteClaim;
  loaded?: LoadedFile | undefined;
}

/** One tree of entries with its file and its current leaf. Everything is synchronous; see {@link createSession}, {@link openSession}. */
export class Session {
  readonly header: SessionHeader;
  /** Absolute path, known before the file exists; undefined for a session in memory. */
  readonly file: string | undefined;
  /** Damaged places found on opening (the first hundred), for a diagnostic. */
  readonly problems: readonly FileProblem[];
  readonly problemCount: number;
  readonly #now: () => Date;
  readonly #claim: WriteClaim;
  readonly #file: SessionFile | undefined;
  readonly #store: EntryStore;
  readonly #branch: Branch;
  /** Position of the last `session_info`, -1 without one. */
  #nameAt: number;
  #name: string | undefined;

  constructor(parts: SessionParts) {
    const { header, path, loaded } = parts;
    this.header = header;
    this.file = path;
    this.problems = loaded?.problems ?? [];
    this.problemCount = loaded?.problemCount ?? 0;
    this.#now = parts.now;
    this.#claim = parts.claim;
    this.#file = path === undefined ? undefined : new SessionFile(path, loaded?.reader, loaded?.tail, loaded?.size);
    this.#store = new EntryStore(header, this.#file, loaded);
    this.#branch = new Branch(this.#store);
    const { index } = this.#store;
    this.#branch.moveTo(index.size - 1);
    this.#nameAt = index.types.lastIndexOf('session_info');
    this.#name = this.#nameAt < 0 ? undefined : nameIn(this.#store.peek(this.#nameAt));
  }

  get id(): string {
    return this.header.id;
  }

  /** True once the session is in its file. */
  get isSaved(): boolean {
    return this.#file?.exists ?? false;
  }

  get name(): string | undefined {
    return this.#name;
  }

  /**
   * The SESSION_LOCKED error of a session that another process was writing to when it was opened: until a write succeeds, this
   * one is for reading.
   */
  get lockedBy(): CodedError | undefined {
    return this.#claim.lockedBy;
  }

  /** True when the file is not as this session knows it: written, replaced or made by somebody else. */
  get isChanged(): boolean {
    return this.#file?.isChanged ?? false;
  }

  /** The entry new ones attach to. */
  get leafId(): string | null {
    return this.#store.index.ids[this.#branch.leaf] ?? null;
  }

  /** All entries, the header not counted. */
  get entryCount(): number {
    return this.#store.index.size;
  }

  /** Messages in the context. */
  get messageCount(): number {
    return this.#branch.messageCount;
  }

  /**
   * Attaches an entry to the leaf and makes it the leaf. It is in the file before this returns, or, before the first user
   * message, will be written with it. Throws SESSION_WRITE_FAILED, SESSION_ENTRY_INVALID, and what {@link claim} throws; nothing
   * has changed then.
   */
  append(entry: NewEntry): SessionEntry {
    const { type, ...rest } = entry;
    const { index } = this.#store;
    const full = { type, id: shortId(index), parentId: this.leafId, timestamp: this.#now().toISOString(), ...rest };
    const startsFile = this.#file !== undefined && !this.#file.exists && startsConversation(entry);
    const at = this.#write(full, startsFile);
    if (type === 'session_info') {
      this.#nameAt = at;
      this.#name = nameIn(full);
    }
    if (this.#branch.grew(at)) this.#forgetOldContext();
    // The parts of one member of the union, put together again.
    return full as SessionEntry;
  }

  /** Hears of each entry as it was stored: one line of JSON. One listener at a time. */
  onEntry(listener: ((line: Uint8Array) => void) | undefined): void {
    this.#store.onLine = listener;
  }

  /** Moves the leaf; `null` puts it before the first entry. Throws SESSION_ENTRY_NOT_FOUND. */
  setLeaf(id: string | null): void {
    this.#branch.moveTo(id === null ? -1 : this.#position(id));
  }

  /** The parent of an entry, null for a root or an orphan. Throws SESSION_ENTRY_NOT_FOUND. */
  parentOf(id: string): string | null {
    const { index } = this.#store;
    return index.ids[index.parent(this.#position(id))] ?? null;
  }

  /** The current branch since the last compaction, oldest first. The array is the session's own: read it, do not keep or change it. */
  contextMessages(): readonly AgentMessage[] {
    return this.#branch.messages();
  }

  /** Tokens in the context; null right after a compaction. */
  contextTokens(): number | null {
    return contextTokens(this.#branch.newestFirst(), this.#branch.compaction >= 0);
  }

  /** The whole context in tokens, estimated from its characters. */
  estimateContext(): number {
    return this.#branch.messages().reduce((sum, message) => sum + estimateTokens(message), 0);
  }

  /** What a compaction would replace now. Costs the context, not the file. */
  planCompaction(keepRecentTokens: number): CompactionPlanResult {
    const { compaction, isFresh } = this.#branch;
    const entry = compaction < 0 ? undefined : this.#store.entry(compaction);
    const previous = entry && { summary: typeof entry.summary === 'string' ? entry.summary : '', details: entry.details };
    const tokensBefore = this.contextTokens() ?? this.estimateContext();
    const { carried } = this.#branch;
    return planCompaction({ items: this.#branch.items(), carried, previous, isFresh, tokensBefore }, keepRecentTokens);
  }

  /** The same as JSON text: stored bytes where possible. */
  contextMessagesJson(): RawJson {
    const { compaction, entries } = this.#branch;
    // With a compaction the first messages are not stored as such, and few.
    if (compaction >= 0) return new RawJson(escapeSeparators(JSON.stringify(this.contextMessages())));
    return new RawJson(inBatches(this.#messagePieces([...entries]))).within('[', ']');
  }

  *#messagePieces(positions: readonly number[]): Generator<JsonPiece> {
    let converted: readonly AgentMessage[] | undefined;
    for (const [place, at] of positions.entries()) {
      if (place > 0) yield COMMA;
      const bytes = this.#store.messageBytes(at);
      if (bytes === undefined) converted ??= this.contextMessages();
      yield bytes ?? JSON.stringify(converted?.[place]);
    }
  }

  /** The model last chosen or used on the branch. */
  model(): RecordedModel | undefined {
    return this.#branch.model();
  }

  /** The thinking level last recorded on the branch. */
  thinkingLevel(): string | undefined {
    return this.#branch.thinkingLevel();
  }

  /** All entries in the order they were appended, or those after `since`. Throws SESSION_ENTRY_NOT_FOUND. */
  entries(since?: string): StoredEntry[] {
    const entries: StoredEntry[] = [];
    for (let at = this.#after(since); at < this.entryCount; at++) entries.push(this.#store.peek(at));
    return entries;
  }

  /** The same as JSON text, from stored bytes. */
  entriesJson(since?: string): RawJson {
    return new RawJson(this.#store.pieces(this.#after(since), this.entryCount)).within('[', ']');
  }

  getEntry(id: string): StoredEntry | undefined {
    const at = this.#store.index.find(id);
    return at === undefined ? undefined : this.#store.peek(at);
  }

  /** Entries from the root to `fromId` (default: the leaf). Throws SESSION_ENTRY_NOT_FOUND. */
  branch(fromId?: string): StoredEntry[] {
    const start = fromId === undefined ? this.#branch.leaf : this.#position(fromId);
    const positions = [...this.#store.index.up(start)].reverse();
    return positions.map((at) => this.#store.peek(at));
  }

  /** The whole session as nested nodes; orphans are roots. Encode with {@link treeJson}, not with `JSON.stringify`. */
  tree(): TreeNode[] {
    return buildTree(this.#store.index, (at) => this.#store.peek(at), this.labels());
  }

  treeJson(): RawJson {
    return new RawJson(inBatches(treePieces(this.#store.index, (at) => this.#store.piece(at), this.labels())));
  }

  /** Label of each labelled entry; the last word counts. */
  labels(): Map<string, Label> {
    const labels = new Map<string, Label>();
    for (const [at, type] of this.#store.index.types.entries()) {
      if (type !== 'label') continue;
      const { targetId, label, timestamp } = this.#store.peek(at);
      if (typeof targetId !== 'string') continue;
      labels.delete(targetId);
      if (typeof label !== 'string' || label === '') continue;
      labels.set(targetId, { label, timestamp: typeof timestamp === 'string' ? timestamp : undefined });
    }
    return labels;
  }

  /** Counters over all entries, and how full the context is (null right after a compaction). */
  stats(): Omit<SessionStats, 'contextUsage'> & { contextTokens: number | null } {
    return {
      ...(this.file === undefined ? {} : { sessionFile: this.file }),
      sessionId: this.id,
      ...this.#store.ledger.counters(),
      contextTokens: this.contextTokens(),
    };
  }

  /** What the session's model calls used, by what they were made for. */
  get spending(): Readonly<Record<'answer' | 'tool' | 'compaction' | 'branchSummary', Readonly<LedgerSums>>> {
    return this.#store.ledger.causes;
  }

  /** Text of the branch's last assistant message that has any, without thinking; null when there is none. */
  lastAssistantText(): string | null {
    const { index } = this.#store;
    for (const at of index.up(this.#branch.leaf)) {
      if (!index.hasRole(at, 'assistant')) continue;
      const text = storedText(this.#store.peek(at));
      if (text !== '') return text;
    }
    return null;
  }

  /** The branch's user messages, oldest first: where a fork may start. */
  forkMessages(): { entryId: string; text: string }[] {
    const { index } = this.#store;
    const messages: { entryId: string; text: string }[] = [];
    for (const at of index.up(this.#branch.leaf)) {
      if (index.hasRole(at, 'user')) messages.push({ entryId: index.ids[at] ?? '', text: storedText(this.#store.peek(at)) });
    }
    return messages.reverse();
  }

  /** Throws SESSION_NAME_EMPTY. Source: transcript of `set_session_name`. */
  setName(name: string): void {
    const trimmed = name.trim();
    if (trimmed === '') throw new CodedError(SESSION_ERRORS.SESSION_NAME_EMPTY, 'Session name cannot be empty');
    this.append({ type: 'session_info', name: trimmed });
  }

  /**
   * Takes over entries of another session with their ids and timestamps; the last one becomes the leaf. Only for a session
   * that has none. The file is written at once when the entries have a message to write it for.
   */
  adopt(entries: readonly StoredEntry[]): void {
    if (this.entryCount > 0) throw new Error('Only an empty session can take over entries');
    const seen = new Set<string>();
    const last = entries.length - 1;
    let starts = false;
    for (const [at, entry] of entries.entries()) {
      starts ||= startsConversation(entry);
      const isRooted = entry.parentId === null || seen.has(entry.parentId);
      seen.add(entry.id);
      // The whole file in one write, with its last entry.
      const create = at === last && starts && this.#file !== undefined;
      this.#write(isRooted ? entry : { ...entry, parentId: null }, create);
      if (entry.type === 'session_info') {
        this.#nameAt = at;
        this.#name = nameIn(entry);
      }
    }
    this.#branch.moveTo(last);
    this.#forgetOldContext();
  }

  /**
   * Makes sure that this session may be written, before something is begun that will need it. Throws SESSION_LOCKED when another
   * process writes to it, SESSION_CHANGED when one did since it was opened here, SESSION_READ_ONLY when it was opened for reading.
   */
  claim(): void {
    if (this.#file) this.#claim.ahead(this.#file);
  }

  /** Closes the file and gives up the lock. Nothing is pending: every entry was written when it was appended. */
  dispose(): void {
    this.#file?.dispose();
    this.#claim.release();
  }

  #write(entry: StoredEntry, create: boolean): number {
    const file = this.#file;
    if (file && (create || file.exists)) this.#claim.forWrite(file);
    try {
      return this.#store.add(entry, create);
    } catch (error) {
      // No file, no lock beside it.
      if (create) this.#claim.release();
      throw error;
    }
  }

  #position(id: string): number {
    const at = this.#store.index.find(id);
    if (at === undefined) {
      throw new CodedError(SESSION_ERRORS.SESSION_ENTRY_NOT_FOUND, `The session has no entry "${id}"`, { data: { id } });
    }
    return at;
  }

  #after(since: string | undefined): number {
    return since === undefined ? 0 : this.#position(since) + 1;
  }

  /** After a compaction: what left the context need not stay parsed. */
  #forgetOldContext(): void {
    this.#store.forgetBut(new Set([...this.#branch.entries, this.#branch.compaction]));
  }
}

/** A file is worth making when somebody said something; settings and shell commands alone leave no trace. */
function startsConversation(entry: NewEntry | StoredEntry): boolean {
  if (entry.type !== 'message') return false;
  const { message } = entry;
  if (typeof message !== 'object' || message === null || !('role' in message)) return false;
  return message.role === 'user' || message.role === 'assistant' || message.role === 'toolResult';
}

function nameIn(entry: StoredEntry): string | undefined {
  return typeof entry.name === 'string' && entry.name.trim() !== '' ? entry.name : undefined;
}
