import { CodedError } from '../base/coded-error.js';
import { encodeAround } from '../base/encode-once.js';
import { encodeLine, escapeSeparators } from '../base/jsonl.js';
import type { JsonPiece } from '../base/raw-json.js';
import type { StoredEntry } from '../protocol/commands/session.js';
import type { SessionHeader } from '../protocol/entries.js';
import { EntryIndex, UNSTORED } from './entry-index.js';
import { SESSION_ERRORS } from './errors.js';
import { Ledger } from './ledger.js';
import type { LoadedFile } from './load.js';
import type { SessionFile } from './session-file.js';

/** Longest stretch of stored lines that is read and decoded at once, in bytes: what a reader of the whole waits for between two pieces. */
const STRETCH = 256 << 10;
const LF = 0x0a;
const COMMA = 0x2c;

/**
 * All entries of a session, in memory or in its file, by position. Entries in the file are kept as offsets and parsed when
 * needed; those that a context holds stay parsed, so that the same entry is the same object.
 */
export class EntryStore {
  readonly index: EntryIndex;
  readonly ledger: Ledger;
  readonly #header: SessionHeader;
  /** Undefined for a session that is never written. */
  readonly #file: SessionFile | undefined;
  readonly #parsed = new Map<number, StoredEntry>();
  /** Given each line that was added, without its line end. */
  onLine: ((line: Uint8Array) => void) | undefined;

  constructor(header: SessionHeader, file: SessionFile | undefined, loaded?: LoadedFile) {
    this.#header = header;
    this.#file = file;
    this.index = loaded?.index ?? new EntryIndex();
    this.ledger = loaded?.ledger ?? new Ledger();
  }

  /** Stores one entry; with `create` the file is made first, with everything so far. Nothing changes when it throws. */
  add(entry: StoredEntry, create: boolean): number {
    const line = encode(entry);
    const file = this.#file;
    let offset = UNSTORED;
    if (file?.exists) offset = file.append(line);
    else if (file && create) offset = this.#createFile(file, line);
    const at = this.index.add({
      id: entry.id,
      type: entry.type,
      parentId: entry.parentId,
      offset,
      length: line.length - 1,
      messageOffset: 0,
      messageLength: 0,
      role: roleOf(entry),
      unsafe: false,
    });
    this.ledger.addEntry(entry);
    this.#parsed.set(at, entry);
    this.onLine?.(line.subarray(0, line.length - 1));
    return at;
  }

  /** The entry, kept parsed. */
  entry(at: number): StoredEntry {
    const known = this.#parsed.get(at);
    if (known) return known;
    const entry = this.peek(at);
    this.#parsed.set(at, entry);
    return entry;
  }

  /** The entry, parsed for this use only (unless it is kept already). */
  peek(at: number): StoredEntry {
    const known = this.#parsed.get(at);
    if (known) return known;
    const value: unknown = JSON.parse(this.#bytes(at).toString('utf8'));
    const entry = value as StoredEntry; // the index took it for an entry
    if (entry.parentId === undefined) entry.parentId = null;
    return entry;
  }

  /** Forgets parsed entries that are in the file, but for `keep`. */
  forgetBut(keep: ReadonlySet<number>): void {
    for (const at of this.#parsed.keys()) {
      if (!keep.has(at) && this.index.offset(at) !== UNSTORED) this.#parsed.delete(at);
    }
  }

  /** The entry as JSON text, safe for readers that split lines at other characters than LF. */
  text(at: number): string {
    if (this.index.offset(at) === UNSTORED) return escapeSeparators(JSON.stringify(this.entry(at)));
    if (this.index.isUnsafe(at)) return escapeSeparators(JSON.stringify(this.peek(at)));
    return this.#bytes(at).toString('utf8');
  }

  /** The entry as JSON that may be written as it is. */
  piece(at: number): JsonPiece {
    const stored = this.index.offset(at) !== UNSTORED && !this.index.isUnsafe(at);
    return stored ? this.#bytes(at) : this.text(at);
  }

  /** The stored bytes of an entry's message, or undefined when they are not known. */
  messageBytes(at: number): Buffer | undefined {
    const { index } = this;
    const length = index.messageLength(at);
    if (length === 0 || index.offset(at) === UNSTORED || index.isUnsafe(at) || !this.#file) return undefined;
    return this.#file.read(index.offset(at) + index.messageOffset(at), length);
  }

  /**
   * The entries from `first` to before `end` as JSON, joined by commas, in pieces. Neighbours in the file are read together.
   */
  *pieces(first: number, end: number): Generator<JsonPiece> {
    for (let at = first; at < end; ) {
      const next = Math.min(end, this.#stretchEnd(at));
      if (at > first) yield ',';
      yield next - at > 1 ? this.#stretch(at, next) : this.piece(at);
      at = next;
    }
  }

  #createFile(file: SessionFile, last: Buffer): number {
    const lines: Buffer[] = [Buffer.from(encodeLine(this.#header))];
    for (let at = 0; at < this.index.size; at++) lines.push(encode(this.entry(at)));
    lines.push(last);
    file.create(lines);
    let offset = lines[0]?.length ?? 0;
    for (let at = 0; at < this.index.size; at++) {
      const length = lines[at + 1]?.length ?? 0;
      this.index.setPlace(at, offset, length - 1);
      offset += length;
    }
    return offset;
  }

  #bytes(at: number): Buffer {
    const offset = this.index.offset(at);
    if (!this.#file || offset === UNSTORED) return Buffer.from(JSON.stringify(this.entry(at)));
    return this.#file.read(offset, this.index.length(at));
  }

  /** The position after the last entry that follows `at` in the file with nothing but a LF between, up to {@link STRETCH} bytes. */
  #stretchEnd(at: number): number {
    const { index } = this;
    const start = index.offset(at);
    let here = at;
    while (index.offset(here) !== UNSTORED && !index.isUnsafe(here)) {
      const end = index.offset(here) + index.length(here);
      if (here + 1 >= index.size || index.offset(here + 1) !== end + 1 || end - start > STRETCH) return here + 1;
      if (index.isUnsafe(here + 1)) return here + 1;
      here++;
    }
    return Math.max(here, at + 1);
  }

  #stretch(from: number, to: number): Buffer {
    const { index } = this;
    const start = index.offset(from);
    const end = index.offset(to - 1) + index.length(to - 1);
    // A copy: the line ends become commas.
    const bytes = Buffer.from(this.#file?.read(start, end - start) ?? []);
    for (let at = from; at < to - 1; at++) {
      const breakAt = index.offset(at) + index.length(at) - start;
      if (bytes[breakAt] !== LF) throw new Error(`The session file changed under us at byte ${start + breakAt}`);
      bytes[breakAt] = COMMA;
    }
    return bytes;
  }
}

const MESSAGE: ReadonlySet<string> = new Set(['message']);

function encode(entry: StoredEntry): Buffer {
  try {
    // The message was, or will be, written as an event as well.
    return Buffer.from(entry.type === 'message' ? `${encodeAround(entry, MESSAGE)}\n` : encodeLine(entry));
  } catch (error) {
    throw new CodedError(SESSION_ERRORS.SESSION_ENTRY_INVALID, `An entry of type ${entry.type} can't be written as JSON`, {
      cause: error,
      data: { type: entry.type },
    });
  }
}

function roleOf(entry: StoredEntry): string | null {
  const { message } = entry;
  if (typeof message !== 'object' || message === null || !('role' in message)) return null;
  return typeof message.role === 'string' && message.role !== '' ? message.role : null;
}
