import { Socket } from 'node:net';
import { encodeFrame, FRAME_KINDS, type Frame, FrameReader } from '../contract/wire/frames.js';

/** Descriptors the core opened for us: it writes on the first and reads from the second. */
export const FROM_CORE_FD = 3;
const TO_CORE_FD = 4;
/** The core is trusted with sizes; this only catches a broken stream. */
const MAX_FRAME_BYTES = 1024 * 1024 * 1024;

export interface CoreLinkOptions {
  onFrame: (frame: Frame) => void;
  /** A chunk of frames has been handled: what was gathered meanwhile can go on. */
  onIdle: () => void;
  /** The core is gone, or the pipe is broken. */
  onClosed: (why: string) => void;
}

/** The pipes to the core. */
export class CoreLink {
  readonly #in = new Socket({ fd: FROM_CORE_FD, readable: true, writable: false });
  readonly #out = new Socket({ fd: TO_CORE_FD, readable: false, writable: true });

  constructor(options: CoreLinkOptions) {
    const reader = new FrameReader({
      maxBytes: () => MAX_FRAME_BYTES,
      onFrame: options.onFrame,
      onTooLarge: (_channel, bytes) => options.onClosed(`a frame of ${bytes} bytes`),
    });
    this.#in.on('data', (chunk: Buffer) => {
      reader.push(chunk);
      options.onIdle();
    });
    this.#in.on('end', () => options.onClosed('the core closed its end'));
    this.#in.on('error', (error) => options.onClosed(error.message));
    this.#out.on('error', (error) => options.onClosed(error.message));
  }

  /** Bytes the core has not read yet. */
  get unreadBytes(): number {
    return this.#out.writableLength;
  }

  send(channel: number, lines: string): void {
    this.#out.write(encodeFrame(FRAME_KINDS.messages, channel, lines));
  }

  /** A worker's call whose thread waits for the answer. */
  sendSync(channel: number, call: string): void {
    this.#out.write(encodeFrame(FRAME_KINDS.sync, channel, call));
  }

  /** Resolves when everything sent so far is in the pipe. */
  drained(): Promise<void> {
    return new Promise((resolve) => this.#out.write('', () => resolve()));
  }
}
