import { MessageChannel, type MessagePort, SHARE_ENV, Worker } from 'node:worker_threads';
import { type Remote, wrap } from 'comlink';
import { messageOf } from '../../base/coded-error.js';
import type { WorkerControl, WorkerEnd } from '../contract/lifecycle.js';
import type { HostSettings } from '../contract/settings.js';
import { createSharedWords, SHARED_WORDS, versionWord } from '../contract/shared-memory.js';
import {
  STATE_TOPICS,
  type StateAnswer,
  type StateRead,
  type StateTopic,
  type SyncAnswer,
  type SyncCall,
} from '../contract/state.js';
import type { TranspileAnswer, TranspileAsk, WorkerStart } from '../contract/worker-start.js';
import { GatedEndpoint } from './gated-endpoint.js';
import { WorkerWatch } from './watch.js';

export interface WorkerThreadOptions {
  id: number;
  entry: URL;
  settings: HostSettings;
  /** More than one extension may live in it. */
  isShared: boolean;
  onLines: (lines: string) => void;
  onRead: (question: StateRead) => void;
  /** A call of the core for which the thread waits. */
  onSync: (call: string) => void;
  /** Code of a file is wanted, for which the thread waits. */
  onTranspile: (ask: TranspileAsk) => void;
  cacheDir: string;
  /** A message of no known form: dropped, as nobody can be answered. */
  onRefused: () => void;
  onSlow: (extension: string | null) => void;
  /** The thread is gone. Called once, whatever ended it. */
  onEnd: (end: WorkerEnd) => void;
  /** `terminate()` did not end it in time: nothing inside this process will. */
  onStuck: (end: WorkerEnd) => void;
}

/** One worker thread: its ports, its watch and its end. */
export class WorkerThread {
  readonly id: number;
  readonly control: Remote<WorkerControl>;
  /** Resolves when the thread runs. */
  readonly online: Promise<void>;
  readonly ended: Promise<WorkerEnd>;
  readonly #options: WorkerThreadOptions;
  readonly #words = createSharedWords();
  readonly #worker: Worker;
  readonly #endpoint: GatedEndpoint;
  readonly #answers: MessagePort;
  readonly #names: string[] = [];
  #looking: NodeJS.Timeout | undefined;
  #end: WorkerEnd | undefined;

  constructor(options: WorkerThreadOptions) {
    this.id = options.id;
    this.#options = options;
    const answers = new MessageChannel();
    this.#answers = answers.port1;
    const { settings } = options;
    const start: WorkerStart = {
      words: this.#words,
      answers: answers.port2,
      beatMs: settings.beatMs,
      loadMs: settings.loadMs,
      cacheDir: options.cacheDir,
      fixed: options.isShared,
    };
    this.#worker = new Worker(options.entry, {
      workerData: start,
      transferList: [answers.port2],
      env: SHARE_ENV,
      // What gets to these streams goes out through the process's own, never silently.
      stdout: false,
      stderr: false,
      resourceLimits: { maxOldGenerationSizeMb: settings.heapMb },
    });
    this.#endpoint = new GatedEndpoint((message) => this.#worker.postMessage(message));
    this.control = wrap<WorkerControl>(this.#endpoint);
    this.#worker.on('message', (message: unknown) => this.#receive(message));
    this.#worker.on('error', (error: unknown) => this.#note(fromError(error)));
    this.ended = new Promise((resolve) => this.#worker.once('exit', (code) => resolve(this.#finish(code))));
    const watch = new WorkerWatch({
      words: this.#words,
      settings,
      onSlow: () => options.onSlow(this.#currentExtension() ?? null),
      onSilent: (reason, silentMs) =>
        void this.terminate({ reason, message: `The worker was ${reason} and silent for ${silentMs} ms` }),
    });
    this.online = new Promise((resolve) =>
      this.#worker.once('online', () => {
        // Not before: a thread that is still being made has no beat, and that is nobody's fault.
        if (!this.#end) this.#looking = setInterval(() => watch.look(), settings.beatMs);
        resolve();
      }),
    );
  }

  post(lines: string): void {
    this.#worker.postMessage(lines);
  }

  publish(topic: StateTopic, version: number): void {
    Atomics.store(this.#words, versionWord(topic), version);
  }

  /** What the core said to a call: `{id, …}`, whose number the waiting thread knows. */
  answerSync(sync: string): void {
    const { id } = JSON.parse(sync) as { id: number };
    this.answer({ request: id, sync });
  }

  answer(answer: StateAnswer | SyncAnswer | TranspileAnswer): void {
    this.#answers.postMessage(answer);
    Atomics.add(this.#words, SHARED_WORDS.answers, 1);
    Atomics.notify(this.#words, SHARED_WORDS.answers);
  }

  /** Extensions in order of loading: shared memory names them by index. */
  named(extension: string): void {
    this.#names.push(extension);
  }

  async terminate(why: Omit<WorkerEnd, 'worker'>): Promise<void> {
    const end = this.#note(why);
    const stuck = setTimeout(() => this.#options.onStuck(end), this.#options.settings.terminateMs);
    try {
      await this.#worker.terminate();
    } finally {
      clearTimeout(stuck);
    }
  }

  #receive(message: unknown): void {
    if (typeof message === 'string') this.#options.onLines(message);
    else if (isStateRead(message)) this.#options.onRead(message);
    else if (isSyncCall(message)) this.#options.onSync(message.sync);
    else if (isTranspileAsk(message)) this.#options.onTranspile(message);
    else if (!this.#endpoint.deliver(message)) this.#options.onRefused();
  }

  /** The first reason is the true one: what follows is its consequence. */
  #note(why: Omit<WorkerEnd, 'worker'>): WorkerEnd {
    const extension = this.#currentExtension();
    this.#end ??= { ...(extension !== undefined && { extension }), ...why, worker: this.id };
    return this.#end;
  }

  #finish(code: number): WorkerEnd {
    clearInterval(this.#looking);
    const end = this.#note({ reason: 'exit', message: `The worker ended by itself with code ${code}` });
    this.#answers.close();
    this.#options.onEnd(end);
    return end;
  }

  #currentExtension(): string | undefined {
    return this.#names[Atomics.load(this.#words, SHARED_WORDS.current) - 1];
  }
}

function fromError(error: unknown): Omit<WorkerEnd, 'worker'> {
  const outOfMemory = (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const stack = error instanceof Error && typeof error.stack === 'string' ? { stack: error.stack } : {};
  return { reason: outOfMemory ? 'memory' : 'error', message: messageOf(error), ...stack };
}

function isStateRead(message: unknown): message is StateRead {
  if (typeof message !== 'object' || message === null) return false;
  const { read, since, request } = message as Record<string, unknown>;
  return STATE_TOPICS.some((topic) => topic === read) && Number.isSafeInteger(since) && Number.isSafeInteger(request);
}

function isSyncCall(message: unknown): message is SyncCall {
  return typeof message === 'object' && message !== null && typeof (message as Record<string, unknown>).sync === 'string';
}

function isTranspileAsk(message: unknown): message is TranspileAsk {
  if (typeof message !== 'object' || message === null) return false;
  const { transpile, request } = message as Record<string, unknown>;
  return typeof transpile === 'string' && Number.isSafeInteger(request);
}
