import { readFileSync } from 'node:fs';

/** Clock ticks per second of `/proc/<pid>/stat`: fixed by the kernel's interface at 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU time of one thread of this process in milliseconds; undefined where the system does not say. */
export function threadCpuMs(threadId: number): number | undefined {
  const stat = readProc(threadId, 'stat');
  if (stat === undefined) return undefined;
  // The name in parentheses may hold anything, blanks and parentheses too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? (ticks * 1_000) / TICKS_PER_SECOND : undefined;
}

/** Whether a thread of this process has a child that lives. False where the system does not say. */
export function threadHasChild(threadId: number): boolean {
  return (readProc(threadId, 'children') ?? '').trim() !== '';
}

function readProc(threadId: number, file: string): string | undefined {
  if (threadId <= 0) return undefined;
  try {
    return readFileSync(`/proc/self/task/${threadId}/${file}`, 'utf8');
  } catch {
    // No /proc, or the thread is gone.
    return undefined;
  }
}
