import { AGENT_ERRORS } from '../agent/errors.js';
import type { NavigateOptions, SessionControl } from '../agent/session-control.js';
import { CodedError } from '../base/coded-error.js';
import type { RawJson } from '../base/raw-json.js';
import type { Result } from '../protocol/commands/index.js';
import type { SessionStats } from '../protocol/commands/session.js';
import type { SessionListItem } from '../protocol/commands/tree.js';
import type { NewEntry } from '../protocol/entries.js';
import type { AgentEvent } from '../protocol/events.js';
import type { AgentMessage } from '../protocol/messages.js';
import { forkSession } from '../session/fork.js';
import { listSessions } from '../session/locate.js';
import { createSession, openSession, type Session } from '../session/session.js';
import type { LockSession } from '../session/session-file.js';
import { exportSession, type RenderTool } from './export-session.js';
import { label } from './navigate.js';

/** A session is about to be left for another one. */
export type Leave =
  | { kind: 'switch'; reason: 'new' | 'resume'; targetSessionFile?: string | undefined }
  | { kind: 'fork'; reason: 'fork'; entryId: string; position: 'before' | 'at' };

/** Who has a say when one session takes the place of another. Source: extensions document, "Lifecycle Overview". */
export interface SessionTransition {
  /** Asked before anything happens. True: somebody called it off. */
  isCalledOff(leave: Leave): Promise<boolean>;
  /** The old session is still the one in use, and nothing runs in it any more. */
  leaving(leave: Leave, targetSessionFile: string | undefined): Promise<void>;
  /** The new one is in use. */
  arrived(leave: Leave, previousSessionFile: string | undefined): Promise<void>;
}

export interface SessionHolderOptions {
  first: Session;
  cwd: string;
  /** Undefined keeps sessions in memory. */
  sessionDir: string | undefined;
  lock?: LockSession | undefined;
  /** Ends the run that is on and drops what is queued. */
  stopRun: () => Promise<void>;
  /** Where `list_sessions` looks. */
  listDir: string;
  navigate: (session: Session, entryId: string, options: NavigateOptions) => Promise<Result<'navigate_tree'>>;
  /** Called while the old session can still be read, before it goes. */
  beforeReplaced: () => void;
  /** Settles model and thinking level for a session that has just come in. */
  onReplaced: (session: Session) => Promise<void>;
  transition: SessionTransition;
  /** How calls of extensions' tools look on a page. */
  renderTool?: RenderTool;
  /** Each entry of the session in use, as it was stored. */
  onEntry: (line: Uint8Array) => void;
  emit: (event: AgentEvent) => void;
}

/** Owns the session in use and replaces it by another. */
export class SessionHolder implements SessionControl {
  readonly #options: SessionHolderOptions;
  #current: Session;

  constructor(options: SessionHolderOptions) {
    this.#options = options;
    this.#current = options.first;
    this.#current.onEntry(options.onEntry);
  }

  get current(): Session {
    return this.#current;
  }

  get id(): string {
    return this.#current.id;
  }

  get file(): string | undefined {
    return this.#current.file;
  }

  get name(): string | undefined {
    return this.#current.name;
  }

  get messageCount(): number {
    return this.#current.messageCount;
  }

  get leafId(): string | null {
    return this.#current.leafId;
  }

  messages(): readonly AgentMessage[] {
    return this.#current.contextMessages();
  }

  messagesJson(): RawJson {
    return this.#current.contextMessagesJson();
  }

  lastAssistantText(): string | null {
    return this.#current.lastAssistantText();
  }

  stats(): Omit<SessionStats, 'contextUsage'> & { contextTokens: number | null } {
    return this.#current.stats();
  }

  entries(since: string | undefined): RawJson {
    return this.#current.entriesJson(since);
  }

  tree(): RawJson {
    return this.#current.treeJson();
  }

  setName(name: string): void {
    const trimmed = name.trim();
    if (trimmed === '') throw new CodedError(AGENT_ERRORS.EMPTY_NAME, 'Session name cannot be empty');
    const entry = this.#current.append({ type: 'session_info', name: trimmed });
    this.#options.emit({ type: 'entry_appended', entry });
    this.#options.emit({ type: 'session_info_changed', name: trimmed });
  }

  forkMessages(): { entryId: string; text: string }[] {
    return this.#current.forkMessages();
  }

  startNew(parentSession: string | undefined, entries: readonly NewEntry[] = []): Promise<{ cancelled: boolean }> {
    return this.#replace({ kind: 'switch', reason: 'new' }, () => {
      const session = createSession({ ...this.#place(), parentSession });
      for (const entry of entries) session.append(entry);
      return session;
    });
  }

  switchTo(path: string): Promise<{ cancelled: boolean }> {
    const leave: Leave = { kind: 'switch', reason: 'resume', targetSessionFile: path };
    return this.#replace(leave, () => openSession(path, { cwd: this.#options.cwd, lock: this.#options.lock }));
  }

  async fork(entryId: string): Promise<{ text: string; cancelled: boolean }> {
    let text = '';
    const { cancelled } = await this.#replace({ kind: 'fork', reason: 'fork', entryId, position: 'before' }, (source) => {
      const fork = forkSession(source, { ...this.#place(), position: 'before', entryId });
      text = fork.text;
      return fork.session;
    });
    return { text, cancelled };
  }

  /** The branch that ends at `entryId`, default the leaf. */
  clone(entryId?: string): Promise<{ cancelled: boolean }> {
    const leave: Leave = { kind: 'fork', reason: 'fork', entryId: entryId ?? this.#current.leafId ?? '', position: 'at' };
    return this.#replace(leave, (source) => forkSession(source, { ...this.#place(), position: 'at', entryId }).session);
  }

  navigate(entryId: string, options: NavigateOptions): Promise<Result<'navigate_tree'>> {
    return this.#options.navigate(this.#current, entryId, options);
  }

  exportHtml(outputPath: string | undefined): Promise<string> {
    const { cwd, renderTool } = this.#options;
    return exportSession(this.#current, outputPath, cwd, renderTool);
  }

  setLabel(entryId: string, text: string | undefined): void {
    label(this.#current, this.#options.emit, entryId, text);
  }

  list(limit: number | undefined): SessionListItem[] {
    const { listDir } = this.#options;
    return listSessions(listDir)
      .slice(0, limit)
      .map(({ path, id, name, cwd, parentSession, created, modifiedMs, messages, isEstimate, firstMessage }) => ({
        path,
        id,
        cwd,
        created,
        modified: new Date(modifiedMs).toISOString(),
        messages,
        messagesAtLeast: isEstimate,
        ...(name === undefined ? {} : { name }),
        ...(parentSession === undefined ? {} : { parentSession }),
        ...(firstMessage === undefined ? {} : { firstMessage }),
      }));
  }

  dispose(): void {
    this.#current.dispose();
  }

  #place(): { cwd: string; sessionDir: string | undefined; lock: LockSession | undefined } {
    const { cwd, sessionDir, lock } = this.#options;
    return { cwd, sessionDir, lock };
  }

  /** Makes the next session first: when that fails, the one in use stays, and so does its run. */
  async #replace(leave: Leave, make: (current: Session) => Session): Promise<{ cancelled: boolean }> {
    const { transition, stopRun, beforeReplaced, onReplaced, onEntry } = this.#options;
    if (await transition.isCalledOff(leave)) return { cancelled: true };
    let next = make(this.#current);
    await stopRun();
    await transition.leaving(leave, next.file);
    const old = this.#current;
    beforeReplaced();
    // The same file again, and the run wrote its last words to it after it was read.
    if (next.isChanged) {
      next.dispose();
      next = make(old);
    }
    old.onEntry(undefined);
    this.#current = next;
    next.onEntry(onEntry);
    const previous = old.isSaved ? old.file : undefined;
    old.dispose();
    await onReplaced(next);
    await transition.arrived(leave, previous);
    return { cancelled: false };
  }
}
