/** Error codes of this room: the word a program tests, and what it means. */
export const RESOURCE_ERRORS = {
  /** A file given as `@file` does not exist. */
  PROMPT_FILE_NOT_FOUND: 'PROMPT_FILE_NOT_FOUND',
  /** A file given as `@file`, or as the value of a system prompt option, exists but can't be read. */
  PROMPT_FILE_UNREADABLE: 'PROMPT_FILE_UNREADABLE',
  /** A file given as `@file`, or what was piped in, is larger than the limit. */
  PROMPT_TOO_LARGE: 'PROMPT_TOO_LARGE',
  /** A file given as `@file` is neither text nor an image we can send. */
  PROMPT_FILE_BINARY: 'PROMPT_FILE_BINARY',
  /** A text is not JSON, even read with comments and trailing commas; `data.line` and `data.column` say where. */
  JSON_INVALID: 'JSON_INVALID',
  /** A text is neither `npm:…`, `git:…`, a URL nor a path that could name a package. */
  PACKAGE_SOURCE_INVALID: 'PACKAGE_SOURCE_INVALID',
} as const;
