import type { Logger } from '../../base/logger.js';
import { redact } from '../../base/secrets.js';

/** So much is read beyond a cut before it is made: a secret that stands across it is then seen whole. In characters. */
const LOOK_AHEAD = 4_096;

export interface OutputLogOptions {
  log: Logger;
  /** Lines per second and source that are written; the rest is counted. */
  maxLinesPerSecond?: number;
  /** Longest line, in characters; the rest of it is cut. */
  maxLineLength?: number;
  now?: () => number;
}

interface Source {
  /** What has no line end yet. */
  rest: string;
  secondStartedAt: number;
  written: number;
  dropped: number;
}

/** What extensions print, as log lines with their name: whole lines, cut, and limited in rate. */
export class OutputLog {
  readonly #options: Required<OutputLogOptions>;
  readonly #sources = new Map<string, Source>();

  constructor(options: OutputLogOptions) {
    this.#options = { maxLinesPerSecond: 20, maxLineLength: 8_192, now: Date.now, ...options };
  }

  add(extension: string | null, stream: 'stdout' | 'stderr', text: string): void {
    const key = `${stream} ${extension ?? ''}`;
    const source = this.#sources.get(key) ?? { rest: '', secondStartedAt: 0, written: 0, dropped: 0 };
    this.#sources.set(key, source);
    const lines = (source.rest + text).split('\n');
    source.rest = lines.pop() ?? '';
    for (const line of lines) this.#write(source, extension, stream, line);
    // A line without end may not grow in our memory.
    const { maxLineLength } = this.#options;
    if (source.rest.length > maxLineLength + LOOK_AHEAD) {
      const safe = redact(source.rest);
      this.#write(source, extension, stream, safe);
      // What was cut is gone but for its end, where a secret may begin.
      source.rest = safe.slice(maxLineLength).slice(-LOOK_AHEAD);
    }
  }

  /** The process ended: a last line without end counts. */
  end(): void {
    for (const [key, source] of this.#sources) {
      const [stream, extension] = key.split(' ', 2) as ['stdout' | 'stderr', string];
      if (source.rest !== '') this.#write(source, extension === '' ? null : extension, stream, source.rest);
      this.#reportDropped(source, extension);
    }
    this.#sources.clear();
  }

  #write(source: Source, extension: string | null, stream: string, line: string): void {
    const now = this.#options.now();
    if (now - source.secondStartedAt >= 1_000) {
      this.#reportDropped(source, extension);
      source.secondStartedAt = now;
      source.written = 0;
    }
    if (source.written >= this.#options.maxLinesPerSecond) {
      source.dropped++;
      return;
    }
    source.written++;
    this.#options.log.warn(redact(line).slice(0, this.#options.maxLineLength).replace(/\r$/, ''), { extension, stream });
  }

  #reportDropped(source: Source, extension: string | null): void {
    if (source.dropped > 0) this.#options.log.warn(`${source.dropped} more lines were dropped`, { extension });
    source.dropped = 0;
  }
}
