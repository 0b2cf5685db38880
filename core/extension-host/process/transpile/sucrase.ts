import type { Options, transform } from 'sucrase/dist/index.js';
import type { parse } from 'sucrase/dist/parser/index.js';
import type { TokenType } from 'sucrase/dist/parser/tokenizer/types.js';

export type { Options };

/** Numbers of token types by name. */
export type TokenTypes = typeof TokenType;

export interface Sucrase {
  transform: typeof transform;
  parse: typeof parse;
  types: TokenTypes;
}

/** Loaded here and nowhere else: however this program is bundled, it costs nothing until a source has to be transpiled. */
export async function loadSucrase(): Promise<Sucrase> {
  const [{ transform }, { parse }, { TokenType: types }] = await Promise.all([
    import('sucrase/dist/index.js').then(exportsOf),
    import('sucrase/dist/parser/index.js').then(exportsOf),
    import('sucrase/dist/parser/tokenizer/types.js').then(exportsOf),
  ]);
  return { transform, parse, types };
}

/** CommonJS in a chunk of a bundle has a default export only; Node adds the names it recognises. */
const exportsOf = <T extends object>(namespace: T): T => ('default' in namespace ? (namespace.default as T) : namespace);
