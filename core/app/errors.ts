/** Error codes of the composition root: the word a program tests, and what it means. */
export const APP_ERRORS = {
  /** A value on the command line can't be used; exit code 2. */
  USAGE: 'USAGE',
} as const;
