/**
 * JSON text that is already encoded: written as it is instead of being parsed and encoded again. Long text comes in pieces, made
 * when they are asked for, so that nobody has to hold or wait for the whole. The maker vouches for its syntax.
 */
export class RawJson {
  /** To be walked once. */
  readonly pieces: Iterable<string>;

  constructor(pieces: string | Iterable<string>) {
    this.pieces = typeof pieces === 'string' ? [pieces] : pieces;
  }

  /** The whole at once. */
  get text(): string {
    return [...this.pieces].join('');
  }

  /** This text with others around it. */
  within(before: string, after: string): RawJson {
    return new RawJson(around(before, this.pieces, after));
  }
}

function* around(before: string, pieces: Iterable<string>, after: string): Generator<string> {
  yield before;
  yield* pieces;
  yield after;
}
