import type { SessionStats, StoredEntry } from '../../../protocol/commands/session.js';
import type { Model } from '../../../protocol/model.js';
import { Ledger } from '../../../session/ledger.js';
import { storedText } from '../../../session/stored-message.js';
import { sessionLogOf } from './session-log.js';
import type { SessionManager } from './session-manager.js';

const roleOf = ({ message }: StoredEntry): unknown => (message as { role?: unknown } | undefined)?.role; // read loosely

/** The user messages of the branch, oldest first. */
export function forkPoints(manager: SessionManager): { entryId: string; text: string }[] {
  return manager
    .getBranch()
    .filter((entry) => roleOf(entry) === 'user')
    .map((entry) => ({ entryId: entry.id, text: storedText(entry) }));
}

/** Text of the branch's last answer that has any. */
export function lastAssistantText(manager: SessionManager): string | undefined {
  const entry = manager.getBranch().findLast((one) => roleOf(one) === 'assistant' && storedText(one).trim() !== '');
  return entry && storedText(entry).trim();
}

/** How full the context is; numbers are null right after a compaction. */
export function contextUsage(manager: SessionManager, model: Model): NonNullable<SessionStats['contextUsage']> {
  const tokens = sessionLogOf(manager).contextTokens();
  const { contextWindow } = model;
  return { tokens, contextWindow, percent: tokens === null ? null : (tokens / contextWindow) * 100 };
}

export function sessionStats(manager: SessionManager, model: Model | undefined): SessionStats {
  const ledger = new Ledger();
  for (const entry of manager.getEntries()) ledger.addEntry(entry);
  const file = manager.getSessionFile();
  return {
    ...(file === undefined ? {} : { sessionFile: file }),
    sessionId: manager.getSessionId(),
    ...ledger.counters(),
    ...(model ? { contextUsage: contextUsage(manager, model) } : {}),
  };
}
