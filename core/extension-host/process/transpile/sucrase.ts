import type { TokenType } from 'sucrase/dist/parser/tokenizer/types.js';

export type { Options } from 'sucrase/dist/index.js';

export type Sucrase = typeof import('./sucrase-parts.js');

/** Numbers of token types by name. */
export type TokenTypes = typeof TokenType;

/** Loaded here and nowhere else: it costs nothing until a source has to be transpiled. */
export const loadSucrase = (): Promise<Sucrase> => import('./sucrase-parts.js');
