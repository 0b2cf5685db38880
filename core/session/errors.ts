/** Error codes of this room: the word a program tests, and what it means. */
export const SESSION_ERRORS = {
  /** A record could not be written (full disk, missing rights …); the file is as long as it was before. */
  SESSION_WRITE_FAILED: 'SESSION_WRITE_FAILED',
  /** The session file is there but could not be read. */
  SESSION_READ_FAILED: 'SESSION_READ_FAILED',
  /** The file does not begin with a session header; it was not touched. */
  SESSION_INVALID_FILE: 'SESSION_INVALID_FILE',
  /** Another process writes to this session; the message and `data` name it. It can be read, or forked. */
  SESSION_LOCKED: 'SESSION_LOCKED',
  /** The file was written by another process since it was opened here; opening it again helps. */
  SESSION_CHANGED: 'SESSION_CHANGED',
  /** The session was opened for reading. */
  SESSION_READ_ONLY: 'SESSION_READ_ONLY',
  /** No entry of the session has this id. */
  SESSION_ENTRY_NOT_FOUND: 'SESSION_ENTRY_NOT_FOUND',
  /** The entry holds something JSON can't write; nothing was stored. */
  SESSION_ENTRY_INVALID: 'SESSION_ENTRY_INVALID',
  /** A session name must not be blank. */
  SESSION_NAME_EMPTY: 'SESSION_NAME_EMPTY',
  /** No session matches what was asked for. */
  SESSION_NOT_FOUND: 'SESSION_NOT_FOUND',
  /** Part of an id fits several sessions; the message lists them. */
  SESSION_AMBIGUOUS: 'SESSION_AMBIGUOUS',
  /** A session id has a character that a file name must not have. */
  SESSION_ID_INVALID: 'SESSION_ID_INVALID',
  /** A fork starts at a user message; this entry is none. */
  SESSION_FORK_INVALID_ENTRY: 'SESSION_FORK_INVALID_ENTRY',
  /** The session has no user message yet, so there is nothing to copy. */
  SESSION_UNSAVED: 'SESSION_UNSAVED',
} as const;
