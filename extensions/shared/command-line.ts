import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The arguments this session was started with. Where they can't be known there are none. */
export function sessionArguments(cwd: string): string[] {
  const own = process.argv.slice(2);
  return own.length > 0 ? own : argumentsOfCore(cwd);
}

/** Extensions run in a process whose parent is the one with the command line; Linux shows it. */
function argumentsOfCore(cwd: string): string[] {
  try {
    const words = readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8').split('\0').slice(0, -1);
    const program = words.findIndex((word) => path.resolve(cwd, word) === process.argv[1]);
    return program < 0 ? [] : words.slice(program + 1);
  } catch {
    // Another system: what settings say still holds, what the command line says is not known.
    return [];
  }
}
