import { CodedError, codeOf, messageOf } from '../../../base/coded-error.js';
import type { Logger } from '../../../base/logger.js';
import { BOUNDARY_ERRORS } from '../../contract/errors.js';
import type { ExtensionRef, HostEnd, LoadOutcome, LoadSettings } from '../../contract/lifecycle.js';
import { parseQuestion, type SandboxAnswer } from '../../contract/sandbox.js';
import type { HostSettings } from '../../contract/settings.js';
import { coreForSupervisorContract, supervisorContract } from '../../contract/sides.js';
import { FRAME_KINDS, type Frame, MAX_BODY_BYTES } from '../../contract/wire/frames.js';
import { toWireError } from '../../contract/wire/messages.js';
import { Outbox } from '../../contract/wire/outbox.js';
import { Peer } from '../../contract/wire/peer.js';
import type { CapabilityGate } from '../capability-gate.js';
import type { ExtensionRecord } from '../extension-record.js';
import type { HostConnection } from '../host-connection.js';
import { type HostExit, HostProcess } from '../host-process.js';
import { OutputLog } from '../output-log.js';
import type { StateSources } from '../state-feed.js';
import { type CoreAtOnce, type CoreForExtensions, WorkerBridge } from '../worker-bridge.js';
import type { CodeServer } from './code-server.js';
import { planLaunch } from './launch.js';
import { SandboxWatch } from './sandbox-watch.js';
import { StateServer } from './state-server.js';

const ONLY_WORKER = 1;

export interface SandboxConnectionOptions {
  record: ExtensionRecord;
  /** The prebuilt `restricted.js`. */
  entry: string;
  settings: HostSettings;
  env: NodeJS.ProcessEnv;
  cwd: string;
  sources: StateSources;
  code: CodeServer;
  gate: CapabilityGate;
  core: Omit<CoreForExtensions, 'logs.printed'>;
  atOnce: CoreAtOnce;
  onSubscribed: (extension: string, event: string, active: boolean) => void;
  onSlow: (extension: string) => void;
  /** Something less than promised, for people. */
  warn: (text: string) => void;
  log: Logger;
}

/**
 * The process of one extension that is not trusted. All it says is about itself: whatever it claims of workers or of other extensions counts for
 * nothing.
 */
export class SandboxConnection implements HostConnection {
  readonly isOneWorker = true;
  isRefused = false;
  readonly ready: Promise<void>;
  readonly exited: Promise<HostEnd>;
  readonly feed: StateServer;
  readonly #options: SandboxConnectionOptions;
  readonly #output: OutputLog;
  readonly #outbox: Outbox;
  readonly #peer: Peer<typeof coreForSupervisorContract, typeof supervisorContract>;
  readonly #workers = new Map<number, WorkerBridge>();
  #process: HostProcess | undefined;
  #watch: SandboxWatch | undefined;
  #killedFor: string | undefined;
  #isKilled = false;
  #becomeReady: () => void = () => undefined;

  constructor(options: SandboxConnectionOptions) {
    this.#options = options;
    this.feed = new StateServer(options.sources);
    this.#output = new OutputLog({ log: options.log });
    this.#outbox = new Outbox((lines) => this.#process?.send(0, lines));
    this.#peer = new Peer({
      local: coreForSupervisorContract,
      remote: supervisorContract,
      implementation: {
        'lifecycle.ready': () => this.#becomeReady(),
        // There are no workers, and who is to blame is known.
        'lifecycle.slow': () => undefined,
        'lifecycle.worker_ended': () => undefined,
        'lifecycle.ending': () => undefined,
        'state.wanted': () => undefined,
      },
      send: (line) => this.#outbox.add(line),
      onRefused: (error) => this.#refuse(error),
    });
    this.#workers.set(ONLY_WORKER, this.#bridge());
    this.ready = new Promise((resolve) => {
      this.#becomeReady = resolve;
    });
    this.exited = this.#run();
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get workers(): ReadonlyMap<number, WorkerBridge> {
    return this.#workers;
  }

  async startWorker(): Promise<void> {
    throw new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, 'This process has one extension and no workers');
  }

  async load(worker: number, settings: LoadSettings, extensions: readonly ExtensionRef[]): Promise<LoadOutcome[]> {
    const outcomes = await this.#peer.call('lifecycle.load', [worker, settings, [...extensions]]);
    return outcomes.filter(({ extension }) => extension === this.#options.record.name).slice(0, 1);
  }

  unload(worker: number): Promise<boolean> {
    return this.#peer.call('lifecycle.unload', [worker]);
  }

  endWorker(): Promise<void> {
    return this.dispose();
  }

  async stop(graceMs: number): Promise<void> {
    try {
      if (this.#process) await this.#peer.call('lifecycle.stop', [], { deadlineMs: graceMs });
    } catch (error) {
      this.#options.log.debug('A restricted extension did not stop in time', { error: messageOf(error) });
    }
    await this.dispose();
  }

  kill(reason?: string): void {
    this.#killedFor ??= reason;
    this.#isKilled = true;
    this.#process?.kill();
  }

  async dispose(): Promise<void> {
    this.kill();
    await this.exited;
  }

  async #run(): Promise<HostEnd> {
    const { record, entry, settings, env, cwd, warn } = this.#options;
    const { spec } = record;
    const { name, level, grants, limits } = spec;
    try {
      if (!grants || level === 'trusted') throw new Error(`${name} is trusted`);
      const { auditFile } = spec;
      const start = {
        ...(auditFile !== undefined && { auditFile }),
        loadMs: limits?.loadMs ?? settings.loadMs,
        shutdownMs: settings.shutdownMs,
      };
      const heapMb = limits?.heapMb ?? HEAP_MB;
      const launch = await planLaunch({ level, name, entry, grants, heapMb, cwd, env, start });
      for (const warning of launch.warnings) warn(warning);
      if (this.#isKilled) return this.#close({ code: null, signal: 'SIGKILL' });
      this.#process = new HostProcess({
        ...launch,
        answersApart: true,
        maxFrameBytes: () => MAX_BODY_BYTES,
        onFrame: (frame) => this.#receive(frame),
        onTooLarge: (_channel, bytes) => this.#refuse(new CodedError(BOUNDARY_ERRORS.TOO_LARGE, `A frame of ${bytes} bytes`)),
        onOutput: (stream, chunk) => this.#output.add(name, stream, chunk.toString('utf8')),
      });
      this.#outbox.flush();
      void this.ready.then(() => this.#startWatch(heapMb));
      return this.#close(await this.#process.exited);
    } catch (error) {
      return this.#close({ code: null, signal: null, error: error instanceof Error ? error : new Error(messageOf(error)) });
    }
  }

  #startWatch(heapMb: number): void {
    if (this.#isKilled || !this.#process) return;
    const { settings, record, onSlow } = this.#options;
    const blockedMs = record.spec.limits?.blockMs ?? settings.blockedMs;
    this.#watch = new SandboxWatch({
      settings: { ...settings, blockedMs, rssMb: Math.min(settings.rssMb, heapMb + OUTSIDE_HEAP_MB) },
      pid: () => this.pid,
      ask: () => this.#peer.call('lifecycle.beat', []),
      onSlow: () => onSlow(record.name),
      onBad: (reason) => this.kill(reason),
    });
  }

  #bridge(): WorkerBridge {
    const { core, atOnce, onSubscribed, gate, record } = this.#options;
    return new WorkerBridge({
      send: (lines) => {
        // Commands that were given earlier in this tick go first.
        this.#outbox.flush();
        this.#process?.send(ONLY_WORKER, lines);
        this.#limitUnread();
      },
      sendSync: (answer) => {
        this.#process?.sendSync(ONLY_WORKER, answer);
        this.#limitUnread();
      },
      core: { ...core, 'logs.printed': ([, stream, text]) => this.#output.add(record.name, stream, text) },
      atOnce,
      onSubscribed,
      gate,
      speaker: record.name,
      owns: (extension) => extension === record.name,
      onRefused: (error) => this.#refuse(error),
    });
  }

  #receive({ kind, channel, body }: Frame): void {
    const text = body.toString('utf8');
    if (channel === 0 && kind === FRAME_KINDS.messages) this.#peer.receive(text);
    else if (channel !== ONLY_WORKER) this.#refuse(new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `A frame on channel ${channel}`));
    else if (kind === FRAME_KINDS.messages) this.#workers.get(ONLY_WORKER)?.receive(text);
    else if (kind === FRAME_KINDS.sync) this.#workers.get(ONLY_WORKER)?.receiveSync(text);
    else if (kind === FRAME_KINDS.state) void this.#answer(text);
    else this.#refuse(new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `A frame of kind ${kind}`));
  }

  /** The process waits: whatever is wrong with its question, it gets an answer where it has a number. */
  async #answer(text: string): Promise<void> {
    const { gate, code, record } = this.#options;
    let request = 0;
    try {
      const question = parseQuestion(text);
      request = question.request;
      if ('read' in question) {
        gate.assertState(record.name, question.read);
        this.#workers.get(ONLY_WORKER)?.flush();
        const { bytes, version, reset } = await this.feed.read(question.read, question.since);
        this.#say({ request, version, reset }, bytes);
      } else this.#say({ request }, await code.codeOf(question.code, question.source));
    } catch (error) {
      if (request === 0) this.#refuse(error);
      else this.#say({ request, error: { ...toWireError(error), code: codeOf(error) ?? BOUNDARY_ERRORS.THREW } }, NOTHING);
    }
  }

  #say(answer: SandboxAnswer, bytes: Uint8Array): void {
    this.#process?.sendState(JSON.stringify(answer), bytes);
    this.#limitUnread();
  }

  #limitUnread(): void {
    if ((this.#process?.unreadBytes ?? 0) > this.#options.settings.maxUnreadBytes) this.kill('it does not read what it is sent');
  }

  #close({ code, signal, error }: HostExit): HostEnd {
    this.#watch?.dispose();
    const { name, level } = this.#options.record.spec;
    const who = `The process of the ${level} extension ${name}`;
    const how = signal ? `ended by ${signal}` : `ended with code ${code}`;
    const message = error
      ? `${who} could not be started: ${error.message}`
      : `${who} ${this.#killedFor === undefined ? how : `was killed: ${this.#killedFor}`}`;
    this.isRefused = codeOf(error) === BOUNDARY_ERRORS.NO_SANDBOX;
    const closed = new CodedError(codeOf(error) ?? BOUNDARY_ERRORS.HOST_EXITED, message, { cause: error });
    this.#peer.close(closed);
    for (const worker of this.#workers.values()) worker.close(closed);
    this.#workers.clear();
    this.#output.end();
    return { reason: 'host', message, extension: name };
  }

  #refuse(error: unknown): void {
    this.#output.add(this.#options.record.name, 'stderr', `refused: ${messageOf(error)}\n`);
  }
}

/** Old-generation heap of a process, and what it may use besides. */
const HEAP_MB = 512;
const OUTSIDE_HEAP_MB = 512;
const NOTHING = Buffer.alloc(0);
