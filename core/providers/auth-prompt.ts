import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** A terminal, as far as a hidden question needs one; `process.stdin` is one when `isTTY`. */
export interface SecretInput extends Readable {
  isTTY?: boolean;
  isRaw?: boolean;
  setRawMode?: (raw: boolean) => unknown;
}

export type Secret = { kind: 'text'; text: string } | { kind: 'cancelled' } | { kind: 'too-long' };

const MAX_BYTES = 64 * 1024;
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const BACKSPACES = new Set(['\b', '\u007f']);
/** What terminals send for keys such as arrows, and around pasted text. */
const ESCAPE_SEQUENCE = /^\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)/;

/** Reads one line without showing it, from a terminal, or everything from a pipe. The terminal is given back as it was. */
export async function readSecret(input: SecretInput, prompt: () => void): Promise<Secret> {
  if (input.isTTY && input.setRawMode) return readHidden(input, input.setRawMode.bind(input), prompt);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    size += bytes.length;
    if (size > MAX_BYTES) return { kind: 'too-long' };
    chunks.push(bytes);
  }
  return { kind: 'text', text: Buffer.concat(chunks).toString('utf8') };
}

function readHidden(input: SecretInput, setRawMode: (raw: boolean) => unknown, prompt: () => void): Promise<Secret> {
  const wasRaw = input.isRaw === true;
  const line = new HiddenLine();
  return new Promise((resolve, reject) => {
    const release = (): void => {
      input.off('data', onData);
      input.off('end', onEnd);
      input.off('error', onError);
      setRawMode(wasRaw);
      input.pause();
    };
    const finish = (secret: Secret | undefined): void => {
      if (!secret) return;
      release();
      resolve(secret);
    };
    const onData = (chunk: Buffer): void => finish(line.push(chunk));
    const onEnd = (): void => finish({ kind: 'cancelled' });
    const onError = (error: Error): void => {
      release();
      reject(error);
    };
    // Raw before the question is asked: what is typed at once must not be echoed by the terminal.
    setRawMode(true);
    input.on('data', onData);
    input.on('end', onEnd);
    input.on('error', onError);
    prompt();
  });
}

/** What the keys of a raw terminal make of a line. */
class HiddenLine {
  readonly #decoder = new StringDecoder('utf8');
  #text = '';
  #pending = '';

  /** The answer, once a key ended it. */
  push(chunk: Buffer): Secret | undefined {
    this.#pending += this.#decoder.write(chunk);
    while (this.#pending !== '') {
      if (this.#pending.startsWith('\u001b')) {
        const sequence = ESCAPE_SEQUENCE.exec(this.#pending)?.[0];
        // The rest of it comes with the next chunk.
        if (sequence === undefined) return undefined;
        this.#pending = this.#pending.slice(sequence.length);
        continue;
      }
      const char = String.fromCodePoint(this.#pending.codePointAt(0) ?? 0);
      this.#pending = this.#pending.slice(char.length);
      const answer = this.#key(char);
      if (answer) return answer;
    }
    return undefined;
  }

  #key(char: string): Secret | undefined {
    if (char === CTRL_C || (char === CTRL_D && this.#text === '')) return { kind: 'cancelled' };
    if (char === '\r' || char === '\n' || char === CTRL_D) return { kind: 'text', text: this.#text };
    if (char === CTRL_U) this.#text = '';
    else if (BACKSPACES.has(char)) this.#text = [...this.#text].slice(0, -1).join('');
    else if (char >= ' ') this.#text += char;
    return this.#text.length > MAX_BYTES ? { kind: 'too-long' } : undefined;
  }
}
