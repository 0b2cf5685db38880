import { openSync } from 'node:fs';
import { encodeLine } from '../../../base/jsonl.js';
import type { StoredEntry } from '../../../protocol/commands/session.js';
import type { SessionHeader } from '../../../protocol/entries.js';
import { createSessionLock } from '../../../session/lock.js';
import { openSession } from '../../../session/session.js';
import { type LockSession, SessionFile } from '../../../session/session-file.js';

/** A session file as it is on disk. `header` is undefined when there is no such file, or nothing in it. */
export interface ReadSession {
  header: SessionHeader | undefined;
  entries: StoredEntry[];
}

let sharedLock: LockSession | undefined;

/** One for the thread: sessions opened twice share their lock. */
function lock(): LockSession {
  sharedLock ??= createSessionLock({ warn: (text) => process.stderr.write(`pi: ${text}\n`) });
  return sharedLock;
}

/**
 * Reads a whole session; files of older versions are rewritten as when the program opens them. Nothing stays open. Throws
 * SESSION_INVALID_FILE, SESSION_READ_FAILED.
 */
export function readSessionFile(path: string, { readOnly = false } = {}): ReadSession {
  const session = openSession(path, { cwd: process.cwd(), lock: lock(), readOnly });
  try {
    return { header: session.isSaved ? session.header : undefined, entries: session.entries() };
  } finally {
    session.dispose();
  }
}

/** Makes the file with everything in it. Throws SESSION_LOCKED, SESSION_WRITE_FAILED. */
export function createSessionFile(path: string, header: SessionHeader, entries: readonly StoredEntry[]): void {
  locked(path, () => {
    const file = new SessionFile(path);
    try {
      file.create([header, ...entries].map(encode));
    } finally {
      file.dispose();
    }
  });
}

/**
 * Appends one entry, after giving a last line its end that has none. The lock is held for the write only, so that the program itself
 * can go on with the session. Throws SESSION_LOCKED while another program is at work in it, and SESSION_WRITE_FAILED.
 */
export function appendToSessionFile(path: string, entry: StoredEntry): void {
  locked(path, () => {
    const file = new SessionFile(path, openSync(path, 'r'));
    try {
      file.append(encode(entry));
    } finally {
      file.dispose();
    }
  });
}

function locked(path: string, write: () => void): void {
  const lease = lock()(path);
  try {
    write();
  } finally {
    lease.dispose();
  }
}

const encode = (record: SessionHeader | StoredEntry): Buffer => Buffer.from(encodeLine(record));
