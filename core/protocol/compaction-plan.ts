import type { AgentMessage } from './messages.js';

/** Files a summarised conversation read and changed, as its tool calls named them. Source: compaction document, `details`. */
export interface FileLists {
  readFiles: string[];
  modifiedFiles: string[];
}

/** What a compaction replaces and what it keeps. */
export interface CompactionPlan {
  /** The first entry that stays in the context as it is. */
  firstKeptEntryId: string;
  /** Whole turns to summarise, oldest first. */
  messages: readonly AgentMessage[];
  /** The beginning of a turn that is cut inside: summarised by itself. */
  turnPrefix: readonly AgentMessage[];
  /** The summary in force, which the new one builds on. */
  previousSummary: string | undefined;
  files: FileLists;
  tokensBefore: number;
}

/** `TOO_SMALL`: everything fits into what is kept. `ALREADY_COMPACTED`: nothing was said since the last one. */
export type CompactionPlanResult = { ok: true; plan: CompactionPlan } | { ok: false; reason: 'TOO_SMALL' | 'ALREADY_COMPACTED' };
