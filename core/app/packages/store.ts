import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { CodedError, isCoded } from '../../base/coded-error.js';
import { sleep } from '../../base/deadline.js';
import { oldStoreFolder, type Store, storeFolder } from '../../resources/packages/package-places.js';
import { dropLock, newHolder, takeLock } from '../../session/lock-file.js';
import { APP_ERRORS } from '../errors.js';

/** Packages are not the project's own work: a repository ignores them. Source: seen in stores of the existing program. */
const IGNORE = '*\n!.gitignore\n';
const LOCK_POLL_MS = 200;
/** As long as a large installation takes; then a person has to look. */
const LOCK_POLLS = 600;

/**
 * Runs `work` while no other process changes packages of `baseDir`. Another one that does is waited for; the lock of one that is gone is
 * taken over. Throws PACKAGE_STORE_BUSY when that takes too long.
 */
export async function withStoreLock<T>(
  baseDir: string,
  { progress, signal }: { progress: (line: string) => void; signal?: AbortSignal | undefined },
  work: () => Promise<T>,
): Promise<T> {
  await mkdir(baseDir, { recursive: true });
  const file = path.join(baseDir, 'packages.lock');
  const host = hostname();
  const mine = newHolder(host);
  for (let polls = 0; ; polls += 1) {
    const found = takeLock(file, mine, { host });
    if (!found) break;
    const who = found.holder ? `process ${found.holder.pid}` : 'another process';
    if (polls >= LOCK_POLLS) {
      const message = `${who} still changes packages in ${baseDir}; if it does not, remove ${file}`;
      throw new CodedError(APP_ERRORS.PACKAGE_STORE_BUSY, message, { data: { file } });
    }
    if (polls === 0) progress(`waiting for ${who}, which changes packages in ${baseDir}`);
    await sleep(LOCK_POLL_MS, signal);
  }
  try {
    return await work();
  } finally {
    dropLock(file, mine.token);
  }
}

/** Puts right what a killed installation left: the old store into its place, and what was half made away. Needs the lock. */
export async function recoverStore(baseDir: string, store: Store, folders: readonly (readonly string[])[] = []): Promise<void> {
  const [place, old] = [storeFolder(baseDir, store), oldStoreFolder(baseDir, store)];
  if (existsSync(old)) {
    if (store === 'npm') await putBack(old, place);
    else for (const folder of folders) await putBack(path.join(old, ...folder), path.join(place, ...folder));
    await rm(old, { recursive: true, force: true });
  }
  const left = (await namesIn(baseDir)).filter((name) => name.startsWith(`${store}.new-`));
  for (const name of left) await rm(path.join(baseDir, name), { recursive: true, force: true, maxRetries: 3 });
}

async function putBack(old: string, place: string): Promise<void> {
  if (!existsSync(old) || existsSync(place)) return;
  await mkdir(path.dirname(place), { recursive: true });
  await rename(old, place);
}

/** A folder beside the store, on the same disk, in which the next state is made. */
export async function newStage(baseDir: string, store: Store): Promise<string> {
  const stage = path.join(baseDir, `${store}.new-${process.pid}-${randomBytes(4).toString('hex')}`);
  await mkdir(stage, { recursive: true });
  await writeFile(path.join(stage, '.gitignore'), IGNORE);
  return stage;
}

/**
 * Puts `made` in the place of `place`, the old one aside as `old` meanwhile. What looks for packages finds one or the other; a kill
 * between the renames is put right by the next installation.
 */
export async function swapFolder(made: string, place: string, old: string): Promise<void> {
  await mkdir(path.dirname(place), { recursive: true });
  if (existsSync(place)) {
    await rm(old, { recursive: true, force: true });
    await mkdir(path.dirname(old), { recursive: true });
    await rename(place, old);
  }
  try {
    await rename(made, place);
  } catch (error) {
    await putBack(old, place);
    throw error;
  }
  await syncFolder(path.dirname(place));
}

/** The folder of git packages with the file that keeps it out of repositories. */
export async function ensureGitStore(baseDir: string): Promise<void> {
  const place = storeFolder(baseDir, 'git');
  await mkdir(place, { recursive: true });
  const ignore = path.join(place, '.gitignore');
  if (!existsSync(ignore)) await writeFile(ignore, IGNORE);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isCoded(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Renames outlive a power cut once their folder is on the disk. Not every system can do it; then the next sync does. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  if (!handle) return;
  await handle.sync().catch(() => undefined);
  await handle.close();
}
