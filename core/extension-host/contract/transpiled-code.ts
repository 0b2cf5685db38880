import { createHash } from 'node:crypto';
import path from 'node:path';

/**
 * A file of the transpile cache: what the host process writes and a worker evaluates. One JSON line with what is known of the module,
 * then its code, which keeps the lines of the source.
 */
export interface TranspiledCode {
  /** `module`: import and export, strict. `script`: CommonJS as it was written. */
  form: 'module' | 'script';
  /** Has `await` outside of any function: can't be loaded by `require`. */
  awaits: boolean;
  /** Specifiers of static imports and re-exports, in order, with the line of the source (from 1). */
  imports: readonly (readonly [specifier: string, line: number])[];
  /** Specifiers that `require` may be called with: what can only be loaded asynchronously must be there before. */
  requires: readonly string[];
  /** `exports.name = name;` for each exported function declaration: in a cycle others call them before this module has run. */
  hoisted: string;
  code: string;
}

/** Names the code uses besides those of CommonJS. */
export const CODE_NAMES = { imported: '__pi_imported', import: '__pi_import', meta: '__pi_meta' } as const;

/** Whatever else decides what comes out for a source. A test compares the versions with those installed. */
export const TRANSPILER_VERSION = 'format 1, sucrase 3.35.1, esbuild 0.28.2';

/** Parameters of the function that code is wrapped in, in order. */
const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname', ...Object.values(CODE_NAMES)].join(', ');

/**
 * An expression: a function of `PARAMETERS`. A script runs when it is called. A module gives a generator, asynchronous if it awaits: its first
 * step exports the hoisted functions, its second runs the module. Code starts on line 1, and may declare names of its parameters anew.
 */
export function wrapCode({ form, awaits, hoisted, code }: Pick<TranspiledCode, 'form' | 'awaits' | 'hoisted' | 'code'>): string {
  // The code ends on a line of its own: its last one may be a comment.
  if (form === 'script') return `(function (${PARAMETERS}) { return (() => { ${code}\n})(); })`;
  return `(function (${PARAMETERS}) { return (${awaits ? 'async ' : ''}function* () { 'use strict'; ${hoisted} yield; ${code}\n})(); })`;
}

const MAGIC = '//pi-code ';
const HASH_LENGTH = 40;
/** V8 decides which syntax needs lowering. */
const NODE_MAJOR = process.versions.node.split('.')[0];

const hashOf = (...parts: string[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex').slice(0, HASH_LENGTH);
};

/** Name of the cache file for a source. Depends on its content and on what its file name says of the language; not on where it is. */
export function cacheFileName(sourcePath: string, source: string): string {
  const extension = path.extname(sourcePath).toLowerCase();
  return `${hashOf(TRANSPILER_VERSION, '\0', NODE_MAJOR ?? '', '\0', extension, '\0', source)}.code`;
}

export function formatTranspiled({ code, ...known }: TranspiledCode): string {
  const head = JSON.stringify(known);
  return `${MAGIC}${hashOf(head, '\n', code)} ${head}\n${code}`;
}

/** Undefined for anything that is not, from first to last byte, what was written. */
export function parseTranspiled(text: string): TranspiledCode | undefined {
  const end = text.indexOf('\n');
  if (end < 0 || !text.startsWith(MAGIC)) return undefined;
  const hash = text.slice(MAGIC.length, MAGIC.length + HASH_LENGTH);
  const head = text.slice(MAGIC.length + HASH_LENGTH + 1, end);
  const code = text.slice(end + 1);
  if (hashOf(head, '\n', code) !== hash) return undefined;
  // The hash says that this program wrote it.
  return { ...(JSON.parse(head) as Omit<TranspiledCode, 'code'>), code };
}
