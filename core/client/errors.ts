/** What a client tells its caller, beside the codes that the program itself answers with. */
export const CLIENT_ERRORS = {
  /** The program could not be started. */
  START_FAILED: 'CLIENT_START_FAILED',
  /** The program ended while it was needed. `data`: `{code, signal, stderr}`. */
  EXITED: 'CLIENT_PROGRAM_EXITED',
  /** No answer within the time. */
  TIMEOUT: 'CLIENT_TIMEOUT',
  /** The program refused the command, and named no code of its own. */
  REFUSED: 'CLIENT_COMMAND_REFUSED',
  /** The client was stopped. */
  STOPPED: 'CLIENT_STOPPED',
} as const;
