// sucrase ships no types beside these files: only what is used here. Both are imported by file, as its entry for bundlers is another copy.
declare module 'sucrase/dist/index.js' {
  export { type Options, transform } from 'sucrase';
}

declare module 'sucrase/dist/parser/index.js' {
  export interface Token {
    type: number;
    start: number;
    end: number;
    /** Part of a type: gone after the transform. */
    isType: boolean;
    /** See `IDENTIFIER_ROLES`; null when it is no identifier, or a property after a dot. */
    identifierRole: number | null;
    /** Of `export`: the token behind its statement. */
    rhsEndIndex: number | null;
  }
  export interface Scope {
    startTokenIndex: number;
    endTokenIndex: number;
    isFunctionScope: boolean;
  }
  export interface Parsed {
    tokens: Token[];
    scopes: Scope[];
  }
  export function parse(input: string, jsx: boolean, typeScript: boolean, flow: boolean): Parsed;
}

declare module 'sucrase/dist/parser/tokenizer/types.js' {
  export const TokenType: Readonly<
    Record<'at' | 'eof' | 'jsxText' | 'name' | 'semi' | 'string' | 'template' | '_export' | '_function' | '_import', number>
  >;
}
