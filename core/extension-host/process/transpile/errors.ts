/** Error codes of the transpiler: the word a program tests, and what it means. */
export const TRANSPILE_ERRORS = {
  /** The source is not what its file name says, or uses syntax nobody here knows. The message names file, line and column. */
  SYNTAX: 'TRANSPILE_SYNTAX_ERROR',
  /** The source can't be read. */
  UNREADABLE: 'TRANSPILE_UNREADABLE_SOURCE',
} as const;
