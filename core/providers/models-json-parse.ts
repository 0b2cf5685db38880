/** JSON with comments and trailing commas, and where each key stands: what people write by hand gets errors with a line. */
export type ParsedJson =
  | {
      ok: true;
      value: unknown;
      lineOf: (path: readonly string[]) => number | undefined;
      duplicates: readonly { key: string; line: number }[];
    }
  | { ok: false; message: string; line: number; column: number };

class SyntaxProblem extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

const MAX_DEPTH = 200;
const LITERALS: readonly [string, unknown][] = [
  ['true', true],
  ['false', false],
  ['null', null],
];
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;

/** Parses `text`; a byte-order mark at its start is skipped. Never throws. */
export function parseCommentedJson(text: string): ParsedJson {
  const reader = new Reader(text);
  try {
    const value = reader.document();
    const { offsets, duplicates } = reader;
    return {
      ok: true,
      value,
      lineOf: (path) => {
        const offset = offsets.get(JSON.stringify(path));
        return offset === undefined ? undefined : position(text, offset).line;
      },
      duplicates: duplicates.map(({ key, at }) => ({ key, line: position(text, at).line })),
    };
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    return { ok: false, message: error.message, ...position(text, error.at) };
  }
}

/** Line and column count from 1. */
function position(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}

class Reader {
  readonly #text: string;
  #at = 0;
  readonly #path: string[] = [];
  readonly offsets = new Map<string, number>();
  readonly duplicates: { key: string; at: number }[] = [];

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith('\uFEFF')) this.#at = 1;
  }

  document(): unknown {
    const value = this.#value();
    this.#blank();
    if (this.#at < this.#text.length) throw this.#unexpected('the end of the file');
    return value;
  }

  #value(): unknown {
    this.#blank();
    if (this.#path.length > MAX_DEPTH) throw new SyntaxProblem(`nested deeper than ${MAX_DEPTH} levels`, this.#at);
    const char = this.#text[this.#at];
    if (char === '{') return this.#object();
    if (char === '[') return this.#array();
    if (char === '"') return this.#string();
    for (const [word, value] of LITERALS) if (this.#take(word)) return value;
    const number = this.#match(NUMBER);
    if (number === undefined) throw this.#unexpected('a value');
    return Number(number);
  }

  #object(): Record<string, unknown> {
    // Entries, not assignment: a key named __proto__ is an ordinary key.
    const entries = new Map<string, unknown>();
    this.#at++;
    for (;;) {
      this.#blank();
      if (this.#take('}')) return Object.fromEntries(entries);
      const at = this.#at;
      if (this.#text[at] !== '"') throw this.#unexpected('a key in double quotes or "}"');
      const key = this.#string();
      if (entries.has(key)) this.duplicates.push({ key, at });
      this.#blank();
      if (!this.#take(':')) throw this.#unexpected('":"');
      this.#path.push(key);
      this.offsets.set(JSON.stringify(this.#path), at);
      entries.set(key, this.#value());
      this.#path.pop();
      this.#blank();
      if (!this.#take(',') && this.#text[this.#at] !== '}') throw this.#unexpected('"," or "}"');
    }
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.#at++;
    for (;;) {
      this.#blank();
      if (this.#take(']')) return items;
      this.#path.push(String(items.length));
      this.offsets.set(JSON.stringify(this.#path), this.#at);
      items.push(this.#value());
      this.#path.pop();
      this.#blank();
      if (!this.#take(',') && this.#text[this.#at] !== ']') throw this.#unexpected('"," or "]"');
    }
  }

  #string(): string {
    const text = this.#match(STRING);
    if (text === undefined)
      throw new SyntaxProblem('a string that does not end, or holds a raw control character or a bad escape', this.#at);
    return JSON.parse(text) as string;
  }

  #blank(): void {
    for (;;) {
      const blank = this.#match(/[ \t\r\n]+|\/\/[^\n]*/y);
      if (blank !== undefined) continue;
      if (!this.#text.startsWith('/*', this.#at)) return;
      const end = this.#text.indexOf('*/', this.#at + 2);
      if (end < 0) throw new SyntaxProblem('a comment that does not end', this.#at);
      this.#at = end + 2;
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #take(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  #unexpected(wanted: string): SyntaxProblem {
    const char = this.#text[this.#at];
    return new SyntaxProblem(
      `expected ${wanted}, found ${char === undefined ? 'the end of the file' : JSON.stringify(char)}`,
      this.#at,
    );
  }
}
