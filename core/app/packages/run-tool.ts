import { CodedError, messageOf } from '../../base/coded-error.js';
import { signalGroup, startsOwnGroup } from '../../base/platform.js';
import { APP_ERRORS } from '../errors.js';

/** What the commands of this folder work with. */
export interface PackageTools {
  env: NodeJS.ProcessEnv;
  /** Program and first arguments to run npm with: the setting `npmCommand`, else `npm`. */
  npmCommand: readonly string[];
  /** `--offline` or PI_OFFLINE: what is in npm's cache may be used, the network may not. */
  offline: boolean;
  /** Whether packages may run scripts of theirs while they are installed. */
  allowScripts: boolean;
  /** One line for a person who waits. */
  progress: (line: string) => void;
  signal?: AbortSignal | undefined;
}

export interface ToolRun {
  command: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
  /** Told each line of what it says on stderr, as it says it. */
  onLine?: ((line: string) => void) | undefined;
}

export interface ToolResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Of what a tool says, the end is kept: the reason stands there. */
const MAX_KEPT = 64 * 1024;

/**
 * Runs a program with an empty stdin to its end. Throws PACKAGE_TOOL_MISSING when it can't be started. When the signal is aborted it is
 * killed, and the result has code -1.
 */
export async function runTool({ command, cwd, env, signal, onLine }: ToolRun): Promise<ToolResult> {
  const [program = '', ...args] = command;
  const { default: spawn } = await import('cross-spawn');
  return new Promise((resolve, reject) => {
    // Not with its `signal`: npm answers a polite one by waiting for what it fetches.
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: startsOwnGroup });
    const kill = (): void => {
      if (child.pid !== undefined && !signalGroup(child.pid, 'SIGKILL')) child.kill('SIGKILL');
    };
    if (signal?.aborted) kill();
    signal?.addEventListener('abort', kill, { once: true });
    // A session that is told to end while it fetches leaves nobody behind.
    process.once('exit', kill);
    const forget = (): void => {
      signal?.removeEventListener('abort', kill);
      process.off('exit', kill);
    };
    let stdout = '';
    let stderr = '';
    let rest = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout = (stdout + text).slice(-MAX_KEPT);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MAX_KEPT);
      const lines = (rest + text).split(/\r?\n|\r/);
      rest = (lines.pop() ?? '').slice(-MAX_KEPT);
      for (const line of lines) if (line.trim() !== '') onLine?.(line);
    });
    child.once('error', (error) => {
      forget();
      const message = `${program} can't be started, which is needed to fetch packages: ${messageOf(error)}`;
      reject(new CodedError(APP_ERRORS.PACKAGE_TOOL_MISSING, message, { cause: error, data: { program } }));
    });
    child.once('close', (code) => {
      forget();
      if (rest.trim() !== '') onLine?.(rest);
      resolve({ code: code ?? -1, stdout, stderr });
    });
  });
}

/** The last lines of what a tool said, for a message. */
export function endOf(text: string, lines = 6): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-lines)
    .join('\n  ');
}
