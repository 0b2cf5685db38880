import { CodedError, messageOf } from '../../base/coded-error.js';
import { withDeadline } from '../../base/deadline.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { ExtensionRef, LoadOutcome, LoadSettings, WorkerEnd, WorkerLimits } from '../contract/lifecycle.js';
import type { HostSettings } from '../contract/settings.js';
import { coreForSupervisorContract, supervisorContract } from '../contract/sides.js';
import { parseStateChange, STATE_TOPICS, type StateRead, type StateTopic } from '../contract/state.js';
import { FRAME_KINDS, type Frame } from '../contract/wire/frames.js';
import { toWireError } from '../contract/wire/messages.js';
import { Outbox } from '../contract/wire/outbox.js';
import { Peer } from '../contract/wire/peer.js';
import type { TranspileAsk } from '../contract/worker-start.js';
import type { CoreLink } from './core-link.js';
import { StateStore } from './state-store.js';
import type { Transpiler } from './transpile/transpiler.js';
import { WorkerThread } from './worker-thread.js';

export interface SupervisorOptions {
  workerEntry: URL;
  settings: HostSettings;
  transpiler: Transpiler;
  /** Ends this process and all it started, at once. */
  end: (code: number) => void;
}

const LF = 0x0a;
/** A factory that only waits holds up the next one no longer than this. */
const NEXT_FACTORY_MS = 1_000;

/** The host process's own thread: starts workers, relays between them and the core without reading, answers reads, watches. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #link: CoreLink;
  readonly #workers = new Map<number, WorkerThread>();
  readonly #state = new StateStore((topic, version) => {
    for (const worker of this.#workers.values()) worker.publish(topic, version);
    this.#answerWaiting(topic);
  });
  readonly #wanted = new Set<StateTopic>();
  #waiting: { worker: WorkerThread; question: StateRead }[] = [];
  /** What the chunk being handled holds for each worker: one message each. */
  readonly #forWorkers = new Map<number, string>();
  readonly #outbox: Outbox;
  readonly #core: Peer<typeof supervisorContract, typeof coreForSupervisorContract>;

  constructor(link: CoreLink, options: SupervisorOptions) {
    this.#link = link;
    this.#options = options;
    this.#outbox = new Outbox((lines) => link.send(0, lines));
    this.#core = new Peer({
      local: supervisorContract,
      remote: coreForSupervisorContract,
      implementation: {
        'lifecycle.start_worker': async ([id, isShared, limits]) => {
          await this.startWorker(id, isShared, limits).online;
          return null;
        },
        'lifecycle.load': ([id, settings, extensions]) => this.#load(id, settings, extensions),
        'lifecycle.unload': ([id]) => this.#running(id).control.unload(),
        'lifecycle.end_worker': async ([id]) => {
          await this.#workers.get(id)?.terminate({ reason: 'stopped', message: 'The core ends it' });
          return null;
        },
        'lifecycle.stop': () => this.#stop(),
        'lifecycle.beat': () => ({ rssBytes: process.memoryUsage.rss() }),
      },
      send: (line) => this.#outbox.add(line),
      onRefused: (error) => process.stderr.write(`extension host: ${messageOf(error)}\n`),
    });
  }

  startWorker(id: number, isShared: boolean, limits: WorkerLimits = {}): WorkerThread {
    const link = this.#link;
    const { settings } = this.#options;
    if (this.#workers.has(id)) throw new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `Worker ${id} runs already`);
    const worker = new WorkerThread({
      id,
      entry: this.#options.workerEntry,
      settings: {
        ...settings,
        heapMb: limits.heapMb ?? settings.heapMb,
        blockedMs: Math.min(limits.blockMs ?? settings.blockedMs, settings.blockedMs),
        blockedOnChildMs: limits.blockMs ?? settings.blockedOnChildMs,
      },
      isShared,
      onLines: (lines) => this.#fromWorker(worker, lines),
      onRead: (question) => this.#read(worker, question),
      onSync: (call) => link.sendSync(id, call),
      onTranspile: (ask) => void this.#transpile(worker, ask),
      cacheDir: this.#options.transpiler.cacheDir,
      onRefused: () => process.stderr.write(`extension host: worker ${id} sent a message of no known form\n`),
      onSlow: (extension) => this.#core.notify('lifecycle.slow', [id, extension]),
      onEnd: (end) => this.#workerEnded(end),
      onStuck: (end) => {
        this.#core.notify('lifecycle.ending', [end]);
        this.#outbox.flush();
        // Its own end may never come: say what is known, then go the hard way.
        void withDeadline(this.#link.drained(), 100, 'the last message').finally(() => this.#options.end(1));
      },
    });
    this.#workers.set(id, worker);
    for (const topic of STATE_TOPICS) worker.publish(topic, this.#state.version(topic));
    return worker;
  }

  ready(worker: number): void {
    this.#core.notify('lifecycle.ready', [worker]);
    this.#outbox.flush();
  }

  receive({ kind, channel, body }: Frame): void {
    if (kind === FRAME_KINDS.state) {
      const end = body.indexOf(LF);
      this.#state.apply(parseStateChange(JSON.parse(body.toString('utf8', 0, end))), body.subarray(end + 1));
    } else if (kind === FRAME_KINDS.sync) {
      this.#workers.get(channel)?.answerSync(body.toString('utf8'));
    } else if (channel === 0) {
      this.#core.receive(body.toString('utf8'));
    } else {
      const before = this.#forWorkers.get(channel);
      const lines = body.toString('utf8');
      this.#forWorkers.set(channel, before === undefined ? lines : `${before}\n${lines}`);
    }
  }

  /** Hands each worker what was gathered for it. One that is gone needs nothing: the core knows, or is about to. */
  relay(): void {
    for (const [channel, lines] of this.#forWorkers) this.#workers.get(channel)?.post(lines);
    this.#forWorkers.clear();
  }

  #fromWorker(worker: WorkerThread, lines: string): void {
    if (this.#link.unreadBytes > this.#options.settings.maxUnreadBytes) {
      void worker.terminate({ reason: 'flood', message: 'The worker sent more than the core could read' });
      return;
    }
    this.#link.send(worker.id, lines);
  }

  #read(worker: WorkerThread, question: StateRead): void {
    this.#waiting.push({ worker, question });
    if (this.#state.version(question.read) > 0) {
      this.#answerWaiting(question.read);
      return;
    }
    if (this.#wanted.has(question.read)) return;
    this.#wanted.add(question.read);
    this.#core.notify('state.wanted', [question.read]);
    this.#outbox.flush();
  }

  #answerWaiting(topic: StateTopic): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ question }) => question.read !== topic);
    for (const { worker, question } of waiting) {
      if (question.read === topic) worker.answer({ request: question.request, ...this.#state.slice(topic, question.since) });
    }
  }

  /** Always answers: the worker's thread waits. */
  async #transpile(worker: WorkerThread, { transpile, request }: TranspileAsk): Promise<void> {
    try {
      const { file } = await this.#options.transpiler.transpile({ path: transpile });
      worker.answer({ request, file });
    } catch (error) {
      worker.answer({ request, error: toWireError(error) });
    }
  }

  #running(id: number): WorkerThread {
    const worker = this.#workers.get(id);
    if (!worker) throw new CodedError(BOUNDARY_ERRORS.WORKER_EXITED, `Worker ${id} is not running`);
    return worker;
  }

  /** One after another, except that nobody waits long for a factory that itself only waits. */
  async #load(id: number, settings: LoadSettings, extensions: readonly ExtensionRef[]): Promise<LoadOutcome[]> {
    const worker = this.#running(id);
    const outcomes: Promise<LoadOutcome>[] = [];
    for (const extension of extensions) {
      worker.named(extension.name);
      const startedAt = performance.now();
      const outcome = this.#loadOne(worker, settings, extension).then((failure) => {
        const durationMs = Math.round(performance.now() - startedAt);
        return { extension: extension.name, durationMs, ...(failure && { failure }) };
      });
      outcomes.push(outcome);
      await withDeadline(outcome, NEXT_FACTORY_MS, extension.name).catch(() => undefined);
    }
    return Promise.all(outcomes);
  }

  /** The worker keeps the deadline, and the watch sees one that can't. comlink alone would wait for ever for a thread that is gone. */
  async #loadOne(worker: WorkerThread, settings: LoadSettings, extension: ExtensionRef): Promise<LoadOutcome['failure'] | null> {
    const gone = worker.ended.then((end): never => {
      throw new CodedError(BOUNDARY_ERRORS.WORKER_EXITED, end.message);
    });
    try {
      return await Promise.race([worker.control.load(extension, settings), gone]);
    } catch (error) {
      return { message: messageOf(error) };
    }
  }

  #workerEnded(end: WorkerEnd): void {
    this.#workers.delete(end.worker);
    this.#waiting = this.#waiting.filter(({ worker }) => worker.id !== end.worker);
    this.#core.notify('lifecycle.worker_ended', [end]);
    this.#outbox.flush();
  }

  async #stop(): Promise<null> {
    const workers = [...this.#workers.values()];
    const goodbyes = Promise.all(workers.map((worker) => Promise.race([worker.control.stop(), worker.ended])));
    try {
      await withDeadline(goodbyes, this.#options.settings.shutdownMs, 'shutdown handlers');
    } catch (error) {
      process.stderr.write(`extension host: ${messageOf(error)}\n`);
    }
    await Promise.all([
      ...workers.map((worker) => worker.terminate({ reason: 'stopped', message: 'The core stops' })),
      this.#options.transpiler.dispose(),
    ]);
    return null;
  }
}
