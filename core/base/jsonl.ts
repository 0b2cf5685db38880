/**
 * Strict JSON Lines: LF is the only separator, a trailing CR is dropped, U+2028 and U+2029 are ordinary characters on the way in.
 * On the way out U+2028, U+2029 and U+0085 are escaped, so that readers which split on them are safe too.
 */

const LF = 0x0a;
const CR = 0x0d;

export interface LineReaderOptions {
  /** Longest accepted line in bytes; a longer one is skipped and reported once through `onTooLong`. */
  maxBytes: number;
  onLine: (line: string) => void;
  onTooLong: (bytes: number) => void;
}

/** Cuts a byte stream into lines. Invalid UTF-8 becomes U+FFFD, as a lenient decoder does; nothing is lost around it. */
export class LineReader {
  readonly #options: LineReaderOptions;
  #parts: Buffer[] = [];
  #size = 0;
  #skipping = false;

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LF, start);
      if (end < 0) break;
      this.#keep(chunk.subarray(start, end));
      this.#emit();
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The stream is over: a last line without LF counts. */
  end(): void {
    if (this.#size > 0) this.#emit();
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#options.maxBytes) {
      this.#skipping = true;
      this.#parts = [];
      return;
    }
    if (part.length > 0) this.#parts.push(part);
  }

  #emit(): void {
    const size = this.#size;
    const parts = this.#parts;
    const skipped = this.#skipping;
    this.#parts = [];
    this.#size = 0;
    this.#skipping = false;
    if (skipped) {
      this.#options.onTooLong(size);
      return;
    }
    const [first] = parts;
    let line = parts.length === 1 && first ? first : Buffer.concat(parts);
    if (line.at(-1) === CR) line = line.subarray(0, -1);
    this.#options.onLine(line.toString('utf8'));
  }
}

const UNSAFE_SEPARATORS = /[\u2028\u2029\u0085]/;

/** One record with its LF. A value JSON can't write is the caller's bug and throws. */
export function encodeLine(value: unknown): string {
  return `${escapeSeparators(JSON.stringify(value))}\n`;
}

/** Escapes the separators that careless readers split on; the result is equal JSON. */
export function escapeSeparators(json: string): string {
  if (!UNSAFE_SEPARATORS.test(json)) return json;
  return json
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029')
    .replace(/\u0085/g, '\\u0085');
}
