export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
const MINUS = 0x2d;
const DOT = 0x2e;
export const LOWER_U = 0x75;

/**
 * Walks over JSON in bytes, checking the grammar without building values. Bytes below 0x20 end every string, so a reader that
 * is given more than one line never runs past its LF.
 */
export class JsonCursor {
  protected bytes: Buffer = Buffer.alloc(0);
  protected pos = 0;
  protected end = 0;
  /** The text of the last string, without its quotes; `escaped` when it has a backslash. */
  protected textStart = 0;
  protected textEnd = 0;
  protected escaped = false;
  /** Containers open in `skip`: 1 object, 0 array. Grows; deep nesting must not recurse. */
  #open = new Uint8Array(64);

  protected point(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes;
    this.pos = start;
    this.end = end;
  }

  protected at(): number {
    return this.pos < this.end ? (this.bytes[this.pos] ?? 0) : 0;
  }

  protected blank(): void {
    for (;;) {
      const byte = this.at();
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return;
      this.pos++;
    }
  }

  protected is(start: number, word: string): boolean {
    const bytes = this.bytes;
    for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word.charCodeAt(i)) return false;
    return true;
  }

  /** At the opening quote; afterwards behind the closing one, with the text's bytes in `textStart`/`textEnd`. */
  protected string(): boolean {
    const bytes = this.bytes;
    const end = this.end;
    let i = this.pos + 1;
    this.textStart = i;
    this.escaped = false;
    for (;;) {
      if (i >= end) return false;
      const byte = bytes[i] ?? 0;
      if (byte === QUOTE) break;
      if (byte < 0x20) return false;
      if (byte !== BACKSLASH) {
        i++;
        continue;
      }
      this.escaped = true;
      const kind = i + 1 < end ? (bytes[i + 1] ?? 0) : 0;
      if (kind === LOWER_U) {
        if (i + 5 >= end) return false;
        for (let k = i + 2; k < i + 6; k++) if (!isHex(bytes[k] ?? 0)) return false;
        i += 6;
      } else {
        if (!isEscape(kind)) return false;
        i += 2;
      }
    }
    this.textEnd = i;
    this.pos = i + 1;
    return true;
  }

  /** Passes over one value of any kind and depth. */
  protected skip(): boolean {
    let depth = 0;
    for (;;) {
      // A value starts here.
      const byte = this.at();
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        this.pos++;
        this.blank();
        const isObject = byte === OPEN_BRACE;
        if (this.at() !== (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
          if (depth === this.#open.length) this.#grow();
          this.#open[depth++] = isObject ? 1 : 0;
          if (isObject && !this.#key()) return false;
          continue;
        }
        this.pos++;
      } else if (byte === QUOTE ? !this.string() : !this.#scalar(byte)) return false;
      // A value ended here: close what it closes, or go on to its sibling.
      for (;;) {
        if (depth === 0) return true;
        this.blank();
        const next = this.at();
        this.pos++;
        const isObject = this.#open[depth - 1] === 1;
        if (next === COMMA) {
          this.blank();
          if (isObject && !this.#key()) return false;
          break;
        }
        if (next !== (isObject ? CLOSE_BRACE : CLOSE_BRACKET)) return false;
        depth--;
      }
    }
  }

  #grow(): void {
    const larger = new Uint8Array(this.#open.length * 2);
    larger.set(this.#open);
    this.#open = larger;
  }

  #key(): boolean {
    if (this.at() !== QUOTE || !this.string()) return false;
    this.blank();
    if (this.at() !== COLON) return false;
    this.pos++;
    this.blank();
    return true;
  }

  #scalar(first: number): boolean {
    if (first === 0x74) return this.#literal('true');
    if (first === 0x66) return this.#literal('false');
    if (first === 0x6e) return this.#literal('null');
    if (first === MINUS) this.pos++;
    if (this.at() === 0x30) {
      this.pos++;
      if (isDigit(this.at())) return false;
    } else if (!this.#digits()) return false;
    if (this.at() === DOT) {
      this.pos++;
      if (!this.#digits()) return false;
    }
    if (this.at() === 0x65 || this.at() === 0x45) {
      this.pos++;
      if (this.at() === 0x2b || this.at() === MINUS) this.pos++;
      if (!this.#digits()) return false;
    }
    return true;
  }

  #literal(word: string): boolean {
    if (this.pos + word.length > this.end || !this.is(this.pos, word)) return false;
    this.pos += word.length;
    return true;
  }

  #digits(): boolean {
    const start = this.pos;
    while (isDigit(this.at())) this.pos++;
    return this.pos > start;
  }
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isHex = (byte: number): boolean => isDigit(byte) || (byte >= 0x61 && byte <= 0x66) || (byte >= 0x41 && byte <= 0x46);
/** `" \ / b f n r t` after a backslash. */
const isEscape = (byte: number): boolean =>
  byte === QUOTE ||
  byte === BACKSLASH ||
  byte === 0x2f ||
  byte === 0x62 ||
  byte === 0x66 ||
  byte === 0x6e ||
  byte === 0x72 ||
  byte === 0x74;
