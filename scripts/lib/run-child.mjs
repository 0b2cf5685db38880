// Runs a program in our place: its terminal, its signals, its way of ending.
import { spawn } from 'node:child_process';
import os from 'node:os';

const FORWARDED = ['SIGTERM', 'SIGHUP', 'SIGINT'];

/** Resolves to the exit code a shell would report. */
export function runChild(file, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'inherit', ...options });
    // A terminal sends Ctrl+C to the child as well; here it only must not end us first.
    const forward = (signal) => signal !== 'SIGINT' && child.kill(signal);
    for (const signal of FORWARDED) process.on(signal, forward);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const name of FORWARDED) process.off(name, forward);
      resolve(code ?? 128 + (os.constants.signals[signal] ?? 0));
    });
  });
}
