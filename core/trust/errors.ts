/** Error codes of this room: the word a program tests, and what it means. */
export const TRUST_ERRORS = {
  /** `trust.json` or `trust-pins.json` is not the JSON object it should be, so nothing can be written to it without losing what it says. */
  TRUST_FILE_INVALID: 'TRUST_FILE_INVALID',
  /** What is to be pinned has more files than anybody reads through. */
  PIN_TOO_LARGE: 'PIN_TOO_LARGE',
} as const;
