/**
 * Reads the arguments a model streamed: an object even when the text was cut off, has raw control characters or invalid escapes in
 * strings, or commas too many. What can't be understood is left out; nothing usable gives `{}`.
 */
export function parseArguments(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  const value = readValue(text);
  // Some models encode their arguments twice.
  const args = typeof value === 'string' ? readValue(value) : value;
  return isRecord(args) ? args : {};
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Models are cut off and make mistakes: the careful reader below takes what is there.
    return new LenientReader(text).read();
  }
}

/** Stands for "the text ended before a value". */
const NOTHING = Symbol('nothing');
/** Deeper text is not an argument but an attack on the stack. */
const MAX_DEPTH = 200;
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const LITERALS: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** A JSON reader that stops without an error where the text stops or makes no sense. */
class LenientReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    let value = this.#value(0);
    // Some servers send an empty object before the real one.
    while (isRecord(value) && Object.keys(value).length === 0) {
      const next = this.#value(0);
      if (next === NOTHING) break;
      value = next;
    }
    return value === NOTHING ? undefined : value;
  }

  #value(depth: number): unknown {
    this.#skip(/\s/);
    const next = this.#text[this.#at];
    if (next === undefined || depth > MAX_DEPTH) return NOTHING;
    if (next === '{') return this.#object(depth);
    if (next === '[') return this.#array(depth);
    if (next === '"') return this.#string();
    return this.#scalar();
  }

  #object(depth: number): Record<string, unknown> {
    // A model may name a key `__proto__`: it must stay a key.
    const entries: [string, unknown][] = [];
    this.#at++;
    for (;;) {
      this.#skip(/[\s,]/);
      if (this.#text[this.#at] !== '"') break;
      const key = this.#string();
      this.#skip(/\s/);
      if (this.#text[this.#at] !== ':') break;
      this.#at++;
      const value = this.#value(depth + 1);
      if (value === NOTHING) break;
      entries.push([key, value]);
    }
    if (this.#text[this.#at] === '}') this.#at++;
    return Object.fromEntries(entries);
  }

  #array(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at++;
    for (;;) {
      this.#skip(/[\s,]/);
      if (this.#text[this.#at] === ']') {
        this.#at++;
        break;
      }
      const value = this.#value(depth + 1);
      if (value === NOTHING) break;
      items.push(value);
    }
    return items;
  }

  #string(): string {
    let result = '';
    this.#at++;
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at++] ?? '';
      if (char === '"') return result;
      result += char === '\\' ? this.#escape() : char;
    }
    return result;
  }

  #escape(): string {
    const char = this.#text[this.#at];
    // The text was cut in the middle of an escape.
    if (char === undefined) return '';
    this.#at++;
    if (char === 'u') {
      const hex = this.#text.slice(this.#at, this.#at + 4);
      if (!/^[0-9a-fA-F]{4}$/.test(hex)) {
        const isCut = this.#at + hex.length >= this.#text.length;
        if (isCut) this.#at = this.#text.length;
        return isCut ? '' : '\\u';
      }
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const simple = SIMPLE_ESCAPES[char];
    if (simple !== undefined) return simple;
    // `\d` of a regular expression that the model forgot to double.
    return char === '"' || char === '\\' || char === '/' ? char : `\\${char}`;
  }

  #scalar(): unknown {
    const start = this.#at;
    this.#skip(/[^\s,\]}:"]/);
    const word = this.#text.slice(start, this.#at);
    if (word === '') return NOTHING;
    const literal = LITERALS.find(([name]) => name === word) ?? LITERALS.find(([name]) => this.#isCut() && name.startsWith(word));
    if (literal) return literal[1];
    const number = Number(this.#isCut() ? word.replace(/[.eE+-]+$/, '') : word);
    return Number.isNaN(number) || !/^[-\d.]/.test(word) ? NOTHING : number;
  }

  #isCut(): boolean {
    return this.#at >= this.#text.length;
  }

  #skip(what: RegExp): void {
    while (this.#at < this.#text.length && what.test(this.#text[this.#at] ?? '')) this.#at++;
  }
}
