/** Error codes of this room: the word a program tests, and what it means. */
export const EXPORT_ERRORS = {
  /** The page could not be written; the message names the place. */
  EXPORT_WRITE_FAILED: 'EXPORT_WRITE_FAILED',
} as const;
