import type { StoredEntry } from '../../../protocol/commands/session.js';
import type { SessionHeader } from '../../../protocol/entries.js';
import type { AgentMessage } from '../../../protocol/messages.js';
import type { Usage } from '../../../protocol/usage.js';
import { SESSION_VERSION } from '../../../session/header.js';
import { migrateLines } from '../../../session/migrate.js';
import { type SessionContext, SessionView } from '../../../session/session-view.js';
import { contextMessage, retainedTail } from '../../../session/stored-message.js';

export const CURRENT_SESSION_VERSION = SESSION_VERSION;

/** `leafId` left out, or unknown: the last entry. `null`: nothing. Source: observed, 0.84.0. */
export function buildSessionContext(entries: readonly StoredEntry[], leafId?: string | null): SessionContext {
  return viewOf(entries, leafId).buildSessionContext();
}

/** The entries behind {@link buildSessionContext}, others than messages among them. */
export function buildContextEntries(entries: readonly StoredEntry[], leafId?: string | null): StoredEntry[] {
  return viewOf(entries, leafId).buildContextEntries();
}

/** What one entry puts into the context: none, one, or a summary and the messages it carries. */
export function sessionEntryToContextMessages(entry: StoredEntry): AgentMessage[] {
  const message = contextMessage(entry);
  if (!message) return [];
  return entry.type === 'compaction' ? [message, ...(retainedTail(entry) ?? [])] : [message];
}

/** The records of a session file's text, the header among them. What is no JSON is left out. */
export function parseSessionEntries(content: string): (SessionHeader | StoredEntry)[] {
  return content.split('\n').flatMap((line) => {
    const value = parse(line);
    return typeof value === 'object' && value !== null ? [value as StoredEntry] : []; // an object: read loosely, as files are
  });
}

/** Brings the records of an old file to the current version, in place. */
export function migrateSessionEntries(entries: (SessionHeader | StoredEntry)[]): void {
  const version = (entries[0] as { version?: unknown } | undefined)?.version;
  if (typeof version === 'number' && version >= SESSION_VERSION) return;
  const lines = migrateLines(
    entries.map((entry) => JSON.stringify(entry)),
    typeof version === 'number' ? version : 1,
  );
  for (const [at, line] of lines.entries()) {
    const entry = entries[at];
    if (entry) replaceMembers(entry, parse(line));
  }
}

export function getLatestCompactionEntry(entries: readonly StoredEntry[]): StoredEntry | null {
  return entries.findLast(({ type }) => type === 'compaction') ?? null;
}

/** Usage of the last answer that came to its end. */
export function getLastAssistantUsage(entries: readonly StoredEntry[]): Usage | undefined {
  for (const entry of entries.toReversed()) {
    const message = contextMessage(entry);
    if (message?.role === 'assistant' && message.stopReason !== 'aborted' && message.stopReason !== 'error') {
      const { input, output, cacheRead, cacheWrite } = message.usage;
      if (input + output + cacheRead + cacheWrite > 0) return message.usage;
    }
  }
  return undefined;
}

function viewOf(entries: readonly StoredEntry[], leafId: string | null | undefined): SessionView {
  const isThere = leafId === null || entries.some(({ id }) => id === leafId);
  const leaf = isThere && leafId !== undefined ? leafId : (entries.at(-1)?.id ?? null);
  return new SessionView({
    entries: () => entries,
    leafId: () => leaf,
    header: () => null,
    file: () => undefined,
    dir: () => '',
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Blank, cut off or damaged: readers of session files pass over it.
    return undefined;
  }
}

function replaceMembers(target: object, source: unknown): void {
  for (const key of Object.keys(target)) Reflect.deleteProperty(target, key);
  Object.assign(target, source);
}
