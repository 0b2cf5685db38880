import type { RawJson } from '../base/raw-json.js';
import type { Result } from '../protocol/commands/index.js';
import type { SessionStats, StoredEntry, TreeNode } from '../protocol/commands/session.js';
import type { SessionListItem } from '../protocol/commands/tree.js';
import type { AgentMessage } from '../protocol/messages.js';

export interface NavigateOptions {
  summarize?: boolean | undefined;
  customInstructions?: string | undefined;
  replaceInstructions?: boolean | undefined;
  label?: string | undefined;
}

/** Which session is in use, and what clients may do with it. Implemented by the composition root. */
export interface SessionControl {
  readonly id: string;
  /** Undefined when nothing is kept on disk. */
  readonly file: string | undefined;
  readonly name: string | undefined;
  readonly messageCount: number;
  readonly leafId: string | null;
  messages(): readonly AgentMessage[];
  /** The same as a JSON array, from stored bytes where that is possible. */
  messagesJson(): RawJson;
  lastAssistantText(): string | null;
  stats(): Omit<SessionStats, 'contextUsage'> & { contextTokens: number | null };
  /** Stored bytes where that is possible. Throws when `since` is unknown. */
  entries(since: string | undefined): readonly StoredEntry[] | RawJson;
  tree(): readonly TreeNode[] | RawJson;
  setName(name: string): void;
  forkMessages(): { entryId: string; text: string }[];
  /** Each stops the run that is on, drops the queues and replaces the session. */
  startNew(parentSession: string | undefined): Promise<{ cancelled: boolean }>;
  switchTo(path: string): Promise<{ cancelled: boolean }>;
  fork(entryId: string): Promise<{ text: string; cancelled: boolean }>;
  clone(): Promise<{ cancelled: boolean }>;
  navigate(entryId: string, options: NavigateOptions): Promise<Result<'navigate_tree'>>;
  /** Writes the session as a page and gives its path. */
  exportHtml(outputPath: string | undefined): Promise<string>;
  setLabel(entryId: string, label: string | undefined): void;
  /** Newest first. */
  list(limit: number | undefined): SessionListItem[];
}
