import { spawn } from 'node:child_process';
import type { ExecResult } from '../contract/public.js';

export interface ExecOptions {
  cwd?: string | undefined;
  /** Milliseconds. */
  timeout?: number | undefined;
  signal?: AbortSignal | undefined;
}

const KILL_AFTER_MS = 2_000;

export type RunProgram = (command: string, args: readonly string[], options: ExecOptions) => Promise<ExecResult>;

let run: RunProgram | undefined;

/** Where this process may start nothing, somebody else does. */
export function runProgramsWith(other: RunProgram): void {
  run = other;
}

/** Runs a program where this process may, or has it run. */
export const exec: RunProgram = (command, args, options) => (run ?? spawnHere)(command, args, options);

/**
 * Runs a program without a shell. Never rejects: a program that is not there gives code 1, one that was killed code 0 and `killed`.
 * Source: transcripts of `pi.exec`.
 */
export function spawnHere(command: string, args: readonly string[], options: ExecOptions): Promise<ExecResult> {
  return new Promise((resolve) => {
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let killed = false;
    let hard: NodeJS.Timeout | undefined;
    const child = spawn(command, [...args], { cwd: options.cwd, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
    const kill = (): void => {
      if (killed) return;
      killed = true;
      child.kill('SIGTERM');
      hard = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    };
    const timer = options.timeout !== undefined && options.timeout > 0 ? setTimeout(kill, options.timeout) : undefined;
    if (options.signal?.aborted) kill();
    options.signal?.addEventListener('abort', kill, { once: true });
    const finish = (code: number): void => {
      clearTimeout(timer);
      clearTimeout(hard);
      options.signal?.removeEventListener('abort', kill);
      resolve({ stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8'), code, killed });
    };
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', () => finish(1));
    child.on('close', (code) => finish(code ?? 0));
  });
}
