import { readFileSync } from 'node:fs';

/** Clock ticks per second of `/proc/<pid>/stat`: fixed by the kernel's interface at 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;
const MAX_PROCESSES = 16;

export interface Usage {
  cpuMs: number;
  rssBytes: number;
}

/** What a process and those it started use, seen from outside: what is said inside may be a lie. Undefined where the system does not say. */
export function usageOf(pid: number): Usage | undefined {
  const pids = [pid];
  const usage: Usage = { cpuMs: 0, rssBytes: 0 };
  let found = false;
  for (const one of pids) {
    const stat = read(one, 'stat');
    if (stat === undefined) continue;
    found = true;
    // The name in parentheses may hold anything, blanks and parentheses too.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    usage.cpuMs += ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
    usage.rssBytes += Number(fields[21]) * PAGE_BYTES;
    const children = (read(one, `task/${one}/children`) ?? '').trim();
    if (children !== '' && pids.length < MAX_PROCESSES) pids.push(...children.split(' ').map(Number));
  }
  return found ? usage : undefined;
}

function read(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // No /proc, or the process is gone.
    return undefined;
  }
}
