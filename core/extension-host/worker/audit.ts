import childProcess from 'node:child_process';
import fs, { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import workerThreads from 'node:worker_threads';
import { eventNeed, MEMBER_NEEDS, type Need, STATE_NEEDS } from '../contract/capabilities.js';
import type { BridgedRegistrations } from '../contract/registrations.js';
import type { StateTopic } from '../contract/state.js';

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

const READS = [
  'readFile',
  'open',
  'readdir',
  'stat',
  'lstat',
  'access',
  'opendir',
  'createReadStream',
  'exists',
  'readlink',
  'watch',
];
const WRITES = [
  'writeFile',
  'appendFile',
  'mkdir',
  'rm',
  'rmdir',
  'unlink',
  'rename',
  'truncate',
  'createWriteStream',
  'chmod',
  'utimes',
];
const PROGRAMS = ['spawn', 'exec', 'execFile', 'fork', 'spawnSync', 'execSync', 'execFileSync'];

/**
 * Writes down what an extension uses that it would have to be granted: a JSON line for each thing and place, `{capability, site}`. For one run
 * with everything allowed; it is easy to get around, and keeps nothing from anything.
 */
export class Audit {
  readonly #file: string;
  readonly #extension: () => string;
  readonly #seen = new Set<string>();
  readonly #append = appendFileSync;
  #isBusy = false;

  /** `extension` is the path of its file; empty before it is loaded. */
  constructor(file: string, extension: () => string) {
    this.#file = file;
    this.#extension = extension;
  }

  /** A call of the core is about to go out. */
  member(name: string, args: readonly unknown[]): void {
    if (name === 'register.all') this.#registrations(args[1] as BridgedRegistrations);
    else if (name === 'hooks.subscribed') this.#need(eventNeed(String(args[1])), args);
    else if (Object.hasOwn(MEMBER_NEEDS, name)) this.#need(MEMBER_NEEDS[name as keyof typeof MEMBER_NEEDS], args);
  }

  state(topic: StateTopic): void {
    this.#need(STATE_NEEDS[topic], []);
  }

  /** Puts recording versions in the place of Node's. */
  install(): void {
    for (const [names, kind] of [
      [READS, 'fs:read'],
      [WRITES, 'fs:write'],
    ] as const) {
      for (const name of names.flatMap((one) => [one, `${one}Sync`])) this.#wrap(fs, name, (place) => this.#place(kind, place));
      for (const name of names) this.#wrap(fs.promises, name, (place) => this.#place(kind, place));
    }
    for (const name of PROGRAMS)
      this.#wrap(childProcess, name, (command) => this.used(`exec:${String(command).split(' ')[0]}`, 'with pi.exec'));
    for (const name of ['connect', 'createConnection'])
      this.#wrap(net, name, (target) => {
        const { host = 'localhost', port } = (typeof target === 'object' && target !== null ? target : {}) as {
          host?: string;
          port?: number;
        };
        this.used(`net:${host}${port === undefined ? '' : `:${port}`}`, 'with fetch');
      });
    const { fetch } = globalThis;
    globalThis.fetch = (input, init) => {
      this.used(`net:${new URL(input instanceof Request ? input.url : String(input)).host}`);
      return fetch(input, init);
    };
    const { Worker } = workerThreads;
    workerThreads.Worker = new Proxy(Worker, {
      construct: (target, args, self) => {
        this.used('workers');
        return Reflect.construct(target, args, self) as object;
      },
    });
    syncBuiltinESMExports();
    process.env = new Proxy(process.env, {
      get: (target, name) => {
        if (typeof name === 'string' && !HARMLESS.test(name)) this.used(`env:${name}`);
        return target[name as string];
      },
    });
  }

  /** Noted where the extension's own code is on the stack: else it is ours. */
  used(capability: string, how?: string): void {
    const extension = this.#extension();
    if (this.#isBusy || extension === '') return;
    this.#isBusy = true;
    const limit = Error.stackTraceLimit;
    try {
      const folder = path.dirname(extension);
      Error.stackTraceLimit = STACK_FRAMES;
      const { stack = '' } = new Error();
      Error.stackTraceLimit = limit;
      // A program gets them all.
      if (capability.startsWith('env:') && stack.includes('node:child_process')) return;
      const frame = stack.split('\n').find((line) => line.includes(`${folder}${path.sep}`));
      const site = /\(?([^()\s]+:\d+):\d+\)?$/.exec(frame ?? '')?.[1];
      if (site === undefined && !ALWAYS.test(capability)) return;
      const key = `${capability} ${site}`;
      if (this.#seen.has(key)) return;
      this.#seen.add(key);
      const line = JSON.stringify({ capability, site: site ?? extension, ...(how !== undefined && { how }) });
      this.#append(this.#file, `${line}\n`);
    } finally {
      this.#isBusy = false;
    }
  }

  #registrations({ events, tools, commands, providers }: BridgedRegistrations): void {
    for (const event of events) this.#need(eventNeed(event), []);
    if (tools.length > 0) this.used('tools');
    if (commands.length > 0) this.used('commands');
    if (providers.length > 0) this.used('provider');
  }

  #need({ anyOf }: Need, args: readonly unknown[]): void {
    const [first] = anyOf === 'nothing' || anyOf === 'trust' ? [] : anyOf;
    if (first === undefined) return;
    const program = (args[1] as { command?: unknown } | undefined)?.command;
    this.used(first === 'exec:*' ? `exec:${String(program)}` : first.replace('{1}', String(args[1])));
  }

  #place(kind: 'fs:read' | 'fs:write', place: unknown): void {
    if (typeof place !== 'string' && !(place instanceof URL)) return;
    const file = path.resolve(place instanceof URL ? fileURLToPath(place) : place);
    if (file !== this.#extension() && file !== this.#file) this.used(`${kind}:${file}`);
  }

  #wrap(owner: object, name: string, note: (first: unknown) => void): void {
    const real = (owner as Record<string, unknown>)[name];
    if (typeof real !== 'function') return;
    const wrapped: AnyFunction = function (this: unknown, ...args) {
      note(args[0]);
      return (real as AnyFunction).apply(this, args);
    };
    // `promisify` and others read what is attached to it.
    Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(real));
    (owner as Record<string, unknown>)[name] = wrapped;
  }
}

/** Between the extension and what it uses lies some code of ours. */
const STACK_FRAMES = 60;
/** What is told by our own code, when the factory is done. */
const ALWAYS = /^(?:tools|commands|provider|hooks:\w+)$/;
/** Variables every restricted extension has. */
const HARMLESS = /^(?:PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|HOME|TMPDIR|NODE_.*)$/;
