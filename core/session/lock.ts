import { mkdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { CodedError, isCoded, messageOf } from '../base/coded-error.js';
import { SESSION_ERRORS } from './errors.js';
import { dropLock, type FoundLock, newHolder, readLock, type TakeOptions, takeLock } from './lock-file.js';
import type { LockSession, SessionLease } from './session-file.js';

export interface SessionLockOptions {
  /** Told once per directory in which no lock can be made; the session is then written without one. */
  warn: (text: string, file: string) => void;
  /** Default: this machine's name. */
  host?: string | undefined;
  link?: TakeOptions['link'];
}

/**
 * Keeps a session file to one writing process, by a file `<session>.lock` that names it. Sessions of one `createSessionLock` share
 * their lock, so that a program may open a file again before it closes it. The lock is given up on dispose and at the process's
 * exit; one that a dead process left is taken over. Taking throws SESSION_LOCKED, and SESSION_WRITE_FAILED when there is no directory
 * for the file and none can be made.
 */
export function createSessionLock({ warn, host = hostname(), link }: SessionLockOptions): LockSession {
  const held = new Map<string, HeldLock>();
  const warned = new Set<string>();
  const options: TakeOptions = { host, link };
  const atExit = (): void => {
    for (const lock of held.values()) lock.drop();
  };
  return (file) => {
    const real = realPath(file);
    const path = lockPathOf(real);
    let lock = held.get(path);
    if (!lock) {
      try {
        lock = new HeldLock(file, path, options);
      } catch (error) {
        if (!isSystemError(error)) throw error;
        if (!warned.has(dirname(real))) warn(unlockable(file, error), file);
        warned.add(dirname(real));
        return NO_LEASE;
      }
      if (held.size === 0) process.on('exit', atExit);
      held.set(path, lock);
    }
    return lease(lock, () => {
      held.delete(path);
      if (held.size === 0) process.off('exit', atExit);
    });
  };
}

/** Where a session's lock stands: beside the file itself, not beside links to it. */
export function sessionLockPath(file: string): string {
  return lockPathOf(realPath(file));
}

/** The error for a lock that is in the way. `data` tells a program what the message tells a person. */
export function lockedError(file: string, path: string, found: FoundLock, host = hostname()): CodedError {
  const { holder } = found;
  const data = { file, lockFile: path, ...(holder && { pid: holder.pid, since: holder.since, host: holder.host }) };
  return new CodedError(SESSION_ERRORS.SESSION_LOCKED, `${whoHolds(file, found, host)} ${wayOut(file, found, host)}`, { data });
}

function whoHolds(file: string, { holder }: FoundLock, host: string): string {
  if (!holder) return `The session ${file} is being taken by another process at this moment.`;
  const since = `since ${holder.since.slice(0, 19).replace('T', ' ')} UTC`;
  if (holder.host !== host) return `The session ${file} is in use by process ${holder.pid} on the host ${holder.host}, ${since}.`;
  if (holder.pid === process.pid) return `The session ${file} is in use by this process already, ${since}.`;
  return `The session ${file} is in use by process ${holder.pid}, ${since}.`;
}

function wayOut(file: string, { holder }: FoundLock, host: string): string {
  if (!holder) return 'Try again in a few seconds.';
  const copy = `go on in a copy with --fork ${file}`;
  if (holder.host === host) return `It can be read here. To write, end that process, or ${copy}`;
  return `Whether that one still runs can't be seen from here. If it does not, run: pi session unlock ${file}. Or ${copy}`;
}

/** One lock file that is ours, and how many sessions rely on it. */
class HeldLock {
  users = 0;
  readonly #file: string;
  readonly #path: string;
  readonly #options: TakeOptions;
  #token = '';
  #stat: Stats | undefined;

  constructor(file: string, path: string, options: TakeOptions) {
    this.#file = file;
    this.#path = path;
    this.#options = options;
    makeDirectory(file, dirname(path));
    this.#take();
  }

  /**
   * Looks whether the lock is still ours: a person may have removed it, or a process that could not see this one taken it. A lock
   * that is missing is taken again. Throws SESSION_LOCKED. Costs one look at the file.
   */
  confirm(): 'held' | 'regained' {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    const known = this.#stat;
    if (stat && known && stat.ino === known.ino && stat.mtimeMs === known.mtimeMs) return 'held';
    const found = readLock(this.#path);
    if (found?.token === this.#token) {
      this.#stat = stat;
      return 'held';
    }
    try {
      this.#take();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      // Its directory is gone, or full: the write that comes now tells.
      return 'held';
    }
    return 'regained';
  }

  drop(): void {
    try {
      dropLock(this.#path, this.#token);
    } catch (error) {
      // It will be seen to be stale; there is nobody to tell at an exit.
      if (!isCoded(error)) throw error;
    }
  }

  #take(): void {
    const mine = newHolder(this.#options.host);
    const inTheWay = takeLock(this.#path, mine, this.#options);
    if (inTheWay) throw lockedError(this.#file, this.#path, inTheWay, this.#options.host);
    this.#token = mine.token;
    this.#stat = statSync(this.#path, { throwIfNoEntry: false });
  }
}

function lease(lock: HeldLock, forget: () => void): SessionLease {
  lock.users++;
  let disposed = false;
  return {
    confirm: () => lock.confirm(),
    dispose() {
      if (disposed) return;
      disposed = true;
      if (--lock.users > 0) return;
      forget();
      lock.drop();
    },
  };
}

const NO_LEASE: SessionLease = { confirm: () => 'held', dispose: () => undefined };

/** An error of the file system, not one of ours. */
const isSystemError = (error: unknown): boolean => isCoded(error) && 'errno' in error;

function makeDirectory(file: string, dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CodedError(SESSION_ERRORS.SESSION_WRITE_FAILED, `Could not create the session file ${file}: ${messageOf(error)}`, {
      cause: error,
      data: { file },
    });
  }
}

const lockPathOf = (real: string): string => `${real}.lock`;

function unlockable(file: string, error: unknown): string {
  return `Nothing keeps other processes from writing to the session ${file}: its lock could not be made (${messageOf(error)})`;
}

/** The file's own path, also when only its directory, or not even that, exists. */
function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch (error) {
    if (!isCoded(error)) throw error;
    const dir = dirname(file);
    return dir === file ? file : join(realPath(dir), basename(file));
  }
}
