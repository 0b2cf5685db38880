import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const tails = new Map<string, Promise<unknown>>();

/**
 * Runs `change` when every earlier change of the same file is over, so that two tools never read the same old contents and overwrite each
 * other. Names of one file (symbolic links) share a queue. One queue for the process: the file system is one too.
 * Source: extensions.md "withFileMutationQueue".
 */
export async function withFileMutationQueue<T>(absolutePath: string, change: () => Promise<T>): Promise<T> {
  // Synchronous, so that changes queue in the order they are asked for.
  const key = realTarget(absolutePath);
  const earlier = tails.get(key) ?? Promise.resolve();
  // A failure belongs to the one who made the change; the next in the queue only waits for it.
  const mine = earlier.then(change, change);
  const tail = mine.then(
    () => {},
    () => {},
  );
  tails.set(key, tail);
  try {
    return await mine;
  } finally {
    if (tails.get(key) === tail) tails.delete(key);
  }
}

/** Real path of the file, or of the nearest folder that exists plus the rest. */
function realTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there yet (or out of reach, which the change itself will report).
    const parent = dirname(path);
    return parent === path ? path : join(realTarget(parent), basename(path));
  }
}
