import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CodedError, codeOf, messageOf } from '../../../base/coded-error.js';
import { cacheFileName, parseTranspiled, type TranspiledCode } from '../../contract/transpiled-code.js';
import { LOADER_ERRORS } from './errors.js';

export interface CodeSource {
  /** Content of the cache file for what is in `path` now; undefined when there is none. */
  cachedCode(path: string): string | undefined;
  /** Waits until the file is transpiled; the path of its cache file. What it throws has a message that names the place. */
  requestTranspile(path: string): string;
}

/** Looks into the folder the transpiler writes to. */
export function cachedCodeIn(cacheDir: string): CodeSource['cachedCode'] {
  return (file) => {
    try {
      return readFileSync(path.join(cacheDir, cacheFileName(file, readFileSync(file, 'utf8'))), 'utf8');
    } catch {
      // Whatever it is, the transpiler meets it too, and says so better.
      return undefined;
    }
  };
}

/** Code of a file, from the cache or made now. Throws `EXTENSION_SYNTAX_ERROR` or `EXTENSION_NOT_TRANSPILED`. */
export function codeOfFile(source: CodeSource, file: string): TranspiledCode {
  const cached = source.cachedCode(file);
  const known = cached === undefined ? undefined : parseTranspiled(cached);
  if (known) return known;
  let text: string;
  try {
    text = readFileSync(source.requestTranspile(file), 'utf8');
  } catch (cause) {
    const isSyntax = codeOf(cause) === 'TRANSPILE_SYNTAX_ERROR';
    const message = messageOf(cause);
    throw new CodedError(
      isSyntax ? LOADER_ERRORS.SYNTAX : LOADER_ERRORS.NOT_TRANSPILED,
      message.includes(file) ? message : `${file} could not be transpiled: ${message}`,
      { cause },
    );
  }
  const made = parseTranspiled(text);
  if (!made) throw new CodedError(LOADER_ERRORS.NOT_TRANSPILED, `What was transpiled of ${file} is damaged`);
  return made;
}
