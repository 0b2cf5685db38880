import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { type BuildOptions, build } from 'esbuild';
import { afterAll } from 'vitest';
import { codeOf, messageOf } from '../../../../core/base/coded-error.js';
import { createLogger } from '../../../../core/base/logger.js';
import { Transpiler } from '../../../../core/extension-host/process/transpile/transpiler.js';
import type { Failure, Request, Start } from './loader-worker.js';

export const isLinux = process.platform === 'linux';
const HERE = path.dirname(fileURLToPath(import.meta.url));

/** Stand-ins for the packages that come with the program. */
export const VIRTUAL: Record<string, string> = {
  typebox: 'export const Type = { String: () => ({ type: "string" }) }; export const from = "host";',
  'typebox/value': 'export const Value = { Check: () => true };',
  '@earendil-works/pi-ai': 'export const StringEnum = (values) => ({ enum: values }); export default "pi-ai";',
  '@earendil-works/pi-ai/compat': 'export const complete = () => "completed";',
  '@earendil-works/pi-coding-agent': 'export class Base { name() { return "base"; } } export const from = "host";',
  '@earendil-works/pi-tui': 'export class Text {}',
  '@earendil-works/pi-agent-core': 'export class Agent {}',
};

export type Files = Record<string, string | object>;

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true });
});

/** A folder that is removed when the tests of the file are done. Its real path, as systems may have their temporary folder behind a link. */
export function temporaryFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'pi-loader-')));
  folders.push(folder);
  return folder;
}

export function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const bundles = new Map<string, Promise<string>>();

/** Workers and other processes run JavaScript: a file beside this one with its imports in one, as in the product. */
export function bundleFile(name: string): Promise<string> {
  const made = bundles.get(name) ?? bundle(name, { external: ['esbuild', 'sucrase'] });
  bundles.set(name, made);
  return made;
}

/** A bundle of its own, with options of esbuild. */
export async function bundle(name: string, options: BuildOptions): Promise<string> {
  const outdir = temporaryFolder();
  // What is not bundled is found as from here.
  fs.symlinkSync(path.resolve('node_modules'), path.join(outdir, 'node_modules'));
  await build({
    entryPoints: [path.join(HERE, name)],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'silent',
    ...options,
  });
  return path.join(outdir, name.replace(/\.ts$/, '.mjs'));
}

export interface Loaded {
  names: string[];
  value: unknown;
}

/** A worker thread with a loader, and the transpiler on this side. */
export class LoaderWorker {
  readonly #worker: Worker;
  readonly #transpiler: Transpiler;
  readonly #answered: Int32Array;
  readonly #answers: MessagePort;
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: unknown) => void }>();
  #lastId = 0;
  /** Files the worker did not find in the cache. */
  readonly transpiled: string[] = [];

  static async start(cacheDir = path.join(temporaryFolder(), 'cache')): Promise<LoaderWorker> {
    return new LoaderWorker(await bundleFile('loader-worker.ts'), cacheDir);
  }

  private constructor(entry: string, cacheDir: string) {
    this.#transpiler = new Transpiler({
      cacheDir,
      log: createLogger({ room: 'test', level: 'warn', write: (line) => process.stderr.write(line) }),
    });
    const { port1, port2 } = new MessageChannel();
    this.#answers = port1;
    this.#answered = new Int32Array(new SharedArrayBuffer(4));
    const virtualFile = path.join(cacheDir, '..', 'host-package.js');
    fs.writeFileSync(virtualFile, '');
    const start: Start = { cacheDir, answered: this.#answered, answers: port2, virtual: VIRTUAL, virtualFile };
    this.#worker = new Worker(entry, { workerData: start, transferList: [port2] });
    this.#worker.on('message', (message) => this.#receive(message));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('The worker has ended')));
  }

  load(file: string): Promise<Loaded> {
    return this.#ask('load', file) as Promise<Loaded>;
  }

  async renew(): Promise<void> {
    await this.#ask('renew');
  }

  nativeChanged(): Promise<boolean> {
    return this.#ask('nativeChanged') as Promise<boolean>;
  }

  files(): Promise<string[]> {
    return this.#ask('files') as Promise<string[]>;
  }

  async preload(...specifiers: string[]): Promise<void> {
    await this.#ask('preload', ...specifiers);
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
    this.#answers.close();
    await this.#transpiler.dispose();
  }

  #ask(what: Request['do'], ...names: string[]): Promise<unknown> {
    const request: Request = { id: ++this.#lastId, do: what, names };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      this.#worker.postMessage(request);
    });
  }

  #receive(message: { transpile: string } | { id: number; result?: unknown; failure?: Failure }): void {
    if ('transpile' in message) return void this.#transpile(message.transpile);
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.failure) waiting?.reject(Object.assign(new Error(message.failure.message), message.failure));
    else waiting?.resolve(message.result);
  }

  async #transpile(file: string): Promise<void> {
    this.transpiled.push(file);
    let answer: { file: string } | { message: string; code: string | undefined };
    try {
      answer = await this.#transpiler.transpile({ path: file });
    } catch (error) {
      answer = { message: messageOf(error), code: codeOf(error) };
    }
    this.#answers.postMessage(answer);
    Atomics.add(this.#answered, 0, 1);
    Atomics.notify(this.#answered, 0);
  }

  #end(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
