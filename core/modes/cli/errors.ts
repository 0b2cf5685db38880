/** Error codes of the command line: the word a program tests, and what it means. All of them end the program with exit code 2. */
export const CLI_ERRORS = {
  /** No option and no extension flag has this name. */
  UNKNOWN_OPTION: 'UNKNOWN_OPTION',
  /** An option that takes a value was given without one. */
  MISSING_VALUE: 'MISSING_VALUE',
  /** The value is not one the option takes. */
  INVALID_VALUE: 'INVALID_VALUE',
  /** A switch was given a value (`--print=yes`). */
  UNEXPECTED_VALUE: 'UNEXPECTED_VALUE',
  /** The option only makes sense for a person at a terminal. */
  NEEDS_TERMINAL: 'NEEDS_TERMINAL',
} as const;

export type CliErrorCode = keyof typeof CLI_ERRORS;

/** How the program ends when it was called wrongly. */
export const USAGE_EXIT_CODE = 2;
