import { CodedError } from '../base/coded-error.js';
import { RESOURCE_ERRORS } from './errors.js';

/** One value of a JSON text with its place, so that a message can name the line and an edit can leave the rest alone. */
export interface JsonNode {
  /** Offset of the first character, and of the first one after it. */
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  /** Members of an object in the order of the text. Of two with one key, the last counts. */
  readonly members?: readonly JsonMember[];
  readonly elements?: readonly JsonNode[];
}

export interface JsonMember {
  readonly key: string;
  readonly keyStart: number;
  readonly node: JsonNode;
}

/** Deeper than anything a person writes, and far from the end of the stack. */
const MAX_DEPTH = 200;

/**
 * Parses JSON as people write it by hand: comments and trailing commas are fine.
 * Throws `JSON_INVALID` with `data: {line, column}`, both counted from 1.
 */
export function parseJsonTree(text: string): JsonNode {
  return new Parser(text).document();
}

/** Line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < offset; i = text.indexOf('\n', i + 1)) line++;
  return line;
}

/** The member of an object that counts, or `undefined`. */
export function memberOf(node: JsonNode, key: string): JsonMember | undefined {
  return node.members?.findLast((member) => member.key === key);
}

class Parser {
  #at = 0;
  constructor(readonly text: string) {}

  document(): JsonNode {
    const node = this.#value(0);
    this.#skip();
    if (this.#at < this.text.length) this.#fail(`unexpected ${this.#here()} after the end`);
    return node;
  }

  #value(depth: number): JsonNode {
    if (depth > MAX_DEPTH) this.#fail(`nested more than ${MAX_DEPTH} levels deep`);
    this.#skip();
    switch (this.text[this.#at]) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        return this.#scalar(this.#stringEnd());
      default:
        return this.#word();
    }
  }

  #object(depth: number): JsonNode {
    const start = this.#at++;
    const members: JsonMember[] = [];
    // Own properties only: "__proto__" is a key like any other.
    const value: Record<string, unknown> = Object.create(null);
    for (;;) {
      this.#skip();
      if (this.#take('}')) break;
      if (this.text[this.#at] !== '"') this.#fail(`expected a key in double quotes or "}", found ${this.#here()}`);
      const keyStart = this.#at;
      const key = this.#scalar(this.#stringEnd()).value as string;
      this.#skip();
      if (!this.#take(':')) this.#fail(`expected ":" after "${key}", found ${this.#here()}`);
      const node = this.#value(depth + 1);
      members.push({ key, keyStart, node });
      value[key] = node.value;
      this.#skip();
      if (!this.#take(',') && this.text[this.#at] !== '}') this.#fail(`expected "," or "}", found ${this.#here()}`);
    }
    return { start, end: this.#at, value, members };
  }

  #array(depth: number): JsonNode {
    const start = this.#at++;
    const elements: JsonNode[] = [];
    for (;;) {
      this.#skip();
      if (this.#take(']')) break;
      elements.push(this.#value(depth + 1));
      this.#skip();
      if (!this.#take(',') && this.text[this.#at] !== ']') this.#fail(`expected "," or "]", found ${this.#here()}`);
    }
    return { start, end: this.#at, value: elements.map((element) => element.value), elements };
  }

  #word(): JsonNode {
    const word = /[A-Za-z0-9+.-]*/y;
    word.lastIndex = this.#at;
    const length = word.exec(this.text)?.[0].length ?? 0;
    if (length === 0) this.#fail(`expected a value, found ${this.#here()}`);
    return this.#scalar(this.#at + length);
  }

  /** JSON.parse knows what a string and a number are; this only finds where they end. */
  #scalar(end: number): JsonNode {
    const start = this.#at;
    try {
      const value: unknown = JSON.parse(this.text.slice(start, end));
      this.#at = end;
      return { start, end, value };
    } catch (cause) {
      return this.#fail(
        `${this.text[start] === '"' ? 'a string with a bad escape or control character' : `unexpected ${this.#here()}`}`,
        cause,
      );
    }
  }

  #stringEnd(): number {
    for (let i = this.#at + 1; i < this.text.length; i++) {
      const c = this.text[i];
      if (c === '\\') i++;
      else if (c === '"') return i + 1;
      else if (c === '\n') break;
    }
    return this.#fail('a string without its closing quote');
  }

  #skip(): void {
    const blank = /(?:[\s\uFEFF]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
    blank.lastIndex = this.#at;
    this.#at += blank.exec(this.text)?.[0].length ?? 0;
  }

  #take(char: string): boolean {
    if (this.text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #here(): string {
    const char = this.text.codePointAt(this.#at);
    if (char === undefined) return 'the end of the text';
    return JSON.stringify(/^[A-Za-z]+/.exec(this.text.slice(this.#at, this.#at + 20))?.[0] ?? String.fromCodePoint(char));
  }

  #fail(problem: string, cause?: unknown): never {
    const line = lineAt(this.text, this.#at);
    const column = this.#at - this.text.slice(0, this.#at).lastIndexOf('\n');
    throw new CodedError(RESOURCE_ERRORS.JSON_INVALID, problem, { cause, data: { line, column } });
  }
}
