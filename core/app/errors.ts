/** Error codes of the composition root: the word a program tests, and what it means. */
export const APP_ERRORS = {
  /** A value on the command line can't be used; exit code 2. */
  USAGE: 'USAGE',
  /** No package of this name, version, repository or path is there to be fetched. */
  PACKAGE_NOT_FOUND: 'PACKAGE_NOT_FOUND',
  /** The package has to be fetched, and there is no network, or none may be used. */
  PACKAGE_OFFLINE: 'PACKAGE_OFFLINE',
  /** What was fetched is not what the lock file or the registry says it must be. */
  PACKAGE_INTEGRITY: 'PACKAGE_INTEGRITY',
  /** npm or git failed in another way; the end of what it said is in the message. */
  PACKAGE_FETCH_FAILED: 'PACKAGE_FETCH_FAILED',
  /** npm or git itself could not be started. */
  PACKAGE_TOOL_MISSING: 'PACKAGE_TOOL_MISSING',
  /** Another process installs into the same place. */
  PACKAGE_STORE_BUSY: 'PACKAGE_STORE_BUSY',
  /** A file that says what is installed is not the JSON it should be. */
  PACKAGE_LOCK_INVALID: 'PACKAGE_LOCK_INVALID',
  /** The settings name no such package. */
  PACKAGE_NOT_CONFIGURED: 'PACKAGE_NOT_CONFIGURED',
  /** The settings could not be changed; they are as they were. */
  SETTINGS_NOT_WRITTEN: 'SETTINGS_NOT_WRITTEN',
  /** The project has to be trusted for this. */
  PROJECT_NOT_TRUSTED: 'PROJECT_NOT_TRUSTED',
} as const;
