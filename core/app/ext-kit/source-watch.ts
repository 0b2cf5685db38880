import { createHash } from 'node:crypto';
import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import path from 'node:path';
import { sleep } from '../../base/deadline.js';
import { moduleGraph } from './module-graph.js';
import type { TestPlace } from './run-tests.js';

/** Editors write a file in several steps, and several files at once, in milliseconds. */
const QUIET_MS = 150;
const TEST = /\.(?:test|spec)\.[cm]?[jt]sx?$/;
const MANIFESTS = ['package.json', 'tsconfig.json', 'vitest.config.ts', 'vitest.config.js', 'vitest.config.mts'];

/** What an extension and its tests are made of, as it is now. */
export interface Sources {
  tests: string[];
  /** Folders that a change may come in. */
  folders: string[];
  /** Is another one when any file of it is. */
  fingerprint: string;
}

/** From the entries of extensions, over all they import, and the same of their tests. */
export function readSources(entries: readonly string[], place: TestPlace): Sources {
  const tests = testFiles(place);
  const manifests = MANIFESTS.map((name) => path.join(place.folder, name)).filter((file) => existsSync(file));
  const files = new Map<string, string>();
  for (const entry of [...entries, ...tests, ...manifests])
    for (const { path: file, text } of moduleGraph(entry)) files.set(file, text);
  const hash = createHash('sha256');
  for (const [file, text] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${file}\0${text}\0`);
  const folders = new Set([place.folder, ...[...files.keys()].map((file) => path.dirname(file))]);
  return { tests, folders: [...folders], fingerprint: hash.digest('hex') };
}

/** Files that vitest would run. */
function testFiles({ folder, filters }: TestPlace): string[] {
  const found: string[] = [];
  const walk = (inner: string): void => {
    for (const entry of readdirSync(inner, { withFileTypes: true })) {
      const file = path.join(inner, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.')) walk(file);
      else if (TEST.test(entry.name) && filters.every((filter) => file.startsWith(filter))) found.push(file);
    }
  };
  walk(folder);
  return found;
}

/**
 * Resolves when `read` gives something else than `before`; rejects with `ABORTED`. A file that is written as it was, or that nothing imports,
 * is no change: what an extension writes beside itself does not start it again.
 */
export async function nextChange(before: Sources, read: () => Promise<Sources>, signal: AbortSignal): Promise<Sources> {
  const watchers: FSWatcher[] = [];
  let touched = (): void => undefined;
  try {
    // Several folders, one alarm.
    for (const folder of before.folders)
      watchers.push(watch(folder, { persistent: true }, () => touched()).on('error', () => touched()));
    for (;;) {
      const now = await read();
      if (now.fingerprint !== before.fingerprint) return now;
      await new Promise<void>((resolve) => {
        touched = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
        if (signal.aborted) resolve();
      });
      await sleep(QUIET_MS, signal);
    }
  } finally {
    for (const watcher of watchers) watcher.close();
  }
}
