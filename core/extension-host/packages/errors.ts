/** Error codes of the packages that extensions import. */
export const PACKAGE_ERRORS = {
  /** The name exists, but what it stands for is not part of this program; the message says what to use instead. */
  UNSUPPORTED: 'HOST_PACKAGE_UNSUPPORTED',
} as const;
