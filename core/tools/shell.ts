import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { CodedError, messageOf } from '../base/coded-error.js';
import { sleep } from '../base/deadline.js';
import type { Disposable } from '../base/disposable.js';
import { defaultShell, groupIsAlive, isExecutable, shellInvocation, signalGroup, startsOwnGroup } from '../base/platform.js';
import type { BashResult } from '../protocol/commands/bash.js';
import { TOOL_ERRORS } from './errors.js';
import { type CollectedOutput, OutputCollector } from './output-collector.js';
import { OutputPipes } from './output-pipes.js';

/** Between the polite signal and the final one. */
export const KILL_GRACE_MS = 500;
const FIRST_POLL_MS = 5;
/** Longest delay a timer can hold. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What describes the current session to commands. Source: environment-variables.md "Bash Tool Session Environment". */
const SESSION_VARIABLES = ['PI_SESSION_ID', 'PI_SESSION_FILE', 'PI_PROVIDER', 'PI_MODEL', 'PI_REASONING_LEVEL'] as const;

export interface ShellRunnerOptions {
  cwd: string;
  /** Read anew for each command, so that later changes of it count. */
  env: NodeJS.ProcessEnv;
  /** Setting `shellPath`; `~` is the home folder. Default: bash, else the system's shell. */
  shellPath?: string | undefined;
  /** Setting `shellCommandPrefix`: put on lines of its own before every command. */
  commandPrefix?: string | undefined;
}

export interface ShellRunOptions {
  signal: AbortSignal;
  output: OutputCollector;
  timeoutMs?: number | undefined;
  /** Added to the environment. Session variables that are not in it are removed: inherited ones would describe another session. */
  env?: Readonly<Record<string, string>>;
}

export interface ShellOutcome {
  /** Why the command ended: by itself, or because we ended it. */
  ended: 'exit' | 'aborted' | 'timeout';
  /** Missing when the process was killed, by us or somebody else. */
  exitCode?: number;
  /** The signal that killed it. */
  killedBy?: NodeJS.Signals;
  output: CollectedOutput;
}

/**
 * Runs shell commands, each in a process group of its own, with an empty stdin. Owns the groups: dispose it, or call `killAll` when there is
 * no time left. Throws `TOOL_SHELL_NOT_STARTED`.
 */
export class ShellRunner implements Disposable {
  readonly #options: ShellRunnerOptions;
  readonly #running = new Map<number, RunningGroup>();
  #shell: string | undefined;
  #disposed = false;

  constructor(options: ShellRunnerOptions) {
    this.#options = options;
  }

  async run(command: string, options: ShellRunOptions): Promise<ShellOutcome> {
    const { output, signal } = options;
    if (this.#disposed) throw new CodedError(TOOL_ERRORS.SHELL_NOT_STARTED, 'The program is shutting down');
    if (signal.aborted) return { ended: 'aborted', output: output.snapshot() };
    const child = this.#spawn(command, options.env ?? {});
    const pipes = new OutputPipes([child.stdout, child.stderr], (text) => output.add(text));
    const group = new RunningGroup(child);
    const { pid } = child;
    if (pid !== undefined) this.#running.set(pid, group);
    const onAbort = (): void => group.stop('aborted');
    signal.addEventListener('abort', onAbort, { once: true });
    const { timeoutMs } = options;
    const timer =
      timeoutMs !== undefined && timeoutMs > 0
        ? setTimeout(() => group.stop('timeout'), Math.min(timeoutMs, MAX_TIMER_MS))
        : undefined;
    try {
      const exit = await group.exited.catch((error: unknown) => {
        throw this.#startError(error);
      });
      clearTimeout(timer);
      await pipes.drained();
      await group.gone();
      return {
        ended: group.reason ?? 'exit',
        ...(group.reason === undefined && exit.code !== null ? { exitCode: exit.code } : {}),
        ...(exit.signal === null ? {} : { killedBy: exit.signal }),
        output: output.snapshot(),
      };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      if (pid !== undefined) this.#running.delete(pid);
      output.close();
    }
  }

  /** Kills every running group at once, without waiting; safe in an exit handler. */
  killAll(): void {
    this.#disposed = true;
    for (const pid of this.#running.keys()) signalGroup(pid, 'SIGKILL');
  }

  /** Asks every running group to end, kills what is left after the grace, and refuses new commands. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    const groups = [...this.#running.values()];
    for (const group of groups) group.stop('aborted');
    await Promise.all(groups.map((group) => group.gone()));
  }

  #spawn(command: string, extra: Readonly<Record<string, string>>): ChildProcess {
    const { cwd, commandPrefix } = this.#options;
    const env: NodeJS.ProcessEnv = { ...this.#options.env };
    for (const name of SESSION_VARIABLES) delete env[name];
    Object.assign(env, extra);
    this.#shell ??= this.#findShell();
    const { file, args } = shellInvocation(this.#shell, commandPrefix ? `${commandPrefix}\n${command}` : command);
    try {
      return spawn(file, args, { cwd, env, detached: startsOwnGroup, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    } catch (error) {
      throw this.#startError(error);
    }
  }

  #findShell(): string {
    const { shellPath, env, cwd } = this.#options;
    if (!shellPath) return defaultShell(env);
    const path = resolve(cwd, shellPath.replace(/^~(?=\/|$)/, env.HOME ?? homedir()));
    if (isExecutable(path)) return path;
    throw new CodedError(
      TOOL_ERRORS.SHELL_NOT_STARTED,
      `The shell ${path} cannot be run. Correct the setting "shellPath" or remove it`,
    );
  }

  #startError(error: unknown): CodedError {
    const code = (error as NodeJS.ErrnoException).code;
    const reason =
      code === 'E2BIG'
        ? 'the command or the environment is too long for the system; write it to a file and run that'
        : code === 'ENOENT' && !isFolder(this.#options.cwd)
          ? `the working directory ${this.#options.cwd} does not exist`
          : messageOf(error);
    return new CodedError(TOOL_ERRORS.SHELL_NOT_STARTED, `Could not start the shell: ${reason}`, { cause: error });
  }
}

/** The port of the client's `bash` command. Output is streamed clean and whole, whatever the result keeps of it. Source: rpc-mode "bash". */
export function createRunShell(runner: ShellRunner, tmpDir: string) {
  return async (
    command: string,
    { signal, onOutput }: { signal: AbortSignal; onOutput: (delta: string) => void },
  ): Promise<BashResult> => {
    const collector = new OutputCollector({ tmpDir, onText: onOutput });
    const { ended, exitCode, output } = await runner.run(command, { signal, output: collector });
    return {
      output: output.text,
      ...(exitCode === undefined ? {} : { exitCode }),
      cancelled: ended === 'aborted',
      truncated: output.truncation.truncated,
      ...(output.fullOutputPath === undefined ? {} : { fullOutputPath: output.fullOutputPath }),
    };
  };
}

/** One command's process group, from its start until nobody is left in it. */
class RunningGroup {
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  reason: 'aborted' | 'timeout' | undefined;
  readonly #pid: number | undefined;
  #killing: Promise<void> | undefined;

  constructor(child: ChildProcess) {
    this.#pid = child.pid;
    this.exited = new Promise((resolve, reject) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      child.once('error', reject);
    });
  }

  stop(reason: 'aborted' | 'timeout'): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    if (this.#pid !== undefined) this.#killing = killGroup(this.#pid);
  }

  /** Resolves when a stopped group has ended; at once for one that ended by itself. */
  async gone(): Promise<void> {
    await this.#killing;
  }
}

/** Asks, waits, then insists; resolves when the group is empty or was killed. */
async function killGroup(pid: number): Promise<void> {
  signalGroup(pid, 'SIGTERM');
  const deadline = performance.now() + KILL_GRACE_MS;
  // Most end at once; looking costs, so it is done less and less often.
  for (let waitMs = FIRST_POLL_MS; groupIsAlive(pid); waitMs *= 2) {
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) {
      signalGroup(pid, 'SIGKILL');
      return;
    }
    await sleep(Math.min(waitMs, leftMs));
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Missing or unreachable: no folder to work in.
    return false;
  }
}
