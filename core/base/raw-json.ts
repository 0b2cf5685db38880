import { escapeSeparators } from './jsonl.js';

/** Part of a JSON text. Bytes are UTF-8 that is written as it is: without U+2028, U+2029 and U+0085, or with them escaped. */
export type JsonPiece = string | Buffer;

/** Pieces are gathered up to this many bytes: enough for few writes, little enough that nobody waits for one. */
const BATCH_BYTES = 256 * 1024;

/**
 * JSON text that is already encoded: written as it is instead of being parsed and encoded again. Long text comes in pieces, made
 * when they are asked for, so that nobody has to hold or wait for the whole. The maker vouches for its syntax.
 */
export class RawJson {
  /** To be walked once. */
  readonly pieces: Iterable<JsonPiece>;

  constructor(pieces: string | Iterable<JsonPiece>) {
    this.pieces = typeof pieces === 'string' ? [pieces] : pieces;
  }

  /** The whole at once. */
  get text(): string {
    return textOf(this.pieces);
  }

  /** This text with others around it. */
  within(before: string, after: string): RawJson {
    return new RawJson(around(before, this.pieces, after));
  }
}

/** Pieces as one text. */
export function textOf(pieces: Iterable<JsonPiece>): string {
  let text = '';
  for (const piece of pieces) text += typeof piece === 'string' ? piece : piece.toString('utf8');
  return text;
}

/** Many small pieces as fewer large ones, of bytes. */
export function* inBatches(pieces: Iterable<JsonPiece>): Generator<Buffer> {
  let batch: Buffer[] = [];
  let size = 0;
  for (const piece of pieces) {
    const bytes = typeof piece === 'string' ? Buffer.from(escapeSeparators(piece)) : piece;
    batch.push(bytes);
    size += bytes.length;
    if (size < BATCH_BYTES) continue;
    yield Buffer.concat(batch, size);
    batch = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(batch, size);
}

function* around(before: string, pieces: Iterable<JsonPiece>, after: string): Generator<JsonPiece> {
  yield before;
  yield* pieces;
  yield after;
}
