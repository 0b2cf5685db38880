import { CodedError, messageOf } from '../../base/coded-error.js';
import type { Logger } from '../../base/logger.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { ExtensionRef, HostEnd, LoadOutcome, LoadSettings, WorkerEnd, WorkerLimits } from '../contract/lifecycle.js';
import type { HostSettings, HostStart } from '../contract/settings.js';
import { coreForSupervisorContract, supervisorContract } from '../contract/sides.js';
import { FRAME_KINDS, type Frame, MAX_BODY_BYTES } from '../contract/wire/frames.js';
import { Outbox } from '../contract/wire/outbox.js';
import { Peer } from '../contract/wire/peer.js';
import type { Gate } from './capability-gate.js';
import { Heartbeat } from './heartbeat.js';
import type { HostConnection } from './host-connection.js';
import { type HostExit, HostProcess, NODE_FLAGS } from './host-process.js';
import { OutputLog } from './output-log.js';
import { StateFeed, type StateSources } from './state-feed.js';
import { type CoreAtOnce, type CoreForExtensions, WorkerBridge } from './worker-bridge.js';

/** The worker every host starts with. */
export const FIRST_WORKER = 1;
/** Silence of the supervisor after which the process is killed. */
const HOST_SILENT_MS = 5_000;

export interface ConnectionOptions {
  /** The prebuilt `host.js`; `worker.js` lies beside it. */
  entry: string;
  settings: HostSettings;
  /** Folder for transpiled code, which processes share. */
  cacheDir: string;
  /** Files that will be loaded: they are transpiled while the worker starts. */
  prepare?: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd?: string | undefined;
  sources: StateSources;
  log: Logger;
  /** Extensions share its first worker. */
  isShared: boolean;
  onSlow: (worker: number, extension: string | null) => void;
  onWorkerEnd: (end: WorkerEnd) => void;
  core: Omit<CoreForExtensions, 'logs.printed'>;
  atOnce: CoreAtOnce;
  onSubscribed: (extension: string, event: string, active: boolean) => void;
  gate: Gate;
  /** Whether the extension lives in this worker. */
  owns: (worker: number, extension: string) => boolean;
}

/** One life of the extension-host process, from its start to its exit: the pipes, the channels and all that is pending on them. */
export class Connection implements HostConnection {
  readonly isOneWorker = false;
  readonly isRefused = false;
  readonly ready: Promise<void>;
  readonly exited: Promise<HostEnd>;
  readonly #options: ConnectionOptions;
  readonly #process: HostProcess;
  readonly #output: OutputLog;
  readonly #feed: StateFeed;
  readonly #outbox: Outbox;
  readonly #supervisor: Peer<typeof coreForSupervisorContract, typeof supervisorContract>;
  readonly #workers = new Map<number, WorkerBridge>();
  readonly #heartbeat: Heartbeat;
  #lastWords: WorkerEnd | undefined;
  #killedFor: string | undefined;
  #becomeReady: () => void = () => undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#output = new OutputLog({ log: options.log });
    const start: HostStart = {
      settings: options.settings,
      cacheDir: options.cacheDir,
      isShared: options.isShared,
      prepare: [...(options.prepare ?? [])],
    };
    this.#process = new HostProcess({
      command: [process.execPath, ...NODE_FLAGS, options.entry, JSON.stringify(start)],
      env: options.env,
      cwd: options.cwd,
      maxFrameBytes: () => MAX_BODY_BYTES,
      onFrame: (frame) => this.#receive(frame),
      onTooLarge: (channel, bytes) =>
        this.#refuse(channel, new CodedError(BOUNDARY_ERRORS.TOO_LARGE, `A frame of ${bytes} bytes`)),
      onOutput: (stream, chunk) => this.#output.add(null, stream, chunk.toString('utf8')),
    });
    this.#outbox = new Outbox((lines) => this.#process.send(0, lines));
    this.#feed = new StateFeed(options.sources, (change, bytes) => this.#process.sendState(JSON.stringify(change), bytes));
    this.#supervisor = new Peer({
      local: coreForSupervisorContract,
      remote: supervisorContract,
      implementation: {
        'lifecycle.ready': () => this.#becomeReady(),
        'lifecycle.slow': ([worker, extension]) => options.onSlow(worker, extension),
        'lifecycle.worker_ended': ([end]) => this.#workerEnded(end),
        'lifecycle.ending': ([end]) => {
          this.#lastWords = end;
        },
        'state.wanted': ([topic]) => this.#feed.want(topic),
      },
      send: (line) => this.#outbox.add(line),
      onRefused: (error) => this.#refuse(0, error),
    });
    this.#workers.set(FIRST_WORKER, this.#bridge(FIRST_WORKER));
    this.ready = new Promise((resolve) => {
      this.#becomeReady = resolve;
    });
    this.#heartbeat = new Heartbeat({
      everyMs: options.settings.beatMs,
      silentMs: HOST_SILENT_MS,
      ask: async () => this.#limitMemory(await this.#supervisor.call('lifecycle.beat', [])),
      onSilent: () => this.#kill(`it was silent for ${HOST_SILENT_MS} ms`),
    });
    this.exited = this.#process.exited.then((exit) => this.#close(exit));
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get feed(): StateFeed {
    return this.#feed;
  }

  /** Running workers, by number. */
  get workers(): ReadonlyMap<number, WorkerBridge> {
    return this.#workers;
  }

  async startWorker(id: number, isShared: boolean, limits: WorkerLimits): Promise<void> {
    this.#workers.set(id, this.#bridge(id));
    await this.#supervisor.call('lifecycle.start_worker', [id, isShared, limits]);
  }

  load(worker: number, settings: LoadSettings, extensions: readonly ExtensionRef[]): Promise<LoadOutcome[]> {
    return this.#supervisor.call('lifecycle.load', [worker, settings, [...extensions]]);
  }

  /** Ends the instances in a worker. False when the worker itself can't be used again. */
  unload(worker: number): Promise<boolean> {
    return this.#supervisor.call('lifecycle.unload', [worker]);
  }

  /** Ends a worker that is no longer wanted. */
  async endWorker(worker: number): Promise<void> {
    const bridge = this.#workers.get(worker);
    this.#workers.delete(worker);
    bridge?.close(new CodedError(BOUNDARY_ERRORS.WORKER_EXITED, 'The extension worker was ended'));
    await this.#supervisor.call('lifecycle.end_worker', [worker]);
  }

  /** Asks for an orderly end, waits `graceMs` for it, then kills. Resolves when the process is gone. */
  async stop(graceMs: number): Promise<void> {
    try {
      await this.#supervisor.call('lifecycle.stop', [], { deadlineMs: graceMs });
    } catch (error) {
      this.#options.log.debug('The extension host did not stop in time', { error: messageOf(error) });
    }
    await this.dispose();
  }

  /** At once, without waiting. */
  kill(reason?: string): void {
    this.#killedFor ??= reason;
    this.#process.kill();
  }

  async dispose(): Promise<void> {
    this.#process.kill();
    await this.exited;
  }

  #bridge(id: number): WorkerBridge {
    return new WorkerBridge({
      send: (lines) => this.#sendToWorker(id, lines),
      sendSync: (answer) => {
        const pending = this.#feed.flush();
        if (pending) void pending.then(() => this.#process.sendSync(id, answer));
        else this.#process.sendSync(id, answer);
      },
      core: {
        ...this.#options.core,
        'logs.printed': ([extension, stream, text]) => this.#output.add(extension, stream, text),
      },
      atOnce: this.#options.atOnce,
      owns: (extension) => this.#options.owns(id, extension),
      onSubscribed: this.#options.onSubscribed,
      gate: this.#options.gate,
      onRefused: (error) => this.#refuse(id, error),
    });
  }

  #sendToWorker(id: number, lines: string): void {
    // Commands for the supervisor that were given earlier in this tick go first, and the state that the lines tell of.
    this.#outbox.flush();
    void this.#feed.flush();
    this.#process.send(id, lines);
    if (this.#process.unreadBytes > this.#options.settings.maxUnreadBytes) this.#kill('it does not read what it is sent');
  }

  #limitMemory({ rssBytes }: { rssBytes: number }): void {
    const { rssMb } = this.#options.settings;
    if (rssBytes > rssMb * 1024 * 1024) this.#kill(`it uses more than ${rssMb} MB of memory`);
  }

  #kill(reason: string): void {
    this.#killedFor ??= reason;
    this.#process.kill();
  }

  #receive({ kind, channel, body }: Frame): void {
    if (kind === FRAME_KINDS.sync && channel !== 0) {
      this.#workers.get(channel)?.receiveSync(body.toString('utf8'));
      return;
    }
    const receiver = channel === 0 ? this.#supervisor : this.#workers.get(channel);
    if (kind !== FRAME_KINDS.messages || !receiver) {
      this.#refuse(channel, new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `A frame of kind ${kind} on channel ${channel}`));
      return;
    }
    receiver.receive(body.toString('utf8'));
  }

  #workerEnded(end: WorkerEnd): void {
    const bridge = this.#workers.get(end.worker);
    if (!bridge) return;
    this.#workers.delete(end.worker);
    const data = { reason: end.reason, ...(end.extension !== undefined && { extension: end.extension }) };
    bridge.close(new CodedError(BOUNDARY_ERRORS.WORKER_EXITED, `The extension worker ended: ${end.message}`, { data }));
    this.#options.onWorkerEnd(end);
  }

  #close(exit: HostExit): HostEnd {
    this.#heartbeat.dispose();
    const end = toHostEnd(exit, this.#lastWords, this.#killedFor);
    const error = new CodedError(BOUNDARY_ERRORS.HOST_EXITED, end.message, { cause: exit.error });
    this.#supervisor.close(error);
    for (const worker of this.#workers.values()) worker.close(error);
    this.#workers.clear();
    this.#output.end();
    return end;
  }

  #refuse(channel: number, error: unknown): void {
    this.#output.add(null, 'stderr', `refused from channel ${channel}: ${messageOf(error)}\n`);
  }
}

function toHostEnd({ code, signal, error }: HostExit, lastWords: WorkerEnd | undefined, killedFor: string | undefined): HostEnd {
  if (error) return { reason: 'host', message: `The extension host could not be started: ${error.message}` };
  if (killedFor !== undefined) return { reason: 'host', message: `The extension host was killed: ${killedFor}` };
  const how = `The extension host ended ${signal ? `by ${signal}` : `with code ${code}`}`;
  if (!lastWords) return { reason: 'host', message: how };
  const { message, extension } = lastWords;
  return { reason: 'host', message: `${how}: ${message}`, ...(extension !== undefined && { extension }) };
}
