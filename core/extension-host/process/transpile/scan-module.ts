import type { Parsed } from 'sucrase/dist/parser/index.js';
import { CODE_NAMES } from '../../contract/transpiled-code.js';
import { Edits } from './edits.js';
import type { TokenTypes } from './sucrase.js';
import { stringValue, TokenReader } from './token-reader.js';

/** What a source is, and its text made ready for sucrase's `imports` transform. */
export interface ScannedModule {
  form: 'module' | 'script';
  awaits: boolean;
  requires: string[];
  hoisted: string;
  /** Imports stand at the top, their specifiers replaced by `staticMarker`; `import()` and `import.meta` are names. */
  text: string;
  /** By the number in their marker. */
  specifiers: string[];
  /** Uses TypeScript that sucrase would drop or keep as it is, without a word. */
  needsLowering: boolean;
}

const MARKER = 'pi-static:';

/** sucrase makes the variable's name of what is behind the last slash, and people read it in error messages. */
const staticMarker = (index: number, specifier: string): string =>
  `'${MARKER}${index}/${(specifier.split('/').at(-1) ?? '').replace(/\.[cm]?[jt]sx?$/, '').replace(/[^\w$]/g, '_')}'`;

/** Calls sucrase made of marked imports. */
export const STATIC_REQUIRE = new RegExp(`require\\('${MARKER}(\\d+)/[\\w$]*'\\)`, 'g');

const PACKAGE_LIKE = /^(?:@[\w.-]+\/)?[\w-][\w.-]*(?:\/[\w./-]+)?$/;
const LOOKED_AT = ['name', 'string', '_import', '_export', '_function', 'at', 'semi'] as const;
const DECLARES_NAMESPACE = new Set(['namespace', 'module']);

export function scanModule(source: string, parsed: Parsed, types: TokenTypes): ScannedModule {
  return new ModuleScan(new TokenReader(source, parsed, types), new Set(LOOKED_AT.map((name) => types[name]))).run();
}

class ModuleScan {
  readonly #tokens: TokenReader;
  readonly #lookedAt: ReadonlySet<number>;
  readonly #edits: Edits;
  readonly #specifiers: string[] = [];
  readonly #requires = new Set<string>();
  readonly #strings = new Set<string>();
  readonly #functions = new Set<string>();
  readonly #declared = new Set<string>();
  /** Name in the module and name outside. */
  readonly #exported: [local: string, name: string][] = [];
  #head = '';
  #tail = '';
  #isModule = false;
  #awaits = false;
  #makesRequire = false;
  #needsLowering = false;
  /** A statement that is no import was seen: imports after it move to the top, where they count anyway. */
  #begun = false;

  constructor(tokens: TokenReader, lookedAt: ReadonlySet<number>) {
    this.#lookedAt = lookedAt;
    this.#tokens = tokens;
    this.#edits = new Edits(tokens.source);
  }

  run(): ScannedModule {
    for (let index = 0; index < this.#tokens.length; ) index = this.#step(index);
    // A `require` made here may have any name.
    if (this.#makesRequire) for (const text of this.#strings) if (PACKAGE_LIKE.test(text)) this.#requires.add(text);
    // Of the others at least the names are there from the start, for `export *` in a cycle.
    const hoisted = this.#exported.filter(([local]) => this.#declared.has(local));
    const body = this.#edits.apply();
    return {
      form: this.#isModule || this.#awaits ? 'module' : 'script',
      awaits: this.#awaits,
      requires: [...this.#requires],
      hoisted: hoisted.map(([local, name]) => `exports.${name} = ${this.#functions.has(local) ? local : 'void 0'};`).join(' '),
      // The last line may be a comment.
      text: `${this.#head}${body}${this.#tail && `\n${this.#tail}`}`,
      specifiers: this.#specifiers,
      needsLowering: this.#needsLowering,
    };
  }

  /** Looks at one token, or a whole import or export declaration; returns where to go on. */
  #step(index: number): number {
    const tokens = this.#tokens;
    if (!tokens.isOf(index, this.#lookedAt)) {
      if (!tokens.isType(index)) this.#begun = true;
      return index + 1;
    }
    const text = tokens.text(index);
    if (tokens.isType(index)) {
      const named = DECLARES_NAMESPACE.has(text) && tokens.isWord(index + 1) && /^[.{]$/.test(tokens.text(index + 2));
      if (named && tokens.text(index - 1) !== 'declare') this.#needsLowering = true;
      return index + 1;
    }
    if (tokens.isString(index)) {
      // Not the beginning of statements: a directive needs no import.
      this.#strings.add(stringValue(text));
      return index + 1;
    }
    if (text === '@') this.#needsLowering = true;
    if (text === 'import' && tokens.stands(index)) return this.#import(index);
    if (text === 'export' && tokens.stands(index)) return this.#export(index);
    if (text !== ';') this.#begun = true;
    if (tokens.isTopLevelDeclaration(index)) this.#declared.add(text);
    if (text === 'await' && tokens.stands(index) && !tokens.isTopLevelDeclaration(index) && tokens.isOutsideFunctions(index))
      this.#awaits = true;
    if (text === 'createRequire') this.#makesRequire = true;
    if (text === 'require' && tokens.stands(index)) this.#require(index);
    if (text === 'function') this.#function(index);
    return index + 1;
  }

  #function(index: number): void {
    const name = this.#tokens.text(index + 1) === '*' ? index + 2 : index + 1;
    if (this.#tokens.isTopLevelDeclaration(name)) this.#functions.add(this.#tokens.text(name));
  }

  /** `require('x')` and `require.resolve('x')`. */
  #require(index: number): void {
    const tokens = this.#tokens;
    const open = tokens.text(index + 1) === '.' ? index + 3 : index + 1;
    if (tokens.text(open) === '(' && tokens.isString(open + 1)) this.#requires.add(stringValue(tokens.text(open + 1)));
  }

  #import(index: number): number {
    const tokens = this.#tokens;
    const next = tokens.text(index + 1);
    if (next === '(') {
      this.#edits.replace(tokens.start(index), tokens.end(index), CODE_NAMES.import);
      this.#begun = true;
      return index + 1;
    }
    this.#isModule = true;
    if (next === '.') {
      this.#edits.replace(tokens.start(index), tokens.end(index + 2), CODE_NAMES.meta);
      this.#begun = true;
      return index + 3;
    }
    const from = this.#importedFrom(index);
    if (from === undefined) return this.#importEquals(index);
    const end = this.#endOfDeclaration(from);
    const marker = this.#mark(from);
    if (this.#begun) {
      this.#head += `${tokens.texts(index, from)} ${marker}; `;
      this.#edits.replace(tokens.start(index), tokens.end(end - 1), ';');
    } else this.#edits.replace(tokens.start(from), tokens.end(from), marker);
    return end;
  }

  /** `import x = require('y')` is CommonJS and stays; `import x = Y.z` is an alias that sucrase does not resolve. */
  #importEquals(index: number): number {
    const tokens = this.#tokens;
    const equals = [index + 2, index + 3].find((at) => tokens.text(at) === '=');
    if (equals !== undefined && tokens.text(equals + 1) !== 'require') this.#needsLowering = true;
    this.#begun = true;
    return index + 1;
  }

  #export(index: number): number {
    const tokens = this.#tokens;
    this.#isModule = true;
    this.#begun = true;
    const from = this.#exportedFrom(index);
    if (from !== undefined) {
      this.#edits.replace(tokens.start(from), tokens.end(from), this.#mark(from));
      return this.#endOfDeclaration(from);
    }
    const kind = tokens.text(index + 1);
    if (kind === '{') return this.#exportList(index);
    const isDefault = kind === 'default';
    const after = isDefault ? index + 2 : index + 1;
    const word = tokens.text(after) === 'async' ? after + 1 : after;
    const name = tokens.text(word + 1) === '*' ? word + 2 : word + 1;
    if (tokens.text(word) === 'function' && tokens.isTopLevelDeclaration(name))
      this.#exported.push([tokens.text(name), isDefault ? 'default' : tokens.text(name)]);
    else if (/^(?:const|let|var)$/.test(kind)) this.#exportedVariables(index);
    return index + 1;
  }

  /** sucrase knows one variable per declaration: each gets its own. */
  #exportedVariables(index: number): void {
    const tokens = this.#tokens;
    const end = tokens.endOfExport(index);
    let depth = 0;
    for (let at = index + 2; at < end; at++) {
      if (tokens.isType(at)) continue;
      const text = tokens.text(at);
      if (tokens.isTopLevelDeclaration(at)) this.#exported.push([text, text]);
      if (/^(?:\(|\[|\{|\$\{)$/.test(text)) depth++;
      else if (/^[)\]}]$/.test(text)) depth--;
      else if (text === ',' && depth === 0 && (tokens.isTopLevelDeclaration(at + 1) || /^[{[]$/.test(tokens.text(at + 1))))
        this.#edits.replace(tokens.start(at), tokens.end(at), `; export ${tokens.text(index + 1)}`);
    }
  }

  /** A list may stand before what it names, and would be read too early there: it goes to the end. */
  #exportList(index: number): number {
    const tokens = this.#tokens;
    const close = this.#closing(index + 1);
    for (let at = index + 2; at < close; at++) {
      if (!/^[{,]$/.test(tokens.text(at - 1))) continue;
      const renamed = tokens.text(at + 1) === 'as' ? at + 2 : at;
      if (tokens.isWord(renamed)) this.#exported.push([tokens.text(at), tokens.text(renamed)]);
    }
    this.#tail += `${tokens.texts(index, close + 1)}; `;
    this.#edits.replace(tokens.start(index), tokens.end(close), ';');
    return close + 1;
  }

  /** Index of the string an import declaration is from; undefined for `import x = …`. */
  #importedFrom(index: number): number | undefined {
    const tokens = this.#tokens;
    if (tokens.isString(index + 1)) return index + 1;
    for (let at = index + 1; at < tokens.length; at++) {
      if (tokens.text(at) === '{') at = this.#closing(at);
      else if (tokens.text(at) === '=') return undefined;
      else if (tokens.text(at) === 'from' && tokens.isString(at + 1)) return at + 1;
    }
    return undefined;
  }

  /** The same of `export * from`, `export * as x from` and `export {…} from`, with `type` or without; undefined for other exports. */
  #exportedFrom(index: number): number | undefined {
    const tokens = this.#tokens;
    const first = tokens.text(index + 1) === 'type' ? index + 2 : index + 1;
    let from: number;
    if (tokens.text(first) === '{') from = this.#closing(first) + 1;
    else if (tokens.text(first) === '*') from = tokens.text(first + 1) === 'as' ? first + 3 : first + 1;
    else return undefined;
    return tokens.text(from) === 'from' && tokens.isString(from + 1) ? from + 1 : undefined;
  }

  /** Of a list of names, which has no braces inside. */
  #closing(open: number): number {
    let at = open;
    while (at < this.#tokens.length && this.#tokens.text(at) !== '}') at++;
    return at;
  }

  /** Behind the specifier, its attributes and the semicolon. */
  #endOfDeclaration(from: number): number {
    const tokens = this.#tokens;
    let at = from + 1;
    if (/^(?:with|assert)$/.test(tokens.text(at)) && tokens.text(at + 1) === '{') {
      at = this.#closing(at) + 1;
    }
    return tokens.text(at) === ';' ? at + 1 : at;
  }

  #mark(from: number): string {
    const specifier = stringValue(this.#tokens.text(from));
    const index = this.#specifiers.push(specifier) - 1;
    return staticMarker(index, specifier);
  }
}
