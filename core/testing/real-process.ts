import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import path from 'node:path';
import { settledWithin, withDeadline } from '../base/deadline.js';
import { LineReader } from '../base/jsonl.js';
import type { AgentEvent } from '../protocol/events.js';
import { bundledFolder } from '../resources/bundled-folder.js';
import { argumentsFor, assertLoaded, DEFAULT_TIMEOUT_MS } from './in-process.js';
import { startScriptedModel } from './model/scripted-model.js';
import { Recording } from './recording.js';
import { createTestHome } from './test-home.js';
import {
  DrivenSession,
  type SessionDriver,
  type SessionParts,
  type TestSession,
  type TestSessionOptions,
  toReply,
} from './test-session.js';

export interface TestProcessOptions extends TestSessionOptions {
  /** More arguments for the command line. */
  args?: readonly string[];
}

/** A session in a process of its own, which can be sent anything and killed. */
export interface TestProcess extends TestSession {
  readonly pid: number | undefined;
  /** What it wrote on stderr. */
  readonly stderr: string;
  /** Lines of stdout that are no JSON: there should be none. */
  readonly badLines: readonly string[];
  /** Resolves when it is gone. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Sends a command and gives its response, also one of failure. */
  request(command: { type: string; [field: string]: unknown }): Promise<RpcResponse>;
  /** Writes bytes on its stdin as they are. */
  write(data: string | Uint8Array): void;
  /** Ends its input: it stops what it does and leaves. */
  closeInput(): void;
  kill(signal?: NodeJS.Signals): void;
}

export interface RpcResponse {
  success: boolean;
  error?: string;
  code?: string;
  data?: unknown;
}

type Fields = Record<string, unknown>;

const MAX_LINE_BYTES = 256 * 1024 * 1024;
const CLOSE_MS = 5_000;

/** Starts `pi --mode rpc` with the extension. Rejects when the extension does not load. */
export async function startTestProcess(options: TestProcessOptions): Promise<TestProcess> {
  const model = await startScriptedModel(...(options.model ?? []).map(toReply));
  const home = createTestHome(model.url, options);
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const flags = Object.entries(options.flags ?? {}).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
  const args = [path.join(bundledFolder(), 'dist', 'cli.js'), ...argumentsFor(options), ...flags, ...(options.args ?? [])];
  const child = spawn(process.execPath, args, { cwd: home.cwd, env: home.env });
  const recording = new Recording(
    options.dialogs ?? [],
    (response) => connection.send({ type: 'extension_ui_response', ...response }),
    timeoutMs,
  );
  const connection = new Connection(child, recording, timeoutMs);
  const session = new ProcessSession(connection, {
    driver: driverOf(connection),
    recording,
    model,
    home,
    warnings: connection.warnings,
  });
  try {
    // It is answered when extensions have loaded.
    await connection.call('get_commands');
    assertLoaded(await session.extensions(), connection.warnings);
    return session;
  } catch (error) {
    await session.dispose();
    throw error;
  }
}

/** The lines to and from the process. */
class Connection {
  readonly warnings: string[] = [];
  readonly badLines: string[] = [];
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stderr = '';
  readonly child: ChildProcessWithoutNullStreams;
  readonly #recording: Recording;
  readonly #timeoutMs: number;
  readonly #open = new Map<string, { resolve: (response: RpcResponse) => void; reject: (error: Error) => void }>();
  #serial = 0;
  #isGone = false;

  constructor(child: ChildProcessWithoutNullStreams, recording: Recording, timeoutMs: number) {
    this.child = child;
    this.#recording = recording;
    this.#timeoutMs = timeoutMs;
    const reader = new LineReader({
      maxBytes: MAX_LINE_BYTES,
      onLine: (line) => this.#heard(line),
      onTooLong: (bytes) => void this.badLines.push(`a line of ${bytes} bytes`),
    });
    child.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.warnings.splice(0, this.warnings.length, ...this.stderr.split('\n').filter((line) => line !== ''));
      recording.look();
    });
    // The exit says it all.
    child.stdin.on('error', () => undefined);
    this.exited = new Promise((resolve) => {
      const over = (code: number | null, signal: NodeJS.Signals | null): void => {
        this.#isGone = true;
        for (const { reject } of this.#open.values()) reject(this.#goneError());
        this.#open.clear();
        recording.end(this.#goneError());
        resolve({ code, signal });
      };
      child.once('error', () => over(null, null));
      child.once('close', over);
    });
  }

  send(record: Fields): void {
    this.child.stdin.write(`${JSON.stringify(record)}\n`);
  }

  request({ type, ...fields }: Fields & { type: string }): Promise<RpcResponse> {
    if (this.#isGone) return Promise.reject(this.#goneError());
    this.#serial += 1;
    const id = `kit-${this.#serial}`;
    const response = new Promise<RpcResponse>((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
    });
    this.send({ ...fields, type, id });
    return withDeadline(response, this.#timeoutMs, `The command ${type}`).finally(() => this.#open.delete(id));
  }

  /** The data of a success; rejects with the error of a failure. */
  async call(type: string, fields: Fields = {}): Promise<Fields> {
    const { success, error, code, data } = await this.request({ ...fields, type });
    if (!success) throw Object.assign(new Error(error ?? `${type} failed`), { code });
    return (data ?? {}) as Fields;
  }

  #heard(line: string): void {
    let record: Fields & { type?: unknown; id?: unknown };
    try {
      record = JSON.parse(line) as Fields;
    } catch {
      // Kept for the test to see.
      this.badLines.push(line);
      return;
    }
    if (record.type === 'response') this.#open.get(String(record.id))?.resolve(record as unknown as RpcResponse);
    else if (record.type === 'extension_ui_request' || record.type === 'extension_ui_cancel') {
      const { type, ...fields } = record;
      this.#recording.ui(String(type), { ...fields, id: String(record.id) });
    } else this.#recording.event(record as unknown as AgentEvent);
  }

  #goneError(): Error {
    return new Error(`The process is gone${this.stderr === '' ? '' : `: ${this.stderr.trimEnd().slice(-2_000)}`}`);
  }
}

function driverOf(connection: Connection): SessionDriver {
  const list = async (type: string, member: string): Promise<never[]> => {
    const { [member]: found } = await connection.call(type);
    // The protocol says what they are; the kit's own types repeat it.
    return found as never[];
  };
  return {
    prompt: async (message, images, whileRunning) => {
      const how = whileRunning === undefined ? {} : { streamingBehavior: whileRunning };
      const { disposition } = await connection.call('prompt', { message, ...(images && { images }), ...how });
      return disposition as 'started';
    },
    abort: async () => void (await connection.call('abort')),
    reload: async () => void (await connection.call('reload')),
    newSession: async () => void (await connection.call('new_session')),
    entries: () => list('get_entries', 'entries'),
    extensions: () => list('get_extensions', 'extensions'),
    tools: () => list('get_tools', 'tools'),
    commands: () => list('get_commands', 'commands'),
    close: async () => {
      connection.child.stdin.end();
      if (!(await settledWithin(connection.exited, CLOSE_MS))) connection.child.kill('SIGKILL');
      await connection.exited;
    },
  };
}

class ProcessSession extends DrivenSession implements TestProcess {
  readonly #connection: Connection;

  constructor(connection: Connection, parts: SessionParts) {
    super(parts);
    this.#connection = connection;
  }

  get pid(): number | undefined {
    return this.#connection.child.pid;
  }

  get stderr(): string {
    return this.#connection.stderr;
  }

  get badLines(): readonly string[] {
    return this.#connection.badLines;
  }

  get exited(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return this.#connection.exited;
  }

  request(command: { type: string; [field: string]: unknown }): Promise<RpcResponse> {
    return this.#connection.request(command);
  }

  write(data: string | Uint8Array): void {
    this.#connection.child.stdin.write(data);
  }

  closeInput(): void {
    this.#connection.child.stdin.end();
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.#connection.child.kill(signal);
  }
}
