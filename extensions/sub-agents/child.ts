import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';

/** A record of the protocol: docs/PROTOCOL.md. */
export type WireRecord = { type: string } & Record<string, unknown>;

export interface ChildOptions {
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  onRecord: (record: WireRecord) => void;
}

/** Time for a child to end by itself, and then after SIGTERM. A `pi` needs at most 1.3 s after it. */
const END_MS = 4_000;
const KILL_MS = 1_400;
const MAX_LINE_CHARS = 32 * 1024 * 1024;
const STDERR_TAIL_CHARS = 2_000;

// A group of its own: what ends this process's group would take the child before it could end what it runs itself.
const ownGroup = process.platform !== 'win32';

/**
 * A `pi` in rpc mode. It ends when its stdin does, and with it everything it runs: also when this process is killed, as the system closes the pipe.
 */
export class Child {
  /** Resolves when it is gone and its output has been read. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #options: ChildOptions;
  #rest = '';
  #stderr = '';

  constructor(options: ChildOptions) {
    this.#options = options;
    const { args, cwd, env } = options;
    this.#child = spawn(process.execPath, [process.argv[1] ?? '', ...args], { cwd, env, detached: ownGroup, windowsHide: true });
    this.exited = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#stderr += `${error.message}\n`;
        resolve({ code: null, signal: null });
      });
      this.#child.once('close', (code, signal) => resolve({ code, signal }));
    });
    const decoder = new StringDecoder('utf8');
    this.#child.stdout.on('data', (chunk: Buffer) => this.#feed(decoder.write(chunk)));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_CHARS);
    });
    // A child that has gone is told of by `exited`.
    this.#child.stdin.on('error', () => undefined);
  }

  /** The end of what it wrote on stderr. */
  get stderrTail(): string {
    return this.#stderr.trim();
  }

  send(command: object): void {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  /** Ends it, at once or in peace, and waits until it is gone. */
  async end(how: 'at once' | 'in peace'): Promise<void> {
    this.#child.stdin.end();
    if (how === 'at once') this.#child.kill('SIGTERM');
    else if (await this.#goneWithin(END_MS)) return;
    else this.#child.kill('SIGTERM');
    if (!(await this.#goneWithin(KILL_MS))) this.#killGroup();
    await this.exited;
  }

  async #goneWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, ms, false);
    });
    const gone = await Promise.race([this.exited.then(() => true), late]);
    clearTimeout(timer);
    return gone;
  }

  #killGroup(): void {
    const { pid } = this.#child;
    try {
      if (ownGroup && pid !== undefined) process.kill(-pid, 'SIGKILL');
      else this.#child.kill('SIGKILL');
    } catch (error) {
      // ESRCH: it has just gone.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  #feed(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MAX_LINE_CHARS) {
      this.#stderr += `\nIt wrote a line of more than ${MAX_LINE_CHARS} characters`;
      this.#rest = '';
      this.#killGroup();
    }
    for (const line of lines) {
      const record = toRecord(line);
      if (record) this.#options.onRecord(record);
    }
  }
}

function toRecord(line: string): WireRecord | undefined {
  if (line.trim() === '') return undefined;
  try {
    return JSON.parse(line) as WireRecord; // every record of the protocol has a type
  } catch {
    // Nothing but records is written there: the last line of a child that was killed.
    return undefined;
  }
}
