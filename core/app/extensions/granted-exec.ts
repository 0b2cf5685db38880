import { spawn } from 'node:child_process';
import { signalGroup, startsOwnGroup } from '../../base/platform.js';

export interface GrantedProgram {
  command: string;
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Milliseconds. */
  timeout?: number;
  signal: AbortSignal;
}

const KILL_AFTER_MS = 2_000;
/** Of each stream; what is more is not kept. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Runs a program for an extension that may not: as `pi.exec`, it never rejects. It ends with the extension, and all it started too. */
export function runGranted({ command, args, cwd, env, timeout, signal }: GrantedProgram): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    let killed = false;
    let hard: NodeJS.Timeout | undefined;
    const child = spawn(command, args, {
      cwd,
      env,
      detached: startsOwnGroup,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const end = (how: NodeJS.Signals): void => {
      if (child.pid !== undefined) signalGroup(child.pid, how);
    };
    const kill = (): void => {
      if (killed) return;
      killed = true;
      end('SIGTERM');
      hard = setTimeout(() => end('SIGKILL'), KILL_AFTER_MS);
    };
    const timer = timeout === undefined ? undefined : setTimeout(kill, timeout);
    if (signal.aborted) kill();
    signal.addEventListener('abort', kill, { once: true });
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    const finish = (code: number): void => {
      clearTimeout(timer);
      clearTimeout(hard);
      signal.removeEventListener('abort', kill);
      end('SIGKILL');
      resolve({ stdout: stdout(), stderr: stderr(), code, killed });
    };
    child.once('error', () => finish(1));
    child.once('close', (code) => finish(code ?? 0));
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const parts: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size < MAX_OUTPUT_BYTES) parts.push(chunk.subarray(0, MAX_OUTPUT_BYTES - size));
    size += chunk.length;
  });
  return () => Buffer.concat(parts).toString('utf8');
}
