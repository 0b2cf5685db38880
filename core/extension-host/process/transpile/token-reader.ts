import type { Parsed, Token } from 'sucrase/dist/parser/index.js';
import type { TokenTypes } from './sucrase.js';

/** sucrase's `IdentifierRole`, as far as it matters here. */
const TOP_LEVEL_DECLARATION = 2;
const SHORTHAND_TOP_LEVEL_DECLARATION = 5;
const OBJECT_KEY = 10;

/** The tokens of a source with the questions one asks of them. */
export class TokenReader {
  readonly source: string;
  readonly #tokens: readonly Token[];
  readonly #parsed: Parsed;
  readonly #types: TokenTypes;
  #depths: Int32Array | undefined;

  constructor(source: string, parsed: Parsed, types: TokenTypes) {
    this.#types = types;
    this.source = source;
    this.#parsed = parsed;
    this.#tokens = parsed.tokens;
  }

  get length(): number {
    return this.#tokens.length;
  }

  /** Empty beyond the ends, and for the text of templates and JSX, which may look like anything. */
  text(index: number): string {
    const token = this.#tokens[index];
    if (!token || token.type === this.#types.template || token.type === this.#types.jsxText) return '';
    return this.source.slice(token.start, token.end);
  }

  /** Texts of the tokens from `first` to before `end`: what was between them (comments, line ends) is left out. */
  texts(first: number, end: number): string {
    const texts: string[] = [];
    for (let index = first; index < end; index++) texts.push(this.text(index));
    return texts.join(' ');
  }

  start(index: number): number {
    return this.#tokens[index]?.start ?? this.source.length;
  }

  end(index: number): number {
    return this.#tokens[index]?.end ?? this.source.length;
  }

  /** Cheaper than its text: most tokens are of no interest. */
  isOf(index: number, types: ReadonlySet<number>): boolean {
    return types.has(this.#tokens[index]?.type ?? this.#types.eof);
  }

  isType(index: number): boolean {
    return this.#tokens[index]?.isType ?? false;
  }

  isString(index: number): boolean {
    return /^['"]/.test(this.text(index));
  }

  isWord(index: number): boolean {
    return /^[\p{ID_Start}$_]/u.test(this.text(index));
  }

  /** A word that stands for itself: neither `.word` or `#word` nor the key of an object or class. */
  stands(index: number): boolean {
    const before = this.text(index - 1);
    return !/^(?:\.|\?\.|#)$/.test(before) && this.#tokens[index]?.identifierRole !== OBJECT_KEY;
  }

  isTopLevelDeclaration(index: number): boolean {
    const role = this.#tokens[index]?.identifierRole;
    return role === TOP_LEVEL_DECLARATION || role === SHORTHAND_TOP_LEVEL_DECLARATION;
  }

  /** Index behind the statement that begins with this `export`. */
  endOfExport(index: number): number {
    return this.#tokens[index]?.rhsEndIndex ?? index + 1;
  }

  /** True when no function is around this token. */
  isOutsideFunctions(index: number): boolean {
    this.#depths ??= this.#functionDepths();
    return this.#depths[index] === 0;
  }

  #functionDepths(): Int32Array {
    const depths = new Int32Array(this.#tokens.length + 1);
    for (const { startTokenIndex: start, endTokenIndex: end, isFunctionScope } of this.#parsed.scopes) {
      // The file as a whole counts as a function scope, too.
      if (!isFunctionScope || end >= this.#tokens.length) continue;
      depths[start] = (depths[start] ?? 0) + 1;
      depths[end] = (depths[end] ?? 0) - 1;
    }
    for (let index = 1; index < depths.length; index++) depths[index] = (depths[index] ?? 0) + (depths[index - 1] ?? 0);
    return depths;
  }
}

/** The value of a string literal, given with its quotes. */
export function stringValue(literal: string): string {
  const raw = literal.slice(1, -1);
  if (!raw.includes('\\')) return raw;
  return raw.replace(
    /\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|(\r\n|[\s\S]))/gi,
    (_all, braced?: string, four?: string, two?: string, one?: string) => {
      const hex = braced ?? four ?? two;
      return hex === undefined ? escaped(one ?? '') : String.fromCodePoint(Number.parseInt(hex, 16));
    },
  );
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', '0': '\0' };

const escaped = (character: string): string => (/[\r\n]/.test(character) ? '' : (ESCAPES[character] ?? character));
