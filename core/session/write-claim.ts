import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { CodedError, isCoded } from '../base/coded-error.js';
import { SESSION_ERRORS } from './errors.js';
import type { LockSession, SessionFile, SessionLease } from './session-file.js';

export interface ClaimOptions {
  /** Undefined: nothing keeps other writers off. */
  lock?: LockSession | undefined;
  /** Nothing may ever be written. */
  readOnly?: boolean | undefined;
}

/**
 * A session's right to write to its file: the lock, taken when a file is opened or with the first write, and kept until `release`.
 * A session whose file another process writes to can be read; each write tries anew.
 */
export class WriteClaim {
  readonly #options: ClaimOptions;
  #lease: SessionLease | undefined;
  #lockedBy: CodedError | undefined;

  constructor(options: ClaimOptions) {
    this.#options = options;
  }

  /** Tries for the lock of a file that is about to be read, so that nobody writes to it after that. */
  takeBeforeReading(file: string): void {
    const { lock, readOnly } = this.#options;
    if (readOnly || !existsSync(file)) return;
    try {
      this.#lease = lock?.(file);
    } catch (error) {
      if (!isCoded(error, SESSION_ERRORS.SESSION_LOCKED)) throw error;
      this.#lockedBy = error;
    }
  }

  /** The SESSION_LOCKED error, until a claim succeeds. */
  get lockedBy(): CodedError | undefined {
    return this.#lockedBy;
  }

  /** True when what is read now may also be rewritten. */
  get mayRewrite(): boolean {
    const { lock, readOnly } = this.#options;
    return !readOnly && (lock === undefined || this.#lease !== undefined);
  }

  /** Before something is begun that will write. Throws as {@link forWrite}; leaves no trace of a session that may never be saved. */
  ahead(file: SessionFile): void {
    // Nobody can have a file in a directory that isn't there.
    if (file.exists || existsSync(dirname(file.path))) this.forWrite(file);
  }

  /** Before a write. Throws SESSION_LOCKED, SESSION_CHANGED, SESSION_READ_ONLY. */
  forWrite(file: SessionFile): void {
    const { lock, readOnly } = this.#options;
    const { path } = file;
    const data = { file: path };
    if (readOnly) {
      throw new CodedError(SESSION_ERRORS.SESSION_READ_ONLY, `The session ${path} was opened for reading`, { data });
    }
    if (lock === undefined || this.#lease?.confirm() === 'held') return;
    this.#lease ??= lock(path);
    if (file.exists && file.isChanged) {
      this.release();
      throw new CodedError(
        SESSION_ERRORS.SESSION_CHANGED,
        `The session ${path} was written by another process since it was opened here. Open it again to go on`,
        { data },
      );
    }
    this.#lockedBy = undefined;
  }

  release(): void {
    this.#lease?.dispose();
    this.#lease = undefined;
  }
}
