import type { StoredEntry } from '../../../protocol/commands/session.js';
import type { AgentMessage } from '../../../protocol/messages.js';
import { estimateTokens } from '../../../session/context-tokens.js';
import { contextMessage } from '../../../session/stored-message.js';

export interface CompactionSettings {
  enabled: boolean;
  reserveTokens: number;
  keepRecentTokens: number;
}

/** Source: settings document. */
export const DEFAULT_COMPACTION_SETTINGS: CompactionSettings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };

export function shouldCompact(contextTokens: number, contextWindow: number, settings: CompactionSettings): boolean {
  return settings.enabled && contextTokens > contextWindow - settings.reserveTokens;
}

export interface CutPoint {
  firstKeptEntryIndex: number;
  /** Where the turn begins that is cut inside; -1 when none is. */
  turnStartIndex: number;
  isSplitTurn: boolean;
}

/**
 * Where a compaction of `entries` (from `startIndex` up to, and without, `endIndex`) would cut: counted from the end, the first place at
 * which `keepRecentTokens` are reached, moved on past tool results. Source: compaction document, "Cut Point Rules"; observed, 0.84.0.
 */
export function findCutPoint(
  entries: readonly StoredEntry[],
  startIndex: number,
  endIndex: number,
  keepRecentTokens: number,
): CutPoint {
  const cut = cutIndex(entries, startIndex, endIndex, keepRecentTokens);
  const turnStart = beginsTurn(entries[cut]) ? -1 : findTurnStartIndex(entries, cut, startIndex);
  const isSplitTurn = cut > startIndex && turnStart >= 0;
  return { firstKeptEntryIndex: cut, turnStartIndex: isSplitTurn ? turnStart : -1, isSplitTurn };
}

/** The entry at or before `entryIndex` that began its turn; -1 when there is none from `startIndex` on. */
export function findTurnStartIndex(entries: readonly StoredEntry[], entryIndex: number, startIndex: number): number {
  for (let at = entryIndex; at >= startIndex; at--) if (beginsTurn(entries[at])) return at;
  return -1;
}

function cutIndex(entries: readonly StoredEntry[], start: number, end: number, keepRecentTokens: number): number {
  let kept = 0;
  let last: number | undefined;
  for (let at = end - 1; at >= start; at--) {
    const message = messageAt(entries, at);
    if (!message) continue;
    if (mayBeginKept(message)) last ??= at;
    kept += estimateTokens(message);
    if (kept < keepRecentTokens) continue;
    for (let next = at; next < end; next++) if (mayBeginKept(messageAt(entries, next))) return next;
    // Only tool results follow: their call stays with them.
    for (let before = at; before >= start; before--) if (mayBeginKept(messageAt(entries, before))) return before;
    return last ?? start;
  }
  return start;
}

function messageAt(entries: readonly StoredEntry[], at: number): AgentMessage | undefined {
  const entry = entries[at];
  return entry && contextMessage(entry);
}

/** An older summary counts, and nothing is kept from it on: the new one stands for it. */
const mayBeginKept = (message: AgentMessage | undefined): boolean =>
  message !== undefined && message.role !== 'toolResult' && message.role !== 'compactionSummary';

function beginsTurn(entry: StoredEntry | undefined): boolean {
  const message = entry && entry.type !== 'compaction' ? contextMessage(entry) : undefined;
  return message !== undefined && message.role !== 'assistant' && message.role !== 'toolResult';
}
