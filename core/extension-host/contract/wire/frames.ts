/**
 * Frames on a byte stream: `u32 length, u8 kind, u8 0, u16 channel` (big endian), then `length` bytes. Channel 0 is the supervisor, others
 * are workers by number. The channel stands in the header so that the one who relays need not read the body, nor believe it.
 */
export const FRAME_KINDS = {
  /** Messages, one JSON value a line. */
  messages: 1,
  /** A line of JSON that describes a change of state, then the bytes of it. */
  state: 2,
  /** One call of a worker whose thread waits, or the answer to it. */
  sync: 3,
} as const;

/** Longest body that the core takes from an extension host, in bytes. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

const HEADER_BYTES = 8;
const MAX_CHANNEL = 0xffff;

export interface Frame {
  kind: number;
  channel: number;
  body: Buffer;
}

export function encodeFrame(kind: number, channel: number, body: string | readonly Uint8Array[]): Buffer {
  if (typeof body === 'string') {
    const length = Buffer.byteLength(body);
    const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
    writeHeader(frame, length, kind, channel);
    frame.write(body, HEADER_BYTES);
    return frame;
  }
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  writeHeader(
    header,
    body.reduce((sum, part) => sum + part.length, 0),
    kind,
    channel,
  );
  return Buffer.concat([header, ...body]);
}

function writeHeader(frame: Buffer, length: number, kind: number, channel: number): void {
  if (channel < 0 || channel > MAX_CHANNEL) throw new RangeError(`No channel ${channel}`);
  frame.writeUInt32BE(length, 0);
  frame[4] = kind;
  frame[5] = 0;
  frame.writeUInt16BE(channel, 6);
}

export interface FrameReaderOptions {
  /** Longest accepted body, asked at each header. A longer one is skipped as it arrives, without being kept. */
  maxBytes: () => number;
  onFrame: (frame: Frame) => void;
  onTooLarge: (channel: number, bytes: number) => void;
}

/** Cuts a byte stream into frames. The body of a frame is only valid until `onFrame` returns. */
export class FrameReader {
  readonly #options: FrameReaderOptions;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerFilled = 0;
  #missing = 0;
  #skipping = false;
  #parts: Buffer[] = [];

  constructor(options: FrameReaderOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#headerFilled < HEADER_BYTES) {
        const taken = chunk.copy(this.#header, this.#headerFilled, at, at + HEADER_BYTES - this.#headerFilled);
        this.#headerFilled += taken;
        at += taken;
        if (this.#headerFilled < HEADER_BYTES) return;
        this.#begin();
      }
      const part = chunk.subarray(at, at + this.#missing);
      at += part.length;
      this.#missing -= part.length;
      if (!this.#skipping) this.#parts.push(part);
      if (this.#missing > 0) return;
      this.#end();
    }
  }

  #begin(): void {
    this.#missing = this.#header.readUInt32BE(0);
    this.#skipping = this.#missing > this.#options.maxBytes();
    if (this.#skipping) this.#options.onTooLarge(this.#header.readUInt16BE(6), this.#missing);
  }

  #end(): void {
    const parts = this.#parts;
    const skipped = this.#skipping;
    this.#parts = [];
    this.#headerFilled = 0;
    this.#skipping = false;
    if (skipped) return;
    const [first] = parts;
    const body = parts.length === 1 && first ? first : Buffer.concat(parts);
    this.#options.onFrame({ kind: this.#header[4] ?? 0, channel: this.#header.readUInt16BE(6), body });
  }
}
