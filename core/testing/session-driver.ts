import type { ExtensionInfo, ToolInfo } from '../protocol/commands/extensions.js';
import type { SlashCommand } from '../protocol/commands/resources.js';
import type { ImageContent } from '../protocol/content.js';
import type { SessionEntry } from '../protocol/entries.js';

/** The way to a session, in this process or in another. */
export interface SessionDriver {
  /** Resolves when the text was taken: `handled` when no run comes of it. Rejects when it was refused. */
  prompt(
    text: string,
    images: readonly ImageContent[] | undefined,
    whileRunning: 'steer' | 'followUp' | undefined,
  ): Promise<'started' | 'queued' | 'handled'>;
  abort(): Promise<void>;
  reload(): Promise<void>;
  newSession(): Promise<void>;
  entries(): Promise<SessionEntry[]>;
  extensions(): Promise<ExtensionInfo[]>;
  tools(): Promise<ToolInfo[]>;
  commands(): Promise<SlashCommand[]>;
  /** Ends it and frees what it holds. */
  close(): Promise<void>;
}
