/** Error codes of this room: the word a program tests, and what it means. */
export const PROTOCOL_ERRORS = {
  /** A line on stdin is not JSON, or not an object. */
  PARSE_FAILED: 'PARSE_FAILED',
  /** The command's `type` is none we know. */
  UNKNOWN_COMMAND: 'UNKNOWN_COMMAND',
  /** A field is missing or of the wrong type; the message names it. */
  INVALID_PARAMS: 'INVALID_PARAMS',
  /** A line is longer than the limit; it was skipped. */
  LINE_TOO_LONG: 'LINE_TOO_LONG',
  /** The command exists in the protocol and is not built yet. */
  NOT_IMPLEMENTED: 'NOT_IMPLEMENTED',
} as const;
