import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { LineReader } from '../../core/base/jsonl.js';
import { cpuMs, memoryMb } from '../boundary/figures.js';
import type { Sandbox } from './sandbox.js';

interface Reply {
  type: string;
  id?: string;
  data?: { commands?: { name: string }[] };
  assistantMessageEvent?: { type: string };
}

const WAIT_MS = 120_000;

/** One program under measure, in rpc mode, with everything that runs below it. */
export class Program {
  readonly startedAt = performance.now();
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Set<(record: Reply) => void>();
  /** By id of the request. */
  readonly #responses = new Map<string, (record: Reply) => void>();
  /** Told when the program ends. */
  readonly #abandoned = new Set<() => void>();
  bytes = 0;
  #serial = 0;

  constructor(command: readonly string[], sandbox: Sandbox, args: readonly string[] = []) {
    const [file = '', ...before] = command;
    this.#child = spawn(file, [...before, '--mode', 'rpc', ...args], { cwd: sandbox.cwd, env: sandbox.env });
    this.#child.stderr.resume();
    this.#child.stdin.on('error', () => undefined);
    this.#child.once('exit', () => {
      for (const abandon of [...this.#abandoned]) abandon();
    });
    const reader = new LineReader({
      maxBytes: 512 * 1024 * 1024,
      onLine: (line) => {
        const record = JSON.parse(line) as Reply;
        if (record.type === 'response') this.#responses.get(record.id ?? '')?.(record);
        else for (const look of [...this.#waiting]) look(record);
      },
      onTooLong: () => undefined,
    });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      reader.push(chunk);
    });
  }

  /** The next event that fits. */
  next(fits: (record: Reply) => boolean): Promise<Reply> {
    return this.#wait((resolve) => {
      const look = (record: Reply): void => {
        if (fits(record)) resolve(record);
      };
      this.#waiting.add(look);
      return () => this.#waiting.delete(look);
    });
  }

  send(command: object): void {
    this.#child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  request(command: { type: string; [field: string]: unknown }): Promise<Reply> {
    const id = `b${++this.#serial}`;
    const response = this.#wait((resolve) => {
      this.#responses.set(id, resolve);
      return () => this.#responses.delete(id);
    });
    this.send({ ...command, id });
    return response;
  }

  /** Milliseconds of a command. */
  async time(command: { type: string; [field: string]: unknown }): Promise<number> {
    const startedAt = performance.now();
    await this.request(command);
    return performance.now() - startedAt;
  }

  /** Milliseconds from the spawn until `get_commands` lists all there is. */
  async loaded(commands: number): Promise<number> {
    for (;;) {
      const { data } = await this.request({ type: 'get_commands' });
      const own = data?.commands?.filter(({ name }) => /^(?:command-|skill:skill-|template-)/.test(name)).length ?? 0;
      if (own >= commands) return performance.now() - this.startedAt;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** A prompt to its end: milliseconds to the first delta and to `agent_settled`, CPU, bytes on stdout. */
  async prompt(message: string): Promise<{ firstMs: number; ms: number; cpuMs: number; bytes: number }> {
    const before = { cpu: this.cpuMs(), bytes: this.bytes };
    const startedAt = performance.now();
    const first = this.next(({ assistantMessageEvent }) => assistantMessageEvent?.type === 'text_delta');
    const settled = this.next(({ type }) => type === 'agent_settled');
    const firstAt = first.then(() => performance.now() - startedAt);
    this.send({ type: 'prompt', message });
    await settled;
    const ms = performance.now() - startedAt;
    return { firstMs: await firstAt, ms, cpuMs: this.cpuMs() - before.cpu, bytes: this.bytes - before.bytes };
  }

  cpuMs(): number {
    return this.#tree().reduce((sum, pid) => sum + orNothing(() => cpuMs(pid)), 0);
  }

  memory(): { rss: number; pss: number } {
    const each = this.#tree().map((pid) => orNothing(() => memoryMb(pid), { rss: 0, pss: 0 }));
    return each.reduce((sum, one) => ({ rss: sum.rss + one.rss, pss: sum.pss + one.pss }), { rss: 0, pss: 0 });
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
    await exited;
    clearTimeout(timer);
  }

  /** `listen` begins to wait and gives the way to stop. Rejects after two minutes, and when the program ends. */
  #wait(listen: (resolve: (record: Reply) => void) => () => void): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void): void => {
        clearTimeout(timer);
        this.#abandoned.delete(abandon);
        stop();
        settle();
      };
      const timer = setTimeout(() => done(() => reject(new Error('nothing for two minutes'))), WAIT_MS);
      const abandon = (): void => done(() => reject(new Error('the program ended')));
      const stop = listen((record) => done(() => resolve(record)));
      this.#abandoned.add(abandon);
    });
  }

  #tree(): number[] {
    const pids = [this.#child.pid ?? 0];
    for (const pid of pids) {
      const threads = orNothing(() => readdirSync(`/proc/${pid}/task`), []);
      for (const thread of threads) {
        const children = orNothing(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8'), '');
        pids.push(...children.split(' ').filter(Boolean).map(Number));
      }
    }
    return pids;
  }
}

/** A process may end while it is looked at. */
function orNothing(look: () => number): number;
function orNothing<T>(look: () => T, otherwise: T): T;
function orNothing<T>(look: () => T, otherwise: T | 0 = 0): T | 0 {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
