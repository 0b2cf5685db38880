import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program under test, as it is shipped. */
export const CLI = process.env.PI_TEST_CLI ?? fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every kind; asserting on them is the point.
export type Json = any;
export type Fits = (record: Json) => boolean;

/** A throw-away home with settings and models, and a working directory. */
export interface Sandbox {
  root: string;
  home: string;
  agentDir: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  remove(): void;
}

export interface SandboxOptions {
  settings?: object;
  /** Providers of models.json. */
  providers?: object;
  files?: Record<string, string>;
}

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const root = mkdtempSync(path.join(os.tmpdir(), 'pi-test-'));
  const home = path.join(root, 'home');
  const agentDir = path.join(home, '.pi', 'agent');
  const cwd = path.join(root, 'work');
  const tmp = path.join(root, 'tmp');
  for (const folder of [agentDir, cwd, tmp]) mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(agentDir, 'settings.json'), JSON.stringify(options.settings ?? {}));
  writeFileSync(path.join(agentDir, 'models.json'), JSON.stringify({ providers: options.providers ?? {} }));
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), text);
  }
  const env = { HOME: home, TMPDIR: tmp, PATH: process.env.PATH, LANG: 'C.UTF-8', PI_OFFLINE: '1', NO_PROXY: '127.0.0.1' };
  return { root, home, agentDir, cwd, env, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }) };
}

/** models.json providers that reach a fake LLM at `url` in each dialect, with a model `plain` and a reasoning model `thinker`. */
export function fakeProviders(url: string): object {
  const cost = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.5 };
  const models = [
    { id: 'plain', reasoning: false, input: ['text', 'image'], contextWindow: 200_000, maxTokens: 8192, cost },
    { id: 'thinker', reasoning: true, input: ['text', 'image'], contextWindow: 200_000, maxTokens: 32_000, cost },
  ];
  const provider = (api: string, baseUrl: string): object => ({ baseUrl, api, apiKey: 'fake-key', models });
  return {
    fake: provider('anthropic-messages', url),
    fakechat: provider('openai-completions', `${url}/v1`),
    fakeresp: provider('openai-responses', `${url}/v1`),
  };
}

const WAIT_MS = 15_000;

/** One `pi --mode rpc` process. */
export class PiProcess {
  readonly records: Json[] = [];
  readonly badLines: string[] = [];
  stderr = '';
  readonly child: ChildProcessWithoutNullStreams;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  #rest = '';
  #serial = 0;
  readonly #watchers = new Set<() => void>();

  /** `program` is another one than ours that speaks the same protocol: its interpreter and its file. */
  constructor(sandbox: Sandbox, args: string[], env: NodeJS.ProcessEnv = {}, program?: readonly string[]) {
    if (!program && !existsSync(CLI)) throw new Error(`${CLI} is missing: run "npm run build" first`);
    const [command = process.execPath, ...before] = program ?? [process.execPath, CLI];
    this.child = spawn(command, [...before, ...args], { cwd: sandbox.cwd, env: { ...sandbox.env, ...env } });
    this.exited = new Promise((resolve) => this.child.once('close', (code, signal) => resolve({ code, signal })));
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => this.#feed(text));
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.child.stdin.on('error', () => undefined);
    this.child.once('close', () => this.#wake());
  }

  write(data: string | Buffer): void {
    this.child.stdin.write(data);
  }

  send(command: object): void {
    this.write(`${JSON.stringify(command)}\n`);
  }

  /** Sends a command and waits for its response. */
  async request(command: { type: string; [field: string]: unknown }): Promise<Json> {
    this.#serial += 1;
    const id = command.id ?? `t${this.#serial}`;
    const from = this.records.length;
    this.send({ id, ...command });
    return this.find((record) => record.type === 'response' && record.id === id, from);
  }

  /** Sends a prompt and waits until the run settled; the events of the run. */
  async prompt(message: string, fields: object = {}): Promise<Json[]> {
    const from = this.records.length;
    const response = await this.request({ type: 'prompt', message, ...fields });
    if (!response.success) throw new Error(`the prompt was refused: ${response.error}`);
    await this.find((record) => record.type === 'agent_settled', from);
    return this.records.slice(from).filter((record) => record.type !== 'response');
  }

  /** The first record from index `from` on that fits; waits for it. */
  async find(fits: Fits, from = 0): Promise<Json> {
    const deadline = Date.now() + WAIT_MS;
    for (let at = from; ; ) {
      for (; at < this.records.length; at += 1) if (fits(this.records[at])) return this.records[at];
      if (this.child.exitCode !== null || this.child.signalCode !== null || Date.now() > deadline) {
        const seen = this.records.slice(from).map((record) => record.type);
        throw new Error(
          `not found; saw ${seen.slice(-30).join(' ')}; exit ${this.child.exitCode}; stderr: ${this.stderr.slice(-400)}`,
        );
      }
      await this.#next(deadline - Date.now());
    }
  }

  async end(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.child.stdin.end();
    return this.exited;
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.child.kill(signal);
  }

  #feed(text: string): void {
    this.#rest += text;
    for (let at = this.#rest.indexOf('\n'); at >= 0; at = this.#rest.indexOf('\n')) {
      const line = this.#rest.slice(0, at);
      this.#rest = this.#rest.slice(at + 1);
      try {
        this.records.push(JSON.parse(line));
      } catch {
        this.badLines.push(line);
      }
    }
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#watchers]) wake();
  }

  #next(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#watchers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(ms, 500));
      this.#watchers.add(done);
    });
  }
}

/** Runs the program to its end. */
export async function runPi(
  sandbox: Sandbox,
  args: string[],
  options: { stdin?: string | Buffer; env?: NodeJS.ProcessEnv } = {},
): Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: sandbox.cwd, env: { ...sandbox.env, ...options.env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })));
}
