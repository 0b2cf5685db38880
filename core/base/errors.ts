/** Error codes of this room: the word a program tests, and what it means. */
export const BASE_ERRORS = {
  /** A wait ended at its deadline before what it waited for. */
  DEADLINE_EXCEEDED: 'DEADLINE_EXCEEDED',
  /** The one who asked withdrew the request. */
  ABORTED: 'ABORTED',
} as const;
