import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { CodedError } from '../../../base/coded-error.js';
import { withDeadline } from '../../../base/deadline.js';
import { LineReader } from '../../../base/jsonl.js';
import { BOUNDARY_ERRORS } from '../../contract/errors.js';
import { cacheFileName, parseTranspiled } from '../../contract/transpiled-code.js';
import { fromWireError, isWireError } from '../../contract/wire/messages.js';
import { NODE_FLAGS } from '../host-process.js';

export interface CodeServerOptions {
  /** The prebuilt `transpile.js`. */
  entry: string;
  cacheDir: string;
  env: NodeJS.ProcessEnv;
}

const TRANSPILE_MS = 15_000;
const IDLE_MS = 10_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

interface Waiting {
  resolve: (file: string) => void;
  reject: (error: unknown) => void;
}

/**
 * Code for processes that may not look into the cache: from there, or made by a helper that is started when there is something to make and goes
 * when it has nothing to do. This process itself parses no source of a stranger.
 */
export class CodeServer {
  readonly #options: CodeServerOptions;
  readonly #waiting = new Map<number, Waiting>();
  #helper: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(options: CodeServerOptions) {
    this.#options = options;
  }

  /** What a worker evaluates for this source. Rejects with what the transpiler says of it. */
  async codeOf(file: string, source: string): Promise<Buffer> {
    const cached = path.join(this.#options.cacheDir, cacheFileName(file, source));
    const known = await readFile(cached).catch(() => undefined);
    if (known && parseTranspiled(known.toString('utf8'))) return known;
    return readFile(await this.#make(file, source));
  }

  dispose(): void {
    this.#end(new CodedError(BOUNDARY_ERRORS.HOST_EXITED, 'The program ends'));
  }

  async #make(file: string, source: string): Promise<string> {
    clearTimeout(this.#idle);
    const helper = this.#start();
    const id = ++this.#lastId;
    const made = new Promise<string>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    helper.stdin?.write(`${JSON.stringify({ id, path: file, source })}\n`);
    try {
      return await withDeadline(made, TRANSPILE_MS, `transpiling ${file}`);
    } catch (error) {
      // Whatever it is busy with, it is of no use to others.
      if (this.#waiting.has(id)) this.#end(error);
      throw error;
    } finally {
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.dispose(), IDLE_MS).unref();
    }
  }

  #start(): ChildProcess {
    if (this.#helper) return this.#helper;
    const { entry, cacheDir, env } = this.#options;
    const helper = spawn(process.execPath, [...NODE_FLAGS, '--max-old-space-size=512', entry, cacheDir], {
      env,
      stdio: ['pipe', 'ignore', 'inherit', 'pipe'],
      windowsHide: true,
    });
    this.#helper = helper;
    const reader = new LineReader({
      maxBytes: MAX_ANSWER_BYTES,
      onLine: (line) => this.#answered(line),
      onTooLong: () => undefined,
    });
    const answers = helper.stdio[3] as Readable;
    answers.on('data', (chunk: Buffer) => reader.push(chunk));
    for (const stream of [answers, helper.stdin]) stream?.on('error', () => undefined);
    const gone = (): void => {
      if (this.#helper === helper) this.#end(new CodedError(BOUNDARY_ERRORS.HOST_EXITED, 'The transpiler ended'));
    };
    helper.once('error', gone);
    helper.once('exit', gone);
    return helper;
  }

  #answered(line: string): void {
    const { id, file, error } = JSON.parse(line) as { id: number; file?: string; error?: unknown };
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (typeof file === 'string') waiting?.resolve(file);
    else waiting?.reject(isWireError(error) ? fromWireError(error) : new Error('The transpiler gave no answer'));
  }

  #end(error: unknown): void {
    clearTimeout(this.#idle);
    const helper = this.#helper;
    this.#helper = undefined;
    helper?.kill('SIGKILL');
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
