import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, JsonCursor, LOWER_U, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-cursor.js';

/** What one line says about its entry. Byte offsets are relative to the scanned buffer; -1 means absent. */
export interface ScannedLine {
  /** `null` when the key is missing or no string. */
  type: string | null;
  id: string | null;
  /** `undefined` when the key is missing or neither string nor null. */
  parentId: string | null | undefined;
  hasTimestamp: boolean;
  /** The `message` object's bytes. */
  messageStart: number;
  messageEnd: number;
  role: string | null;
  toolCalls: number;
  /** Usage of the message or of the entry itself. */
  hasUsage: boolean;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cost: number;
}

/** Types and roles that need no new string per line. */
const COMMON_WORDS = ['message', 'assistant', 'toolResult', 'user', 'custom', 'label'];

const ENTRY = 0;
const MESSAGE = 1;
const USAGE = 2;
const COST = 3;
const BLOCK = 4;
type Level = typeof ENTRY | typeof MESSAGE | typeof USAGE | typeof COST | typeof BLOCK;

/**
 * Reads an entry's place in the tree and its counters out of a line's bytes, checking the line against the JSON grammar on
 * the way, without building the object: opening a long session costs a fraction of parsing it, and a line that passes may
 * be handed out as it is stored. UTF-8 validity is not checked here. One scanner is reused; `line` is overwritten by each scan.
 */
export class EntryScanner extends JsonCursor {
  readonly line: ScannedLine = emptyLine();
  #text: string | null = null;
  #value = 0;
  /** An escape stands where a key or word is compared by bytes: the caller must parse the line instead. */
  #inexact = false;
  /** The last id, so that the usual case (the parent is the line before) makes no new string. */
  #lastId = '';

  /**
   * Scans one JSON object at `start`. Returns the offset after it, or -1 when the bytes are no JSON object. Nothing is said
   * about what follows the object.
   */
  scan(bytes: Buffer, start: number, end: number): number {
    this.point(bytes, start, end);
    this.#inexact = false;
    resetLine(this.line);
    this.blank();
    if (this.at() !== OPEN_BRACE) return -1;
    if (!this.#object(ENTRY)) return -1;
    if (this.#inexact) this.#rescan(start, this.pos);
    if (this.line.id !== null) this.#lastId = this.line.id;
    return this.pos;
  }

  /** At `{`; afterwards behind the `}`. Recursion is bounded by the levels. */
  #object(level: Level): boolean {
    this.pos++;
    this.blank();
    if (this.at() === CLOSE_BRACE) {
      this.pos++;
      return true;
    }
    for (;;) {
      if (this.at() !== QUOTE || !this.string()) return false;
      if (this.escaped) this.#inexact = true;
      const start = this.textStart;
      const length = this.textEnd - start;
      this.blank();
      if (this.at() !== COLON) return false;
      this.pos++;
      this.blank();
      if (!this.#member(level, start, length)) return false;
      this.blank();
      const next = this.at();
      this.pos++;
      if (next === CLOSE_BRACE) return true;
      if (next !== COMMA) return false;
      this.blank();
    }
  }

  /** At a member's value; afterwards behind it. The key's bytes are given. */
  #member(level: Level, start: number, length: number): boolean {
    const first = this.bytes[start] ?? 0;
    const { line } = this;
    switch (level) {
      case ENTRY:
        if (length === 2 && this.is(start, 'id')) {
          if (!this.#word()) return false;
          line.id = this.#text;
          return true;
        }
        if (length === 4 && this.is(start, 'type')) {
          if (!this.#word()) return false;
          line.type = this.#text;
          return true;
        }
        if (length === 8 && this.is(start, 'parentId')) return this.#parent();
        if (length === 9 && this.is(start, 'timestamp')) {
          line.hasTimestamp = this.at() === QUOTE;
          return this.skip();
        }
        if (length === 7 && this.is(start, 'message')) {
          forgetMessage(line);
          if (this.at() !== OPEN_BRACE) return this.skip();
          line.messageStart = this.pos;
          const sound = this.#object(MESSAGE);
          line.messageEnd = this.pos;
          return sound;
        }
        return length === 5 && first === LOWER_U && line.messageStart < 0 ? this.#usage(start) : this.skip();
      case MESSAGE:
        if (length === 4 && this.is(start, 'role')) {
          if (!this.#word()) return false;
          line.role = this.#text;
          return true;
        }
        if (length === 7 && this.is(start, 'content') && this.at() === OPEN_BRACKET) return this.#content();
        return length === 5 && first === LOWER_U ? this.#usage(start) : this.skip();
      case USAGE:
        if (length === 5 && this.is(start, 'input')) {
          if (!this.#number()) return false;
          line.input = this.#value;
          return true;
        }
        if (length === 6 && this.is(start, 'output')) {
          if (!this.#number()) return false;
          line.output = this.#value;
          return true;
        }
        if (length === 9 && this.is(start, 'cacheRead')) {
          if (!this.#number()) return false;
          line.cacheRead = this.#value;
          return true;
        }
        if (length === 10 && this.is(start, 'cacheWrite')) {
          if (!this.#number()) return false;
          line.cacheWrite = this.#value;
          return true;
        }
        if (length === 4 && this.is(start, 'cost') && this.at() === OPEN_BRACE) return this.#object(COST);
        return this.skip();
      case COST:
        if (length === 5 && this.is(start, 'total')) {
          if (!this.#number()) return false;
          line.cost = this.#value;
          return true;
        }
        return this.skip();
      case BLOCK:
        if (length !== 4 || !this.is(start, 'type') || this.at() !== QUOTE) return this.skip();
        if (!this.string()) return false;
        if (this.escaped) this.#inexact = true;
        if (this.textEnd - this.textStart === 8 && this.is(this.textStart, 'toolCall')) line.toolCalls++;
        return true;
    }
  }

  #usage(keyStart: number): boolean {
    if (!this.is(keyStart, 'usage') || this.at() !== OPEN_BRACE) return this.skip();
    forgetUsage(this.line);
    this.line.hasUsage = true;
    return this.#object(USAGE);
  }

  /** Content blocks: only how many of them are tool calls matters. */
  #content(): boolean {
    this.line.toolCalls = 0;
    this.pos++;
    this.blank();
    if (this.at() === CLOSE_BRACKET) {
      this.pos++;
      return true;
    }
    for (;;) {
      if (!(this.at() === OPEN_BRACE ? this.#object(BLOCK) : this.skip())) return false;
      this.blank();
      const next = this.at();
      this.pos++;
      if (next === CLOSE_BRACKET) return true;
      if (next !== COMMA) return false;
      this.blank();
    }
  }

  /** A string into `#text`; null for any other value. */
  #word(): boolean {
    this.#text = null;
    if (this.at() !== QUOTE) return this.skip();
    if (!this.string()) return false;
    if (this.escaped) this.#inexact = true;
    const length = this.textEnd - this.textStart;
    for (const word of COMMON_WORDS) {
      if (word.length !== length || !this.is(this.textStart, word)) continue;
      this.#text = word;
      return true;
    }
    this.#text = this.bytes.toString('utf8', this.textStart, this.textEnd);
    return true;
  }

  #parent(): boolean {
    if (this.at() !== QUOTE) {
      const start = this.pos;
      if (!this.skip()) return false;
      this.line.parentId = this.bytes[start] === 0x6e ? null : undefined;
      return true;
    }
    if (!this.string()) return false;
    if (this.escaped) this.#inexact = true;
    const length = this.textEnd - this.textStart;
    this.line.parentId =
      length === this.#lastId.length && this.is(this.textStart, this.#lastId)
        ? this.#lastId
        : this.bytes.toString('utf8', this.textStart, this.textEnd);
    return true;
  }

  /** A number into `#value`; 0 for any other value. Whole numbers, the usual case, are read without a string. */
  #number(): boolean {
    const start = this.pos;
    let value = 0;
    while (this.pos < this.end) {
      const digit = (this.bytes[this.pos] ?? 0) - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      this.pos++;
    }
    const next = this.at();
    const plain = this.pos > start && (next === COMMA || next === CLOSE_BRACE) && this.pos - start < 16;
    if (plain && !(this.bytes[start] === 0x30 && this.pos - start > 1)) {
      this.#value = value;
      return true;
    }
    this.pos = start;
    if (!this.skip()) return false;
    this.#value = asNumber(Number(this.bytes.toString('latin1', start, this.pos)));
    return true;
  }

  /** The slow way, for lines whose keys or words are written with escapes. */
  #rescan(start: number, end: number): void {
    const value: unknown = JSON.parse(this.bytes.toString('utf8', start, end));
    const entry = value as Record<string, unknown>; // the scan saw an object
    const message = isRecord(entry.message) ? entry.message : undefined;
    const usage = message && isRecord(message.usage) ? message.usage : entry.usage;
    const { line } = this;
    const { messageStart, messageEnd } = line;
    resetLine(line);
    line.type = asString(entry.type);
    line.id = asString(entry.id);
    line.parentId = entry.parentId === null ? null : (asString(entry.parentId) ?? undefined);
    line.hasTimestamp = typeof entry.timestamp === 'string';
    // The bytes of a message whose key is escaped are not known; it is then written anew.
    line.messageStart = message ? messageStart : -1;
    line.messageEnd = message ? messageEnd : -1;
    line.role = message ? asString(message.role) : null;
    line.toolCalls = message && Array.isArray(message.content) ? message.content.filter(isToolCall).length : 0;
    if (!isRecord(usage)) return;
    line.hasUsage = true;
    line.input = asNumber(usage.input);
    line.output = asNumber(usage.output);
    line.cacheRead = asNumber(usage.cacheRead);
    line.cacheWrite = asNumber(usage.cacheWrite);
    line.cost = isRecord(usage.cost) ? asNumber(usage.cost.total) : 0;
  }
}

function emptyLine(): ScannedLine {
  const line: Partial<ScannedLine> = {};
  resetLine(line);
  return line as ScannedLine; // resetLine sets every field
}

function resetLine(line: Partial<ScannedLine>): void {
  line.type = null;
  line.id = null;
  line.parentId = undefined;
  line.hasTimestamp = false;
  forgetMessage(line);
  forgetUsage(line);
}

function forgetMessage(line: Partial<ScannedLine>): void {
  line.messageStart = -1;
  line.messageEnd = -1;
  line.role = null;
  line.toolCalls = 0;
}

function forgetUsage(line: Partial<ScannedLine>): void {
  line.hasUsage = false;
  line.input = 0;
  line.output = 0;
  line.cacheRead = 0;
  line.cacheWrite = 0;
  line.cost = 0;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isToolCall = (value: unknown): boolean => isRecord(value) && value.type === 'toolCall';
const asString = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const asNumber = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
