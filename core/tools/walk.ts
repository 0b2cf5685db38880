import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { IgnoreRules } from './ignore-rules.js';

export interface WalkedEntry {
  /** Absolute. */
  path: string;
  kind: 'file' | 'folder' | 'link';
}

export interface WalkOptions {
  signal: AbortSignal;
  /** Told about folders that could not be listed. */
  onUnreadable?: (path: string) => void;
}

/**
 * Everything below a folder that git would not ignore, depth first, names in order, hidden files included. Links are named and not followed, so
 * loops are harmless. One folder is held at a time: a huge tree costs time, which the signal ends, and no memory.
 */
export async function* walk(root: string, options: WalkOptions): AsyncGenerator<WalkedEntry> {
  const { signal } = options;
  // A stack instead of recursion: the depth of a tree is not ours to trust.
  const stack = [await listing(root, await IgnoreRules.open(root), options)];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    signal.throwIfAborted();
    const entry = top.entries[top.at];
    top.at += 1;
    if (!entry) {
      stack.pop();
      continue;
    }
    const path = join(top.folder, entry.name);
    if (top.rules.ignores(path, entry.isDirectory())) continue;
    if (entry.isDirectory()) {
      yield { path, kind: 'folder' };
      stack.push(await listing(path, await top.rules.enter(path), options));
    } else if (entry.isFile() || entry.isSymbolicLink()) {
      yield { path, kind: entry.isFile() ? 'file' : 'link' };
    }
  }
}

interface Listing {
  folder: string;
  entries: Dirent[];
  at: number;
  rules: IgnoreRules;
}

async function listing(folder: string, rules: IgnoreRules, options: WalkOptions): Promise<Listing> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    return { folder, entries, at: 0, rules };
  } catch {
    // One closed folder does not end a search; the one who asked says how many there were.
    options.onUnreadable?.(folder);
    return { folder, entries: [], at: 0, rules };
  }
}
