import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Disposable } from '../../base/disposable.js';
import { signalGroup, startsOwnGroup } from '../../base/platform.js';
import { encodeFrame, FRAME_KINDS, type Frame, FrameReader } from '../contract/wire/frames.js';

export interface HostExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why it could not even be started. */
  error?: Error;
}

export interface HostProcessOptions {
  /** Program and arguments. */
  command: readonly [file: string, ...args: string[]];
  /** A third pipe takes answers that the process waits for without doing anything else. */
  answersApart?: boolean;
  env: NodeJS.ProcessEnv;
  cwd?: string | undefined;
  /** Longest frame taken from the host right now, in bytes. */
  maxFrameBytes: () => number;
  onFrame: (frame: Frame) => void;
  onTooLarge: (channel: number, bytes: number) => void;
  /** The process's own pipes: whatever anything in it prints. */
  onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
}

/** A small young generation costs collections and saves memory; most of a host's life is waiting. */
export const NODE_FLAGS = ['--max-semi-space-size=1', '--no-warnings'] as const;

type Pipes = [out: Readable, err: Readable, toHost: Writable, fromHost: Readable, answers: Writable | undefined];

/** A process that runs extensions: leader of its own group, with pipes of its own. */
export class HostProcess implements Disposable {
  /** Resolves when the process is gone and its pipes to us are read to the end. */
  readonly exited: Promise<HostExit>;
  readonly #child: ChildProcess;
  readonly #toHost: Writable;
  readonly #answers: Writable;
  #over = false;

  constructor(options: HostProcessOptions) {
    const [file, ...args] = options.command;
    this.#child = spawn(file, args, {
      env: options.env,
      cwd: options.cwd,
      detached: startsOwnGroup,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', ...(options.answersApart ? (['pipe'] as const) : [])],
    });
    // The pipes were asked for above: they are there, also when starting failed.
    const [, out, err, toHost, fromHost, answers] = this.#child.stdio as unknown as [null, ...Pipes];
    this.#toHost = toHost;
    this.#answers = answers ?? toHost;
    const reader = new FrameReader({
      maxBytes: options.maxFrameBytes,
      onFrame: options.onFrame,
      onTooLarge: options.onTooLarge,
    });
    fromHost.on('data', (chunk: Buffer) => reader.push(chunk));
    out.on('data', (chunk: Buffer) => options.onOutput('stdout', chunk));
    err.on('data', (chunk: Buffer) => options.onOutput('stderr', chunk));
    // Without its pipe it is of no use, whatever it still does.
    fromHost.on('end', () => this.kill());
    // EPIPE and its like: the exit says it all.
    for (const stream of [toHost, fromHost, out, err, answers]) stream?.on('error', () => undefined);
    this.exited = this.#watchExit();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Bytes the host has not read yet. */
  get unreadBytes(): number {
    return this.#toHost.writableLength + (this.#answers === this.#toHost ? 0 : this.#answers.writableLength);
  }

  send(channel: number, lines: string): void {
    if (!this.#over) this.#toHost.write(encodeFrame(FRAME_KINDS.messages, channel, lines));
  }

  /** The answer to a worker whose thread waits for it. */
  sendSync(channel: number, answer: string): void {
    if (!this.#over) this.#answers.write(encodeFrame(FRAME_KINDS.sync, channel, answer));
  }

  /** `description` and then `bytes`, as one frame of state. */
  sendState(description: string, bytes: Uint8Array): void {
    if (!this.#over) this.#answers.write(encodeFrame(FRAME_KINDS.state, 0, [Buffer.from(`${description}\n`), bytes]));
  }

  /** Ends the process and everything in its group, at once. */
  kill(): void {
    if (this.#child.pid !== undefined) signalGroup(this.#child.pid, 'SIGKILL');
  }

  async dispose(): Promise<void> {
    this.kill();
    await this.exited;
  }

  #watchExit(): Promise<HostExit> {
    return new Promise((resolve) => {
      const over = (exit: HostExit): void => {
        if (this.#over) return;
        this.#over = true;
        // What is left of the group: programs that extensions started.
        this.kill();
        resolve(exit);
        // A child that left the group may hold our pipes open for ever.
        for (const stream of this.#child.stdio) stream?.destroy();
      };
      this.#child.once('error', (error) => over({ code: null, signal: null, error }));
      // One turn later: what the dying process wrote last is in the pipes and still to be read.
      this.#child.once('exit', (code, signal) => setImmediate(() => setImmediate(() => over({ code, signal }))));
    });
  }
}
