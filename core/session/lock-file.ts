import { linkSync, readFileSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { isCoded } from '../base/coded-error.js';
import { shortId } from '../base/id.js';
import { ownStart, processState } from '../base/platform.js';

/** What a lock file says: one line of JSON. */
export interface LockHolder {
  pid: number;
  /** When the process started, as core/base/platform.ts writes it: a pid alone may have been used again. */
  start: string;
  /** When it took the lock, ISO 8601. */
  since: string;
  host: string;
  /** Names this one taking of the lock. */
  token: string;
}

export interface FoundLock {
  /** Undefined for a file that isn't, or isn't yet, what a lock file should be. */
  holder: LockHolder | undefined;
  /** Names what was found, whatever it is. */
  token: string;
  ageMs: number;
}

/** `here`: its process runs. `elsewhere`: another host's, which can't be looked at from here. `unclear`: half written, perhaps just now. */
export type LockState = 'here' | 'elsewhere' | 'unclear' | 'ending' | 'stale';

/** A lock file without sense that is older than this was not left by somebody who is about to finish writing it. */
const UNCLEAR_MS = 5000;
const PAUSE_MS = 2;
/** For a killed process to be gone, and for another taker to finish: both take milliseconds. */
const MAX_PAUSES = 500;

export interface TakeOptions {
  host: string;
  /** As `linkSync`; not all file systems have links. */
  link?: ((from: string, to: string) => void) | undefined;
}

export function newHolder(host: string, now = new Date()): LockHolder {
  return { pid: process.pid, start: ownStart(), since: now.toISOString(), host, token: shortId() };
}

/** What stands in a lock file; undefined when there is none. File system errors are thrown as they are. */
export function readLock(path: string): FoundLock | undefined {
  let text: string;
  let stat: Stats;
  try {
    text = readFileSync(path, 'utf8');
    stat = statSync(path);
  } catch (error) {
    if (isCoded(error, 'ENOENT') || isCoded(error, 'ENOTDIR')) return undefined;
    throw error;
  }
  const holder = parseHolder(text);
  return { holder, token: holder?.token ?? `x${stat.ino}-${Math.trunc(stat.mtimeMs)}`, ageMs: Date.now() - stat.mtimeMs };
}

const TOKEN = /^[0-9a-f]{1,32}$/;

function parseHolder(text: string): LockHolder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Half a file, or somebody else's: the caller decides by its age.
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, start, since, host, token } = value as Record<string, unknown>;
  if (typeof pid !== 'number' || typeof start !== 'string' || typeof since !== 'string') return undefined;
  // It becomes part of a file name.
  if (typeof host !== 'string' || typeof token !== 'string' || !TOKEN.test(token)) return undefined;
  return { pid, start, since, host, token };
}

export function stateOf({ holder, ageMs }: FoundLock, host: string): LockState {
  if (!holder) return ageMs > UNCLEAR_MS ? 'stale' : 'unclear';
  if (holder.host !== host) return 'elsewhere';
  const state = processState(holder.pid, holder.start);
  return state === 'running' ? 'here' : state === 'ending' ? 'ending' : 'stale';
}

/**
 * Takes the lock at `path` for `mine`. Returns undefined when it is ours now, else what is in the way. A lock whose process is
 * gone is replaced. File system errors are thrown as they are.
 *
 * A lock file appears by `link`, whole and at once, and a left one is replaced by `rename`, so that there is never a moment without
 * one. Who may replace it is settled by a second lock, named after the very lock that is to be replaced: its holder looks again,
 * and only then replaces. Whoever comes later, with a stale view, finds another token there. That second lock may itself be left
 * by a crash; it is replaced in the same manner.
 */
export function takeLock(path: string, mine: LockHolder, options: TakeOptions): FoundLock | undefined {
  for (let pauses = 0; ; ) {
    const found = readLock(path);
    if (!found) {
      if (createLock(path, mine, options)) return undefined;
      continue;
    }
    const state = stateOf(found, options.host);
    if (state === 'stale') {
      const guard = `${path}.${found.token}`;
      if (takeLock(guard, mine, options) === undefined) {
        try {
          if (readLock(path)?.token === found.token) {
            replaceLock(path, mine);
            // It may have been killed before it put this away.
            rmSync(asidePath(path, found.token), { force: true });
            return undefined;
          }
        } finally {
          rmSync(guard, { force: true });
        }
        continue;
      }
    } else if (state !== 'ending') return found;
    if (++pauses > MAX_PAUSES) return found;
    pause();
  }
}

/** Removes the lock if it is still the one with this token. */
export function dropLock(path: string, token: string): void {
  if (readLock(path)?.token === token) rmSync(path, { force: true });
}

function createLock(path: string, mine: LockHolder, { link = linkSync }: TakeOptions): boolean {
  const aside = writeAside(path, mine);
  try {
    link(aside, path);
    return true;
  } catch (error) {
    if (isCoded(error, 'EEXIST')) return false;
    // No links here: readers may see the file before its text, and give it a moment.
    return createExclusively(path, mine);
  } finally {
    rmSync(aside, { force: true });
  }
}

function createExclusively(path: string, mine: LockHolder): boolean {
  try {
    writeFileSync(path, textOf(mine), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (isCoded(error, 'EEXIST')) return false;
    // Made, but without room for the text.
    if (isCoded(error, 'ENOSPC') || isCoded(error, 'EDQUOT')) rmSync(path, { force: true });
    throw error;
  }
}

function replaceLock(path: string, mine: LockHolder): void {
  const aside = writeAside(path, mine);
  try {
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

function writeAside(path: string, mine: LockHolder): string {
  const aside = asidePath(path, mine.token);
  try {
    writeFileSync(aside, textOf(mine), { mode: 0o600 });
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
  return aside;
}

const asidePath = (path: string, token: string): string => `${path}.${token}.tmp`;
const textOf = (holder: LockHolder): string => `${JSON.stringify(holder)}\n`;

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
