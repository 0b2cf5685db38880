/** Error codes of this room: the word a program tests, and what it means. */
export const AGENT_ERRORS = {
  /** A prompt came while a run is on, without `streamingBehavior`. */
  BUSY: 'AGENT_BUSY',
  /** No model is chosen. */
  NO_MODEL: 'NO_MODEL',
  /** The named model is not known, or has no credentials. */
  MODEL_NOT_FOUND: 'MODEL_NOT_FOUND',
  /** The model's provider speaks a dialect nobody here knows. */
  UNKNOWN_API: 'UNKNOWN_API',
  /** A session name is empty once blanks are dropped. */
  EMPTY_NAME: 'EMPTY_NAME',
  /** The session is too small, or nothing was said since the last compaction. */
  NOTHING_TO_COMPACT: 'NOTHING_TO_COMPACT',
  /** The model that was asked for a summary failed. */
  SUMMARY_FAILED: 'SUMMARY_FAILED',
  /** The model that was asked for a summary gave none: the history stays. */
  EMPTY_SUMMARY: 'EMPTY_SUMMARY',
  /** An extension did not want the compaction. */
  COMPACTION_CANCELLED: 'COMPACTION_CANCELLED',
  /** The compaction that an extension gave does not fit the session. */
  COMPACTION_REFUSED: 'COMPACTION_REFUSED',
  /** A prompt came while the context is being compacted. */
  COMPACTING: 'COMPACTING',
  /** A limit of turns or cost is reached. */
  BUDGET_SPENT: 'BUDGET_SPENT',
} as const;
