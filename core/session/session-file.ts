import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CodedError, messageOf } from '../base/coded-error.js';
import { SESSION_ERRORS } from './errors.js';

/** How an existing file ends. Only the last line may lack its LF. */
export type FileTail =
  | { state: 'clean' }
  /** A whole record without LF. */
  | { state: 'unterminated' }
  /** Half a record from `offset` on, as a crash in the middle of a write leaves it. */
  | { state: 'torn'; offset: number };

/** Keeps other writers off a session file while it is held. Throws SESSION_LOCKED, which names the one who holds it. */
export type LockSession = (file: string) => SessionLease;

export interface SessionLease {
  /** Called before each write. `regained`: others may have written meanwhile. Throws SESSION_LOCKED when it belongs to another now. */
  confirm(): 'held' | 'regained';
  dispose(): void;
}

const BLOCK = 256 * 1024;

/**
 * The file of one session: appended to record by record, read back by offset. Every write is synchronous and whole, or the
 * file has its old length again. Owns its descriptors; call `dispose`.
 */
export class SessionFile {
  readonly path: string;
  #reader: number | undefined;
  #writer: number | undefined;
  #tail: FileTail;
  #block: Buffer = Buffer.alloc(0);
  #blockOffset = 0;
  /** Its length when it was read, and what we wrote since. */
  #knownSize: number;

  /** `reader` is an open descriptor of the file, which becomes ours; undefined when it is yet to be created. `size` is what was read of it. */
  constructor(path: string, reader?: number, tail: FileTail = { state: 'clean' }, size = 0) {
    this.path = path;
    this.#reader = reader;
    this.#tail = tail;
    this.#knownSize = size;
  }

  get exists(): boolean {
    return this.#reader !== undefined;
  }

  /** True when somebody else wrote to it, replaced it, removed it, or made it first. */
  get isChanged(): boolean {
    const now = statSync(this.path, { throwIfNoEntry: false });
    if (this.#reader === undefined) return now !== undefined && now.size > 0;
    const { dev, ino } = fstatSync(this.#reader);
    return now === undefined || now.dev !== dev || now.ino !== ino || now.size !== this.#knownSize;
  }

  /** Creates the file (and its directory, both for the owner only) with all records so far. Throws SESSION_WRITE_FAILED. */
  create(records: readonly Buffer[]): void {
    let fd: number | undefined;
    const isNew = !existsSync(this.path);
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      fd = openSync(this.path, 'a+', 0o600);
      const { size } = fstatSync(fd);
      if (size > 0) {
        // Blank lines are no content of anyone's; offsets count from the start.
        if (!isBlank(fd, size)) throw new Error('another program has written to it meanwhile');
        ftruncateSync(fd, 0);
      }
      const bytes = Buffer.concat(records);
      writeWhole(fd, bytes);
      this.#knownSize = bytes.length;
      this.#reader = openSync(this.path, 'r');
      this.#writer = fd;
    } catch (error) {
      if (fd !== undefined) {
        closeSync(fd);
        if (isNew) rmSync(this.path, { force: true });
      }
      throw this.#failed('create', error);
    }
  }

  /** Appends one record (with its LF) and returns its offset. Throws SESSION_WRITE_FAILED, the file as long as before. */
  append(record: Buffer): number {
    try {
      this.#writer ??= this.#openWriter();
      const { size, nlink } = fstatSync(this.#writer);
      if (nlink === 0) throw new Error('it was deleted while in use');
      writeWhole(this.#writer, record, size);
      this.#knownSize += record.length;
      return size;
    } catch (error) {
      throw this.#failed('write to', error);
    }
  }

  /** Bytes of the file. Neighbouring short reads share one block; the result is only good until the next read. */
  read(offset: number, length: number): Buffer {
    const within = offset - this.#blockOffset;
    if (within >= 0 && within + length <= this.#block.length) return this.#block.subarray(within, within + length);
    if (length >= BLOCK) return this.#readExact(offset, length);
    // Aligned, so that reading backwards is as cheap as forwards; two blocks hold any short record.
    this.#blockOffset = Math.floor(offset / BLOCK) * BLOCK;
    this.#block = this.#readSome(this.#blockOffset, 2 * BLOCK);
    const start = offset - this.#blockOffset;
    if (start + length > this.#block.length) throw this.#failed('read', new Error('it is shorter than it was'));
    return this.#block.subarray(start, start + length);
  }

  dispose(): void {
    if (this.#reader !== undefined) closeSync(this.#reader);
    if (this.#writer !== undefined) closeSync(this.#writer);
    this.#reader = undefined;
    this.#writer = undefined;
    this.#block = Buffer.alloc(0);
  }

  #openWriter(): number {
    const fd = openSync(this.path, 'a+', 0o600);
    try {
      const { size } = fstatSync(fd);
      if (this.#tail.state === 'torn' && this.#setAside(fd, this.#tail.offset, size)) return fd;
      if (size > 0 && lastByte(fd, size) !== 0x0a) {
        writeWhole(fd, Buffer.from('\n'));
        this.#knownSize++;
      }
      return fd;
    } catch (error) {
      closeSync(fd);
      throw error;
    } finally {
      this.#tail = { state: 'clean' };
    }
  }

  /** Moves half a record to a file of its own beside the session. False when that can't be done: it is then ended by a LF. */
  #setAside(fd: number, offset: number, size: number): boolean {
    const torn = Buffer.alloc(size - offset);
    readSync(fd, torn, 0, torn.length, offset);
    // Completed or continued by someone else since we read it: then it is not ours to move.
    if (torn.includes(0x0a)) return false;
    try {
      appendFileSync(`${this.path}.torn`, Buffer.concat([torn, Buffer.from('\n')]), { mode: 0o600 });
    } catch {
      // No room or no right beside the file: the bytes stay where they are, which every reader skips.
      return false;
    }
    ftruncateSync(fd, offset);
    this.#knownSize -= torn.length;
    this.#block = Buffer.alloc(0);
    return true;
  }

  #readExact(offset: number, length: number): Buffer {
    const bytes = this.#readSome(offset, length);
    if (bytes.length < length) throw this.#failed('read', new Error('it is shorter than it was'));
    return bytes;
  }

  #readSome(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    try {
      if (this.#reader === undefined) throw new Error('it is closed');
      while (filled < length) {
        const read = readSync(this.#reader, bytes, filled, length - filled, offset + filled);
        if (read === 0) break;
        filled += read;
      }
    } catch (error) {
      throw this.#failed('read', error);
    }
    return bytes.subarray(0, filled);
  }

  #failed(what: 'create' | 'write to' | 'read', cause: unknown): CodedError {
    const code = what === 'read' ? SESSION_ERRORS.SESSION_READ_FAILED : SESSION_ERRORS.SESSION_WRITE_FAILED;
    return new CodedError(code, `Could not ${what} the session file ${this.path}: ${messageOf(cause)}`, {
      cause,
      data: { file: this.path },
    });
  }
}

/** All bytes or none: what a failed write left is cut off again. */
function writeWhole(fd: number, bytes: Buffer, size = fstatSync(fd).size): void {
  try {
    for (let written = 0; written < bytes.length; ) {
      const count = writeSync(fd, bytes, written);
      if (count === 0) throw new Error('the system took no bytes');
      written += count;
    }
  } catch (error) {
    ftruncateSync(fd, size);
    throw error;
  }
}

function lastByte(fd: number, size: number): number | undefined {
  const byte = Buffer.alloc(1);
  readSync(fd, byte, 0, 1, size - 1);
  return byte[0];
}

const MAX_BLANK = 1024;

function isBlank(fd: number, size: number): boolean {
  if (size > MAX_BLANK) return false;
  const bytes = Buffer.alloc(size);
  readSync(fd, bytes, 0, size, 0);
  return bytes.toString('latin1').trim() === '';
}
