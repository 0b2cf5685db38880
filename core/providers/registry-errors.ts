/** Error codes of the registry half of this room: the word a program tests, and what it means. */
export const REGISTRY_ERRORS = {
  /** The provider has no key; the message names the variable, the file and the command that set one. */
  MISSING_KEY: 'PROVIDER_KEY_MISSING',
  /** The stored login of the provider is over; it has to be renewed, or replaced by a key. */
  LOGIN_EXPIRED: 'PROVIDER_LOGIN_EXPIRED',
  /** A `!command` that should print a key or a header failed, printed nothing or took too long. */
  KEY_COMMAND_FAILED: 'PROVIDER_KEY_COMMAND_FAILED',
  /** A header names an environment variable that is not set. */
  HEADER_UNRESOLVED: 'PROVIDER_HEADER_UNRESOLVED',
  /** The named provider is none we know. */
  UNKNOWN_PROVIDER: 'UNKNOWN_PROVIDER',
  /** No model fits the pattern. */
  UNKNOWN_MODEL: 'UNKNOWN_MODEL',
  /** Several providers have the model and none has a key. */
  AMBIGUOUS_MODEL: 'AMBIGUOUS_MODEL',
  /** auth.json is not a JSON object; it is left as it is. */
  AUTH_FILE_INVALID: 'AUTH_FILE_INVALID',
  /** auth.json could not be read or written. */
  AUTH_FILE_FAILED: 'AUTH_FILE_FAILED',
} as const;
