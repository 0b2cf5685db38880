import { readFileSync, readSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import { SANDBOX_FDS, type SandboxAnswer } from '../contract/sandbox.js';
import { encodeFrame, FRAME_KINDS, type Frame, FrameReader } from '../contract/wire/frames.js';
import { fromWireError } from '../contract/wire/messages.js';
import type { AnswerSource } from './answers.js';
import type { CodeSource } from './loader/code-store.js';

const LF = 0x0a;
/** The core is trusted with sizes; this only catches a broken stream. */
const MAX_FRAME_BYTES = 1024 * 1024 * 1024;
/** The one worker of such a process, which is its main thread. */
export const ONLY_WORKER = 1;

/** The pipes of a process that runs one extension on its main thread. */
export class BlockingLink implements AnswerSource {
  readonly #frames: Frame[] = [];
  readonly #answers = new FrameReader({
    maxBytes: () => MAX_FRAME_BYTES,
    // The body is only valid until this returns.
    onFrame: (frame) => this.#frames.push({ ...frame, body: Buffer.from(frame.body) }),
    onTooLarge: (_channel, bytes) => {
      throw new Error(`An answer of ${bytes} bytes`);
    },
  });
  readonly #chunk = Buffer.alloc(64 * 1024);
  readonly #readSync = readSync;
  readonly #writeSync = writeSync;
  #lastRequest = 0;

  /** `onClosed` when the core is gone: nobody is left to work for. */
  listen(onFrame: (frame: Frame) => void, onClosed: () => void): void {
    const socket = new Socket({ fd: SANDBOX_FDS.fromCore, readable: true, writable: false });
    const reader = new FrameReader({ maxBytes: () => MAX_FRAME_BYTES, onFrame, onTooLarge: onClosed });
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.on('end', onClosed);
    socket.on('error', onClosed);
  }

  send(channel: number, lines: string): void {
    this.#write(encodeFrame(FRAME_KINDS.messages, channel, lines));
  }

  sendSync(call: string): void {
    this.#write(encodeFrame(FRAME_KINDS.sync, ONLY_WORKER, call));
  }

  ask(question: object): void {
    this.#write(encodeFrame(FRAME_KINDS.state, ONLY_WORKER, JSON.stringify(question)));
  }

  wait<A extends { request: number }>(_what: string, ask: (request: number) => void): A {
    const request = ++this.#lastRequest;
    ask(request);
    for (;;) {
      const answer = toAnswer(this.#nextAnswer());
      // A late answer to a question whose caller was interrupted.
      if (answer.request === request) return answer as unknown as A;
    }
  }

  #nextAnswer(): Frame {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame) return frame;
      const bytes = this.#readSync(SANDBOX_FDS.answers, this.#chunk, 0, this.#chunk.length, null);
      if (bytes === 0) throw new CodedError(BOUNDARY_ERRORS.HOST_EXITED, 'The core is gone');
      this.#answers.push(Buffer.from(this.#chunk.subarray(0, bytes)));
    }
  }

  #write(frame: Buffer): void {
    for (let at = 0; at < frame.length; ) at += this.#writeSync(SANDBOX_FDS.toCore, frame, at);
  }
}

type Answer = { request: number; sync?: string; bytes?: Buffer; error?: unknown };

function toAnswer({ kind, body }: Frame): Answer {
  if (kind === FRAME_KINDS.sync) {
    const sync = body.toString('utf8');
    return { request: (JSON.parse(sync) as { id: number }).id, sync };
  }
  const end = body.indexOf(LF);
  const head = JSON.parse(body.toString('utf8', 0, end)) as SandboxAnswer;
  if ('error' in head) throw fromWireError(head.error);
  return { ...head, bytes: body.subarray(end + 1) };
}

/** Files are read here, where it is known which may be; what becomes of them is made outside. */
export function codeThroughCore(link: BlockingLink): CodeSource {
  let failure: unknown;
  return {
    cachedCode: (path) => {
      try {
        const source = readFileSync(path, 'utf8');
        const { bytes } = link.wait<{ request: number; bytes: Buffer }>(path, (request) =>
          link.ask({ request, code: path, source }),
        );
        return bytes.toString('utf8');
      } catch (error) {
        // Told in the next step, which knows how to say it.
        failure = error;
        return undefined;
      }
    },
    requestTranspile: () => {
      throw failure;
    },
  };
}
