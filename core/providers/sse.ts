import { StringDecoder } from 'node:string_decoder';
import { CodedError } from '../base/coded-error.js';
import { PROVIDER_ERRORS } from './errors.js';

/** Longest line taken; a longer one is no model's answer. In UTF-16 units. */
const MAX_LINE = 64 * 1024 * 1024;

/**
 * An incremental reader of server-sent events: each pushed chunk gives all events it completes, synchronously. Lines end in LF or
 * CRLF. Knows `event` and `data`; comments, `id` and `retry` mean nothing here.
 */
export class SseParser {
  readonly #onEvent: (data: string, event: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  #partial = '';
  #data: string | undefined;
  #event = '';
  #isFirst = true;
  #stopped = false;

  constructor(onEvent: (data: string, event: string) => void) {
    this.#onEvent = onEvent;
  }

  /** Ends all parsing, within a chunk too. */
  stop(): void {
    this.#stopped = true;
  }

  push(chunk: Buffer): void {
    if (this.#stopped) return;
    let text = this.#decoder.write(chunk);
    if (this.#isFirst && text !== '') {
      this.#isFirst = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    this.#lines(text);
  }

  /** The stream is over: a last event without its blank line still counts, as some servers end on it. */
  end(): void {
    if (this.#stopped) return;
    this.#lines(`${this.#decoder.end()}\n\n`);
  }

  #lines(text: string): void {
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      const end = at > from && text.charCodeAt(at - 1) === 13 ? at - 1 : at;
      let line = text.slice(from, end);
      if (this.#partial !== '') {
        line = this.#partial + line;
        this.#partial = '';
        // The CR came at the end of the chunk before.
        if (at === 0 && line.endsWith('\r')) line = line.slice(0, -1);
      }
      from = at + 1;
      this.#line(line);
      if (this.#stopped) return;
    }
    // Only the new text is searched, so that a huge line costs no more than its length.
    this.#partial += from === 0 ? text : text.slice(from);
    if (this.#partial.length > MAX_LINE) {
      throw new CodedError(PROVIDER_ERRORS.STREAM_MALFORMED, `The provider sent a line of more than ${MAX_LINE} characters`);
    }
  }

  #line(line: string): void {
    if (line === '') {
      this.#dispatch();
    } else if (line.startsWith('data:')) {
      const value = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    } else if (line.startsWith('event:')) {
      this.#event = line.slice(line.charCodeAt(6) === 32 ? 7 : 6);
    }
  }

  #dispatch(): void {
    const data = this.#data;
    const event = this.#event;
    this.#data = undefined;
    this.#event = '';
    if (data !== undefined) this.#onEvent(data, event);
  }
}
