import { AGENT_ERRORS } from '../agent/errors.js';
import type { NavigateOptions, SessionControl } from '../agent/session-control.js';
import { CodedError } from '../base/coded-error.js';
import type { RawJson } from '../base/raw-json.js';
import type { Result } from '../protocol/commands/index.js';
import type { SessionStats } from '../protocol/commands/session.js';
import type { SessionListItem } from '../protocol/commands/tree.js';
import type { AgentEvent } from '../protocol/events.js';
import type { AgentMessage } from '../protocol/messages.js';
import { forkSession } from '../session/fork.js';
import { listSessions } from '../session/locate.js';
import { createSession, openSession, type Session } from '../session/session.js';
import type { LockSession } from '../session/session-file.js';
import { exportSession } from './export-session.js';
import { label } from './navigate.js';

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
  emit: (event: AgentEvent) => void;
}

/** Owns the session in use and replaces it by another. */
export class SessionHolder implements SessionControl {
  readonly #options: SessionHolderOptions;
  #current: Session;

  constructor(options: SessionHolderOptions) {
    this.#options = options;
    this.#current = options.first;
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

  async startNew(parentSession: string | undefined): Promise<{ cancelled: boolean }> {
    await this.#replace(() => createSession({ ...this.#place(), parentSession }));
    return { cancelled: false };
  }

  async switchTo(path: string): Promise<{ cancelled: boolean }> {
    await this.#replace(() => openSession(path, { cwd: this.#options.cwd, lock: this.#options.lock }));
    return { cancelled: false };
  }

  async fork(entryId: string): Promise<{ text: string; cancelled: boolean }> {
    let text = '';
    await this.#replace((source) => {
      const fork = forkSession(source, { ...this.#place(), position: 'before', entryId });
      text = fork.text;
      return fork.session;
    });
    return { text, cancelled: false };
  }

  async clone(): Promise<{ cancelled: boolean }> {
    await this.#replace((source) => forkSession(source, { ...this.#place(), position: 'at' }).session);
    return { cancelled: false };
  }

  navigate(entryId: string, options: NavigateOptions): Promise<Result<'navigate_tree'>> {
    return this.#options.navigate(this.#current, entryId, options);
  }

  exportHtml(outputPath: string | undefined): Promise<string> {
    return exportSession(this.#current, outputPath, this.#options.cwd);
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
  async #replace(make: (current: Session) => Session): Promise<void> {
    let next = make(this.#current);
    await this.#options.stopRun();
    const old = this.#current;
    this.#options.beforeReplaced();
    // The same file again, and the run wrote its last words to it after it was read.
    if (next.isChanged) {
      next.dispose();
      next = make(old);
    }
    this.#current = next;
    old.dispose();
    await this.#options.onReplaced(next);
  }
}
