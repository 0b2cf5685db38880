/** Error codes of the boundary between core and extensions: the word a program tests, and what it means. */
export const BOUNDARY_ERRORS = {
  /** A message that is not one of the contract: unknown method, wrong types, broken JSON. */
  BAD_MESSAGE: 'BOUNDARY_BAD_MESSAGE',
  /** A frame or value larger than its limit. */
  TOO_LARGE: 'BOUNDARY_TOO_LARGE',
  /** Too many calls at once, or too many bytes the other side has not read. */
  BUSY: 'BOUNDARY_BUSY',
  /** A value that JSON can't write: a cycle, a BigInt, a throwing getter, more levels than allowed. */
  UNWRITABLE: 'BOUNDARY_UNWRITABLE_VALUE',
  /** The extension-host process ended while the call was pending, or is not running. */
  HOST_EXITED: 'HOST_EXITED',
  /** The worker thread ended while the call was pending. */
  WORKER_EXITED: 'WORKER_EXITED',
  /** The extension-host process did not become ready in time. */
  START_FAILED: 'HOST_START_FAILED',
  /** Extension code threw; message and stack are its own. */
  THREW: 'EXTENSION_THREW',
  /** The extension or the thing of it that was asked for is not there. */
  NOT_LOADED: 'EXTENSION_NOT_LOADED',
  /** An extension that is not trusted asked for something its user has not granted. The message says which setting grants it. */
  DENIED: 'CAPABILITY_DENIED',
  /** The system offers nothing to isolate an extension with. */
  NO_SANDBOX: 'SANDBOX_UNAVAILABLE',
  /** Extension code tried to change what all extensions of a worker share; it gets a worker of its own. */
  INTRINSIC_FIXED: 'INTRINSIC_FIXED',
} as const;
