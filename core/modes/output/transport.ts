import type { Writable } from 'node:stream';
import type { JsonPiece } from '../../base/raw-json.js';
import { type OutgoingRecord, RecordQueue } from './record-queue.js';

export interface OutputOptions {
  /** Number every record (`--seq`). */
  sequenceNumbers?: boolean;
  /** The reader is gone: nothing more can be said. Called once. */
  onClosed: (error: Error) => void;
  stream?: Writable;
}

/**
 * The one owner of stdout in rpc and json mode. Everything pending goes out in one write per tick, and the next write waits until
 * the system has taken the last: what comes meanwhile is joined, not piled up.
 */
export class RecordOutput {
  readonly queue: RecordQueue;
  readonly #stream: Writable;
  #scheduled = false;
  #writing = false;
  #closed = false;
  #idle: (() => void)[] = [];

  constructor(options: OutputOptions) {
    this.queue = new RecordQueue({ sequenceNumbers: options.sequenceNumbers ?? false });
    this.#stream = options.stream ?? process.stdout;
    this.#stream.on('error', (error: Error) => {
      if (this.#closed) return;
      this.#closed = true;
      this.#release();
      options.onClosed(error);
    });
  }

  send(record: OutgoingRecord): void {
    if (this.#closed) return;
    this.queue.push(record);
    this.#schedule();
  }

  /** Resolves when everything sent so far was taken by the system, or can't be any more. */
  flushed(): Promise<void> {
    if (this.#closed || (!this.#writing && this.queue.isEmpty)) return Promise.resolve();
    this.#schedule();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#write();
    });
  }

  #write(): void {
    if (this.#closed || this.#writing) return;
    const chunks = joined(this.queue.take());
    const last = chunks.pop();
    if (last === undefined) {
      this.#release();
      return;
    }
    this.#writing = true;
    this.#stream.cork();
    for (const chunk of chunks) this.#stream.write(chunk);
    this.#stream.write(last, () => {
      this.#writing = false;
      if (this.queue.isEmpty) this.#release();
      else this.#schedule();
    });
    this.#stream.uncork();
  }

  #release(): void {
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }
}

/** Neighbouring texts as one, so that the system is asked once; bytes stay as they are. */
function joined(pieces: readonly JsonPiece[]): JsonPiece[] {
  const chunks: JsonPiece[] = [];
  let texts: string[] = [];
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      texts.push(piece);
      continue;
    }
    if (texts.length > 0) chunks.push(texts.join(''));
    texts = [];
    chunks.push(piece);
  }
  if (texts.length > 0) chunks.push(texts.join(''));
  return chunks;
}
