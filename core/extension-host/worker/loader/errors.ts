/**
 * Error codes of the module loader. Where Node has one for the same thing it is Node's, as extensions test for it (an optional dependency
 * is looked for with `catch`).
 */
export const LOADER_ERRORS = {
  /** `import` of a file or package that is not there. */
  NOT_FOUND: 'ERR_MODULE_NOT_FOUND',
  /** The same for `require`. */
  REQUIRE_NOT_FOUND: 'MODULE_NOT_FOUND',
  /** The package is there, but its `exports` or `imports` offer no such path. */
  NOT_EXPORTED: 'ERR_PACKAGE_PATH_NOT_EXPORTED',
  /** A `package.json` on the way is no JSON. */
  BAD_PACKAGE: 'ERR_INVALID_PACKAGE_CONFIG',
  /** `require` of a module that waits (top-level await, or a package that loads asynchronously): it has to be imported. */
  ASYNC: 'ERR_REQUIRE_ASYNC_MODULE',
  /** The file is no valid JavaScript, TypeScript or JSON. The message names file, line and who imported it. */
  SYNTAX: 'EXTENSION_SYNTAX_ERROR',
  /** The file could not be transpiled for another reason. */
  NOT_TRANSPILED: 'EXTENSION_NOT_TRANSPILED',
} as const;
