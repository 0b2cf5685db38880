import { messageOf } from '../base/coded-error.js';
import { writeCrashReport } from './crash-report.js';

export const EXIT_CODES = { ok: 0, failure: 1, usage: 2, sigint: 130, sigterm: 143, sighup: 129 } as const;

/** After a signal the process is gone within 1.3 s (guarantee 11); what has not ended by then is left behind. */
const SIGNAL_DEADLINE_MS = 1000;

export interface ProcessEndOptions {
  /** Stops what runs (children first) and writes out what is pending. Called once, whatever ends the process. */
  stop: (reason: 'signal' | 'crash' | 'end') => Promise<void>;
  /** Kills the children of tools without waiting: what stops may hang on them. */
  killChildren: () => void;
  /** Kills everything this process started, as the last thing before it goes. */
  killAll: () => void;
  crashFolder: string;
  version: string;
  argv: readonly string[];
  stderr: (text: string) => void;
}

/** Owns how the process ends: once, in order, with the right exit code. */
export class ProcessEnd {
  readonly #options: ProcessEndOptions;
  #ending = false;

  constructor(options: ProcessEndOptions) {
    this.#options = options;
  }

  /** Takes over signals and last-chance errors. */
  install(): void {
    process.once('SIGTERM', () => void this.#onSignal(EXIT_CODES.sigterm));
    process.once('SIGHUP', () => void this.#onSignal(EXIT_CODES.sighup));
    process.once('SIGINT', () => void this.#onSignal(EXIT_CODES.sigint));
    process.on('uncaughtException', (error) => this.#onCrash(error));
    process.on('unhandledRejection', (error) => this.#onCrash(error));
  }

  /** Stops everything and exits. Later calls, and signals that come meanwhile, change nothing. */
  async exit(code: number, deadlineMs: number): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    await this.#stopWithin('end', deadlineMs);
    this.#leave(code);
  }

  async #onSignal(code: number): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    this.#options.killChildren();
    await this.#stopWithin('signal', SIGNAL_DEADLINE_MS);
    this.#leave(code);
  }

  #onCrash(error: unknown): void {
    const { stderr, crashFolder, version, argv, killChildren } = this.#options;
    killChildren();
    let where: string;
    try {
      where = `a report is in ${writeCrashReport(crashFolder, error, { version, argv, now: new Date() })}`;
    } catch (problem) {
      where = `and no report could be written (${messageOf(problem)})`;
    }
    stderr(`pi: an error of the program itself ended it: ${messageOf(error)}; ${where}\n`);
    if (this.#ending) this.#leave(EXIT_CODES.failure);
    this.#ending = true;
    void this.#stopWithin('crash', SIGNAL_DEADLINE_MS).finally(() => this.#leave(EXIT_CODES.failure));
  }

  async #stopWithin(reason: 'signal' | 'crash' | 'end', deadlineMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, deadlineMs);
    });
    try {
      await Promise.race([this.#options.stop(reason), late]);
    } catch (error) {
      this.#options.stderr(`pi: shutting down: ${messageOf(error)}\n`);
    } finally {
      clearTimeout(timer);
    }
  }

  #leave(code: number): never {
    this.#options.killAll();
    process.exit(code);
  }
}
