/** Error codes of this room: the word a program tests, and what it means. */
export const TOOL_ERRORS = {
  /** A path names nothing. */
  FILE_NOT_FOUND: 'TOOL_FILE_NOT_FOUND',
  /** The system refuses access, or the disk is full or read-only; the message says which. */
  FILE_ACCESS_FAILED: 'TOOL_FILE_ACCESS_FAILED',
  /** A path names a folder, device or binary file where a text file is wanted, or a file where a folder is. */
  WRONG_FILE_KIND: 'TOOL_WRONG_FILE_KIND',
  /** An argument has the right type and no sensible meaning: an empty path, an offset beyond the end, a bad pattern. */
  BAD_ARGUMENT: 'TOOL_BAD_ARGUMENT',
  /** An edit's text is missing, ambiguous, overlapping or changes nothing; the file is as it was. */
  EDIT_REFUSED: 'TOOL_EDIT_REFUSED',
  /** No shell could be started; the message says what to set. */
  SHELL_NOT_STARTED: 'TOOL_SHELL_NOT_STARTED',
  /** Evaluating a pattern took too long. */
  PATTERN_TOO_SLOW: 'TOOL_PATTERN_TOO_SLOW',
} as const;
