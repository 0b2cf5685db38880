import { closeSync, openSync } from 'node:fs';
import { CodedError, isCoded, messageOf } from '../base/coded-error.js';
import type { SessionHeader } from '../protocol/entries.js';
import { EntryIndex } from './entry-index.js';
import { EntryScanner } from './entry-scanner.js';
import { SESSION_ERRORS } from './errors.js';
import { parseHeader, SESSION_VERSION } from './header.js';
import { Ledger } from './ledger.js';
import { migratedCopy, migrateFile } from './migrate.js';
import { type RawLine, readLines } from './read-lines.js';
import { isBlank, isEntry, salvage } from './salvage.js';
import type { FileTail } from './session-file.js';

/** A damaged place that reading passed over. `line` counts from 1, the header being 1. */
export interface FileProblem {
  line: number;
  kind: 'noise' | 'fused' | 'torn';
  bytes: number;
  /** Entries read out of the damaged line. */
  recovered: number;
}

/** A session file's index. `reader` is open; the caller owns it. */
export interface LoadedFile {
  header: SessionHeader;
  index: EntryIndex;
  ledger: Ledger;
  /** Of the file, or of a copy without a name. */
  reader: number;
  /** Bytes that were read. */
  size: number;
  tail: FileTail;
  /** The first {@link MAX_PROBLEMS}; `problemCount` is all. */
  problems: FileProblem[];
  problemCount: number;
}

export const MAX_PROBLEMS = 100;
const UTF8_BOM = '\ufeff';

/**
 * Indexes a session file line by line without building its entries. Undefined when there is no such file or only blank lines
 * in it. Files of older versions are first rewritten, or, with `copy`, read from a copy that is. Throws SESSION_INVALID_FILE for
 * what does not begin with a session header, and SESSION_READ_FAILED; the file is untouched then.
 */
export function loadFile(path: string, { migrate }: { migrate: 'in place' | 'copy' }): LoadedFile | undefined {
  const first = readIndex(path);
  if (first === undefined || first.header.version >= SESSION_VERSION) return first;
  closeSync(first.reader);
  if (migrate === 'copy') return readIndex(path, migratedCopy(path, first.header.version));
  migrateFile(path, first.header.version);
  return readIndex(path);
}

function readIndex(path: string, copy?: number): LoadedFile | undefined {
  let reader: number;
  try {
    reader = copy ?? openSync(path, 'r');
  } catch (error) {
    if (isCoded(error, 'ENOENT')) return undefined;
    throw readFailed(path, error);
  }
  try {
    const indexer = new Indexer(path);
    const size = readLines(reader, (line) => indexer.take(line));
    const loaded = indexer.finish(reader, size);
    if (loaded === undefined) closeSync(reader);
    return loaded;
  } catch (error) {
    closeSync(reader);
    throw isCoded(error, SESSION_ERRORS.SESSION_INVALID_FILE) ? error : readFailed(path, error);
  }
}

export function readFailed(path: string, cause: unknown): CodedError {
  return new CodedError(SESSION_ERRORS.SESSION_READ_FAILED, `Could not read the session file ${path}: ${messageOf(cause)}`, {
    cause,
    data: { file: path },
  });
}

class Indexer {
  readonly #path: string;
  readonly #scanner = new EntryScanner();
  readonly #index = new EntryIndex();
  readonly #ledger = new Ledger();
  readonly #problems: FileProblem[] = [];
  #problemCount = 0;
  #header: SessionHeader | undefined;
  #lines = 0;
  #tail: FileTail = { state: 'clean' };

  constructor(path: string) {
    this.#path = path;
  }

  take(line: RawLine): boolean {
    this.#lines++;
    const { bytes, start, end } = line;
    if (!this.#header) {
      const text = bytes.toString('utf8', start, end);
      if (text.trim() === '') return true;
      this.#header = parseHeader(text.startsWith(UTF8_BOM) ? text.slice(1) : text);
      if (!this.#header) throw invalidFile(this.#path);
      if (!line.terminated) this.#tail = { state: 'unterminated' };
      return this.#header.version >= SESSION_VERSION;
    }
    const after = this.#scanner.scan(bytes, start, end);
    if (after >= 0 && isBlank(bytes, after, end)) {
      if (isEntry(this.#scanner.line)) this.#add(line, start, end);
      else this.#report('noise', line, 0);
      if (!line.terminated) this.#tail = { state: 'unterminated' };
      return true;
    }
    if (isBlank(bytes, start, end)) return true;
    this.#salvage(line);
    return true;
  }

  finish(reader: number, size: number): LoadedFile | undefined {
    if (!this.#header) return undefined;
    this.#index.linkLateParents();
    return {
      header: this.#header,
      index: this.#index,
      ledger: this.#ledger,
      reader,
      size,
      tail: this.#tail,
      problems: this.#problems,
      problemCount: this.#problemCount,
    };
  }

  /** Whole entries within a damaged line: records glued together, or one glued to half of another. */
  #salvage(line: RawLine): void {
    const { bytes, start, end } = line;
    const recovered = salvage(this.#scanner, bytes, start, end, (from, to) => this.#add(line, from, to));
    const torn = recovered === 0 && !line.terminated;
    if (torn) this.#tail = { state: 'torn', offset: line.offset };
    else if (!line.terminated) this.#tail = { state: 'unterminated' };
    this.#report(torn ? 'torn' : recovered > 0 ? 'fused' : 'noise', line, recovered);
  }

  #add(line: RawLine, start: number, end: number): void {
    const scanned = this.#scanner.line;
    this.#ledger.add(scanned);
    this.#index.add({
      id: scanned.id ?? '',
      type: scanned.type ?? '',
      parentId: scanned.parentId ?? null,
      offset: line.offset + start - line.start,
      length: end - start,
      messageOffset: scanned.messageStart < 0 ? 0 : scanned.messageStart - start,
      messageLength: scanned.messageStart < 0 ? 0 : scanned.messageEnd - scanned.messageStart,
      role: scanned.role,
      unsafe: !line.safe,
    });
  }

  #report(kind: FileProblem['kind'], line: RawLine, recovered: number): void {
    this.#problemCount++;
    if (this.#problems.length >= MAX_PROBLEMS) return;
    this.#problems.push({ line: this.#lines, kind, bytes: line.end - line.start, recovered });
  }
}

/** The error for a file that does not begin with a session header. */
export function invalidFile(path: string): CodedError {
  return new CodedError(
    SESSION_ERRORS.SESSION_INVALID_FILE,
    `${path} is not a valid pi session: its first line is no session header. It was left as it is`,
    { data: { file: path } },
  );
}
