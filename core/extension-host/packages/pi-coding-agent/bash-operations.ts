import { stat } from 'node:fs/promises';
import os from 'node:os';
import { StringDecoder } from 'node:string_decoder';
import { CodedError } from '../../../base/coded-error.js';
import { type CollectedOutput, OutputCollector } from '../../../tools/output-collector.js';
import { OutputSanitizer } from '../../../tools/output-sanitizer.js';
import { type ShellOutcome, ShellRunner, type ShellRunOptions } from '../../../tools/shell.js';
import { CODING_AGENT_ERRORS } from './errors.js';

export interface BashExecOptions {
  onData: (data: Buffer) => void;
  signal?: AbortSignal;
  /** Seconds. */
  timeout?: number;
  /** The whole environment of the command; this process's when left out. */
  env?: NodeJS.ProcessEnv;
}

/** What runs commands: this machine, or another one that an extension reaches. Source: extensions document, "Remote Execution". */
export interface BashOperations {
  /** `null`: the command was killed. Rejects with `aborted` or `timeout:<seconds>` when it was ended early. */
  exec(command: string, cwd: string, options: BashExecOptions): Promise<{ exitCode: number | null }>;
}

export interface BashSpawnContext {
  command: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
}

export type BashSpawnHook = (context: BashSpawnContext) => BashSpawnContext;

/** Hands output on instead of keeping it: whoever runs the command collects it. */
class PassedOutput extends OutputCollector {
  readonly #onText: (text: string) => void;

  constructor(onText: (text: string) => void) {
    super({ tmpDir: os.tmpdir() });
    this.#onText = onText;
  }

  override add(text: string): void {
    if (text !== '') this.#onText(text);
  }
}

/** Commands of this thread that are on: none outlives it. */
const running = new Set<ShellRunner>();
let watchesExit = false;

function endCommandsAtExit(): void {
  if (watchesExit) return;
  watchesExit = true;
  process.once('exit', () => {
    for (const shell of running) shell.killAll();
  });
}

/** Commands on this machine, each in a process group of its own, ended with all it started. Source: extensions document, "user_bash". */
export function createLocalBashOperations({ shellPath }: { shellPath?: string } = {}): BashOperations {
  return {
    async exec(command, cwd, { onData, signal = new AbortController().signal, timeout, env = process.env }) {
      if (signal.aborted) throw ended('aborted');
      if (!(await isFolder(cwd)))
        throw new CodedError(CODING_AGENT_ERRORS.TOOL_FAILED, `Working directory does not exist: ${cwd}`, { data: { cwd } });
      const shell = new ShellRunner({ cwd, env, shellPath });
      running.add(shell);
      endCommandsAtExit();
      const outcome = await shell
        .run(command, {
          signal,
          output: new PassedOutput((text) => onData(Buffer.from(text))),
          timeoutMs: timeout === undefined || timeout <= 0 ? undefined : timeout * 1000,
          // The runner drops inherited session variables; the caller's choice of an environment stands.
          env: textsOf(env),
        })
        .finally(() => running.delete(shell));
      if (outcome.ended === 'aborted') throw ended('aborted');
      if (outcome.ended === 'timeout') throw ended(`timeout:${timeout}`);
      return { exitCode: outcome.exitCode ?? null };
    },
  };
}

export interface RoutedShellOptions {
  cwd: string;
  operations: BashOperations;
  spawnHook: BashSpawnHook | undefined;
  commandPrefix: string | undefined;
}

const SESSION_VARIABLE = /^PI_(?:SESSION_ID|SESSION_FILE|PROVIDER|MODEL|REASONING_LEVEL)$/;

/** A shell for the built-in bash tool whose commands an extension may change and run elsewhere. */
export class RoutedShell extends ShellRunner {
  readonly #routed: RoutedShellOptions;

  constructor(options: RoutedShellOptions) {
    super({ cwd: options.cwd, env: process.env });
    this.#routed = options;
  }

  override async run(command: string, { output, signal, timeoutMs, env: session = {} }: ShellRunOptions): Promise<ShellOutcome> {
    const { cwd, operations, spawnHook, commandPrefix } = this.#routed;
    const inherited = Object.entries(process.env).filter(([name]) => !SESSION_VARIABLE.test(name));
    const plain: BashSpawnContext = {
      command: commandPrefix ? `${commandPrefix}\n${command}` : command,
      cwd,
      env: { ...Object.fromEntries(inherited), ...session },
    };
    const { command: spawned, cwd: where, env } = spawnHook?.(plain) ?? plain;
    const decoder = new StringDecoder('utf8');
    const sanitizer = new OutputSanitizer();
    const collected = (): CollectedOutput => {
      output.add(sanitizer.push(decoder.end()) + sanitizer.end());
      output.close();
      return output.snapshot();
    };
    try {
      const { exitCode } = await operations.exec(spawned, where, {
        onData: (data) => output.add(sanitizer.push(decoder.write(Buffer.from(data)))),
        signal,
        env,
        ...(timeoutMs === undefined ? {} : { timeout: timeoutMs / 1000 }),
      });
      return { ended: signal.aborted ? 'aborted' : 'exit', ...(exitCode === null ? {} : { exitCode }), output: collected() };
    } catch (error) {
      const why = error instanceof Error ? error.message : '';
      if (signal.aborted || why === 'aborted') return { ended: 'aborted', output: collected() };
      if (why.startsWith('timeout:')) return { ended: 'timeout', output: collected() };
      collected();
      throw error;
    }
  }
}

/** The texts by which those who run commands tell how one ended. Source: observed, 0.84.0. */
function ended(how: string): CodedError {
  return new CodedError(CODING_AGENT_ERRORS.ABORTED, how);
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Missing, or out of reach: no place to run anything.
    return false;
  }
}

function textsOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
}
