import { dirname, join, resolve } from 'node:path';
import { CodedError } from '../../../base/coded-error.js';
import { shortId, uuidV7 } from '../../../base/id.js';
import type { StoredEntry } from '../../../protocol/commands/session.js';
import type { SessionHeader } from '../../../protocol/entries.js';
import { createHeader } from '../../../session/header.js';
import { assertSessionId, findLatest } from '../../../session/locate.js';
import { projectSessionDir, sessionFileName } from '../../../session/naming.js';
import { SessionView, type SessionViewSource } from '../../../session/session-view.js';
import { CODING_AGENT_ERRORS } from './errors.js';
import { getAgentDir } from './host.js';
import { appendToSessionFile, createSessionFile, readSessionFile } from './session-file-io.js';
import { listAllSessionInfos, listSessionInfos, type SessionInfo, type SessionListProgress } from './session-listing.js';

export interface NewSessionOptions {
  id?: string;
  parentSession?: string;
}

/** What a session is at this moment: the view reads it, the manager changes it. */
class SessionState implements SessionViewSource {
  list: StoredEntry[] = [];
  leaf: string | null = null;
  head: SessionHeader;
  path: string | undefined;
  /** The file has everything that is in `list`. */
  saved = false;
  readonly folder: string;

  constructor(head: SessionHeader, folder: string, path: string | undefined) {
    this.head = head;
    this.folder = folder;
    this.path = path;
  }

  entries = (): readonly StoredEntry[] => this.list;
  leafId = (): string | null => this.leaf;
  header = (): SessionHeader => this.head;
  file = (): string | undefined => this.path;
  dir = (): string => this.folder;
}

/**
 * A session on a file, or in memory, for code that reads and writes sessions by itself. Everything is synchronous but the lists. The
 * file comes into being with the first message; from then on each entry is in it when its call returns. Writing throws SESSION_LOCKED
 * while another program (this one's own core included) has the session open; reading does not.
 * Source: session-format document, "SessionManager API"; sdk document, "Session Management"; details as observed, 0.84.0.
 */
export class SessionManager extends SessionView {
  readonly #state: SessionState;
  readonly #defaultDir: boolean;

  private constructor(state: SessionState, defaultDir = false) {
    super(state);
    this.#state = state;
    this.#defaultDir = defaultDir;
  }

  static create(cwd: string, sessionDir?: string, options: NewSessionOptions = {}): SessionManager {
    const dir = sessionDir ? resolve(sessionDir) : projectSessionDir(getAgentDir(), resolve(cwd));
    const { head, path } = fresh(resolve(cwd), dir, options);
    return new SessionManager(new SessionState(head, dir, path), !sessionDir);
  }

  /** A path without a file becomes a new session there. Throws SESSION_INVALID_FILE for a file that is no session. */
  static open(path: string, sessionDir?: string, cwdOverride?: string): SessionManager {
    const file = resolve(path);
    const { header, entries } = readSessionFile(file);
    const head = header ?? createHeader({ id: uuidV7(), cwd: cwdOverride ?? process.cwd(), now: new Date() });
    const state = new SessionState(
      cwdOverride === undefined ? head : { ...head, cwd: cwdOverride },
      sessionDir ? resolve(sessionDir) : dirname(file),
      file,
    );
    fill(state, entries, header !== undefined);
    return new SessionManager(state);
  }

  /** The session of `cwd` that was written last, or a new one. */
  static continueRecent(cwd: string, sessionDir?: string): SessionManager {
    const dir = sessionDir ? resolve(sessionDir) : projectSessionDir(getAgentDir(), resolve(cwd));
    const latest = findLatest(dir, resolve(cwd));
    return latest === undefined ? SessionManager.create(cwd, sessionDir) : SessionManager.open(latest, sessionDir);
  }

  static inMemory(cwd: string = process.cwd(), options: NewSessionOptions = {}): SessionManager {
    return new SessionManager(new SessionState(fresh(cwd, undefined, options).head, '', undefined));
  }

  /** A copy, for work in another directory, with all entries of a session. It is on disk at once. */
  static forkFrom(sourcePath: string, targetCwd: string, sessionDir?: string, options: NewSessionOptions = {}): SessionManager {
    const source = resolve(sourcePath);
    const { header, entries } = readSessionFile(source, { readOnly: true });
    if (!header) {
      throw new CodedError(CODING_AGENT_ERRORS.FORK_SOURCE_INVALID, `There is no session to fork in ${source}`, {
        data: { source },
      });
    }
    const forked = SessionManager.create(targetCwd, sessionDir, { parentSession: source, ...options });
    const state = forked.#state;
    createSessionFile(state.path ?? '', state.head, entries);
    fill(state, entries, true);
    return forked;
  }

  /** Sessions of a directory, newest first. */
  static list(cwd: string, sessionDir?: string, onProgress?: SessionListProgress): Promise<SessionInfo[]> {
    const dir = sessionDir ? resolve(sessionDir) : projectSessionDir(getAgentDir(), resolve(cwd));
    return listSessionInfos(dir, sessionDir ? resolve(cwd) : undefined, onProgress);
  }

  /** Sessions of every project, newest first. */
  static listAll(...args: unknown[]): Promise<SessionInfo[]> {
    const onProgress = args.find((argument): argument is SessionListProgress => typeof argument === 'function');
    return listAllSessionInfos(getAgentDir(), onProgress);
  }

  /** True when its files are where the program itself would put them. */
  usesDefaultSessionDir(): boolean {
    return this.#defaultDir;
  }

  /** Goes on with another file; one that does not exist becomes a new session. */
  setSessionFile(path: string): void {
    const file = resolve(path);
    const { header, entries } = readSessionFile(file);
    this.#state.path = file;
    this.#state.head = header ?? createHeader({ id: uuidV7(), cwd: this.getCwd(), now: new Date() });
    fill(this.#state, entries, header !== undefined);
  }

  /** Goes on with a new, empty session and gives its path; undefined in memory. */
  newSession(options: NewSessionOptions = {}): string | undefined {
    const state = this.#state;
    const { head, path } = fresh(this.getCwd(), this.isPersisted() ? state.folder : undefined, options);
    state.head = head;
    state.path = path;
    fill(state, [], false);
    return path;
  }

  /**
   * Goes on with a new session that has the branch up to `leafId`, ids and times kept, and the labels in force. Gives its path;
   * undefined in memory. Throws SESSION_ENTRY_NOT_FOUND.
   */
  createBranchedSession(leafId: string): string | undefined {
    this.#mustHave(leafId);
    const state = this.#state;
    const branch = this.getBranch(leafId);
    const wanted = new Map(branch.map(({ id }) => [id, this.getLabel(id)]));
    const parentSession = state.saved ? state.path : undefined;
    const { head, path } = fresh(
      this.getCwd(),
      this.isPersisted() ? state.folder : undefined,
      parentSession ? { parentSession } : {},
    );
    if (path !== undefined && branch.some(startsConversation)) createSessionFile(path, head, rooted(branch));
    state.head = head;
    state.path = path;
    fill(state, rooted(branch), path !== undefined && branch.some(startsConversation));
    for (const [id, label] of wanted) if (this.getLabel(id) !== label) this.appendLabelChange(id, label);
    return path;
  }

  appendMessage(message: object): string {
    return this.#append({ type: 'message', message });
  }

  appendThinkingLevelChange(thinkingLevel: string): string {
    return this.#append({ type: 'thinking_level_change', thinkingLevel });
  }

  appendModelChange(provider: string, modelId: string): string {
    return this.#append({ type: 'model_change', provider, modelId });
  }

  appendCompaction(
    summary: string,
    firstKeptEntryId: string,
    tokensBefore: number,
    details?: unknown,
    fromHook?: boolean,
    usage?: unknown,
  ): string {
    return this.#append({ type: 'compaction', summary, firstKeptEntryId, tokensBefore, details, usage, fromHook });
  }

  appendCustomEntry(customType: string, data?: unknown): string {
    return this.#append({ type: 'custom', customType, data });
  }

  appendCustomMessageEntry(customType: string, content: unknown, display: boolean, details?: unknown): string {
    return this.#append({ type: 'custom_message', customType, content, display, details });
  }

  /** A blank name takes the name away. */
  appendSessionInfo(name: string): string {
    return this.#append({ type: 'session_info', name: name.replace(/\s+/g, ' ').trim() });
  }

  /** `undefined` takes the label away. Throws SESSION_ENTRY_NOT_FOUND. */
  appendLabelChange(targetId: string, label: string | undefined): string {
    this.#mustHave(targetId);
    return this.#append({ type: 'label', targetId, label });
  }

  /** The next entry attaches to `entryId`. Throws SESSION_ENTRY_NOT_FOUND. */
  branch(entryId: string): void {
    this.#mustHave(entryId);
    this.#state.leaf = entryId;
  }

  /** The next entry becomes a root. */
  resetLeaf(): void {
    this.#state.leaf = null;
  }

  /** Moves the leaf and says there what happened on the way that is left. Throws SESSION_ENTRY_NOT_FOUND. */
  branchWithSummary(entryId: string | null, summary: string, details?: unknown, fromHook?: boolean, usage?: unknown): string {
    if (entryId !== null) this.#mustHave(entryId);
    this.#state.leaf = entryId;
    return this.appendBranchSummary(entryId ?? 'root', summary, details, fromHook, usage);
  }

  /** What was done on a branch that was left at `fromId`, said at the leaf. */
  appendBranchSummary(fromId: string, summary: string, details?: unknown, fromHook?: boolean, usage?: unknown): string {
    return this.#append({ type: 'branch_summary', fromId, summary, details, usage, fromHook });
  }

  #append({ type, ...fields }: { type: string } & Record<string, unknown>): string {
    const state = this.#state;
    const id = shortId({ has: (taken) => this.getEntry(taken) !== undefined });
    const entry: StoredEntry = { type, id, parentId: state.leaf, timestamp: new Date().toISOString() };
    for (const [key, value] of Object.entries(fields)) if (value !== undefined) entry[key] = value;
    if (state.path !== undefined) {
      if (state.saved) appendToSessionFile(state.path, entry);
      else if (startsConversation(entry)) {
        createSessionFile(state.path, state.head, [...state.list, entry]);
        state.saved = true;
      }
    }
    state.list.push(entry);
    state.leaf = id;
    return id;
  }

  #mustHave(id: string): void {
    if (this.getEntry(id) === undefined)
      throw new CodedError(CODING_AGENT_ERRORS.ENTRY_NOT_FOUND, `Entry ${id} not found`, { data: { id } });
  }
}

function fresh(cwd: string, dir: string | undefined, { id, parentSession }: NewSessionOptions) {
  const now = new Date();
  if (id !== undefined) assertSessionId(id);
  const head = createHeader({ id: id ?? uuidV7(now.getTime()), cwd, now, parentSession });
  return { head, path: dir === undefined ? undefined : join(dir, sessionFileName(now, head.id)) };
}

function fill(state: SessionState, entries: StoredEntry[], saved: boolean): void {
  state.list = entries;
  state.leaf = entries.at(-1)?.id ?? null;
  state.saved = saved;
}

/** A branch whose first entry may have lost its parent. */
function rooted([first, ...rest]: readonly StoredEntry[]): StoredEntry[] {
  return first ? [first.parentId === null ? first : { ...first, parentId: null }, ...rest] : [];
}

/** The file is worth making when somebody said something, as in the program's own sessions. */
function startsConversation({ type, message }: StoredEntry): boolean {
  if (type !== 'message' || typeof message !== 'object' || message === null || !('role' in message)) return false;
  return message.role === 'user' || message.role === 'assistant' || message.role === 'toolResult';
}
