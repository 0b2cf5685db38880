import { readdirSync, readFileSync } from 'node:fs';

export interface Spread {
  min: number;
  median: number;
  p95: number;
}

export function spread(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { min: at(0), median: at(0.5), p95: at(0.95) };
}

/** CPU of a process with all its threads, in milliseconds; 10 ms fine. Linux only, as all of this. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Resident and proportional memory in MB. */
export function memoryMb(pid: number): { rss: number; pss: number } {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1]);
  return { rss: kilobytes('Rss') / 1024, pss: kilobytes('Pss') / 1024 };
}

export const threads = (pid: number): number => readdirSync(`/proc/${pid}/task`).length;

export const row = (name: string, value: string): void => void process.stdout.write(`| ${name} | ${value} |\n`);
export const fixed = (value: number, digits = 1): string => value.toFixed(digits);
export const inWords = ({ min, median, p95 }: Spread, digits = 1): string =>
  `${fixed(min, digits)} / ${fixed(median, digits)} / ${fixed(p95, digits)}`;
