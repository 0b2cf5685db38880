/** Codes of the errors that extensions meet when they use this package; those that all packages share are in ../errors.ts. */
export const CODING_AGENT_ERRORS = {
  /** No entry of the session has the id that was given. */
  ENTRY_NOT_FOUND: 'SESSION_ENTRY_NOT_FOUND',
  /** The source of a fork is no session, or an empty one. */
  FORK_SOURCE_INVALID: 'SESSION_FORK_SOURCE_INVALID',
  /** An image can't be changed without an image library, which this program does not have. */
  IMAGE_UNSUPPORTED: 'PACKAGE_IMAGE_UNSUPPORTED',
  /** A command was stopped by its signal. */
  ABORTED: 'ABORTED',
  /** A tool could not do what it was asked; the message says why. */
  TOOL_FAILED: 'PACKAGE_TOOL_FAILED',
  /** There is no such model, or none that can be used. */
  NO_MODEL: 'NO_MODEL',
  /** No clipboard program was found or none of them worked. */
  CLIPBOARD_UNAVAILABLE: 'PACKAGE_CLIPBOARD_UNAVAILABLE',
  /** The shell that the settings name does not exist. */
  SHELL_NOT_FOUND: 'PACKAGE_SHELL_NOT_FOUND',
  /** A session was used after it was disposed. */
  DISPOSED: 'PACKAGE_SESSION_DISPOSED',
  /** An argument of a call can't be used; the message says why. */
  BAD_ARGUMENT: 'PACKAGE_BAD_ARGUMENT',
} as const;
