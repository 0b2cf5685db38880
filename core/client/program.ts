import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { CodedError } from '../base/coded-error.js';
import { settledWithin } from '../base/deadline.js';
import { LineReader } from '../base/jsonl.js';
import { CLIENT_ERRORS } from './errors.js';

export interface ProgramOptions {
  command: string;
  args: readonly string[];
  cwd: string | undefined;
  env: NodeJS.ProcessEnv | undefined;
  onLine: (line: string) => void;
  onStderr: (text: string) => void;
}

export interface ProgramExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

const MAX_LINE_BYTES = 1024 * 1024 * 1024;
const STDERR_TAIL_CHARS = 16 * 1024;

/** One life of the program: a child process whose stdout is lines of JSON. */
export class Program {
  readonly exited: Promise<ProgramExit>;
  readonly #child: ChildProcessWithoutNullStreams;
  #exit: ProgramExit | undefined;
  #startError: Error | undefined;
  #stderr = '';

  constructor({ command, args, cwd, env, onLine, onStderr }: ProgramOptions) {
    this.#child = spawn(command, [...args], { ...(cwd !== undefined && { cwd }), ...(env && { env }) });
    const reader = new LineReader({ maxBytes: MAX_LINE_BYTES, onLine, onTooLong: () => undefined });
    this.#child.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_CHARS);
      onStderr(text);
    });
    // The exit says what happened to it.
    this.#child.stdin.on('error', () => undefined);
    this.exited = new Promise((resolve) => {
      const done = (code: number | null, signal: NodeJS.Signals | null): void => {
        this.#exit ??= { code, signal };
        resolve(this.#exit);
      };
      this.#child.once('error', (error) => {
        this.#startError = error;
        done(null, null);
      });
      this.#child.once('close', done);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return this.#exit === undefined;
  }

  /** The last of what it wrote for people. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Why it is gone, with what it said last. */
  exitError(): CodedError {
    if (this.#startError) {
      return new CodedError(CLIENT_ERRORS.START_FAILED, `The program could not be started: ${this.#startError.message}`, {
        cause: this.#startError,
      });
    }
    const { code = null, signal = null } = this.#exit ?? {};
    const how = signal === null ? `with code ${code}` : `by ${signal}`;
    const said = this.#stderr.trim().split('\n').slice(-5).join('\n');
    return new CodedError(CLIENT_ERRORS.EXITED, `The program ended ${how}${said === '' ? '' : `: ${said}`}`, {
      data: { code, signal, stderr: this.#stderr },
    });
  }

  send(record: object): void {
    if (this.isRunning) this.#child.stdin.write(`${JSON.stringify(record)}\n`);
  }

  /** Ends its input and waits; kills it when it takes longer. */
  async stop(graceMs: number): Promise<ProgramExit> {
    this.#child.stdin.end();
    if (!(await settledWithin(this.exited, graceMs))) this.#child.kill('SIGKILL');
    return this.exited;
  }
}
