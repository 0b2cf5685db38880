import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { OutputSanitizer } from './output-sanitizer.js';

/** After its process has ended, a command whose pipe stays open (a daemon inherited it) ends when it has been silent for this long. */
export const DRAIN_QUIET_MS = 100;
/** … and in any case after this long. */
export const DRAIN_MAX_MS = 1000;

/** Reads the output pipes of one command as clean text. */
export class OutputPipes {
  readonly #open = new Set<Readable>();
  readonly #flushes: (() => void)[] = [];
  #chunks = 0;
  #onAllClosed: (() => void) | undefined;

  constructor(streams: readonly (Readable | null)[], onText: (text: string) => void) {
    for (const stream of streams) if (stream) this.#read(stream, onText);
  }

  /** Resolves when the pipes are closed, or quiet although someone holds them. Call it after the process has ended. */
  async drained(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#open.size === 0) {
        resolve();
        return;
      }
      const giveUpAt = performance.now() + DRAIN_MAX_MS;
      let seen = this.#chunks;
      // On a busy machine a timer can fire before data that is long there was read: look once more after the next poll of the pipes.
      const check = (): void => void setImmediate(decide);
      const decide = (): void => {
        if (this.#open.size === 0) return;
        if (this.#chunks === seen || performance.now() > giveUpAt) {
          this.#onAllClosed = undefined;
          resolve();
          return;
        }
        seen = this.#chunks;
        timer = setTimeout(check, DRAIN_QUIET_MS);
      };
      let timer = setTimeout(check, DRAIN_QUIET_MS);
      this.#onAllClosed = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#letGo();
  }

  /** Gives out what the decoders hold, and from here on throws away what still comes: closing the pipe would kill a daemon that logs to it. */
  #letGo(): void {
    for (const stream of this.#open) {
      stream.removeAllListeners('data');
      stream.resume();
      if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
    }
    for (const flush of this.#flushes) flush();
    this.#flushes.length = 0;
  }

  #read(stream: Readable, onText: (text: string) => void): void {
    const decoder = new StringDecoder('utf8');
    const sanitizer = new OutputSanitizer();
    this.#open.add(stream);
    this.#flushes.push(() => onText(sanitizer.push(decoder.end()) + sanitizer.end()));
    stream.on('data', (chunk: Buffer) => {
      this.#chunks += 1;
      onText(sanitizer.push(decoder.write(chunk)));
    });
    const closed = (): void => {
      this.#open.delete(stream);
      if (this.#open.size === 0) this.#onAllClosed?.();
    };
    stream.once('close', closed);
    // A pipe that breaks while it is read is at its end; what came before it counts.
    stream.once('error', closed);
  }
}
