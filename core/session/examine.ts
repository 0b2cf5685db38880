import { isUtf8 } from 'node:buffer';
import { closeSync, openSync } from 'node:fs';
import { CodedError, isCoded } from '../base/coded-error.js';
import type { EntryType, SessionHeader } from '../protocol/entries.js';
import { EntryIndex } from './entry-index.js';
import { EntryScanner } from './entry-scanner.js';
import { SESSION_ERRORS } from './errors.js';
import type { Finding } from './finding.js';
import { parseHeader, SESSION_VERSION } from './header.js';
import { invalidFile, readFailed } from './load.js';
import { migratedCopy } from './migrate.js';
import { type RawLine, readLines } from './read-lines.js';
import { type Mend, mendTree, type StoredRecords } from './repair-plan.js';
import { isBlank, isCertainEntry, isEntry, salvage } from './salvage.js';

/** What is in a session file, sound or not. Its descriptor is open: call `dispose`. */
export interface Examination {
  /** In the order of the file. */
  findings: Finding[];
  /** Undefined when it was damaged. */
  header: SessionHeader | undefined;
  records: StoredRecords;
  mends: ReadonlyMap<number, Mend>;
  /** Bytes that were read of the file itself. */
  size: number;
  dispose(): void;
}

const UTF8_BOM = '\ufeff';

/**
 * Reads a session file to the end and says all that is wrong with it; nothing is written. An older version is looked at in the form
 * it will have. A file with nothing in it has nothing wrong. Throws SESSION_NOT_FOUND, SESSION_READ_FAILED, and SESSION_INVALID_FILE
 * for what holds neither a session header nor a single entry.
 */
export function examineFile(path: string): Examination {
  let fd = openFile(path);
  try {
    let examiner = new Examiner(path);
    const size = readLines(fd, (line) => examiner.take(line));
    const version = examiner.version ?? SESSION_VERSION;
    if (version < SESSION_VERSION) {
      const copy = migratedCopy(path, version);
      closeSync(fd);
      fd = copy;
      examiner = new Examiner(path);
      readLines(fd, (line) => examiner.take(line));
      examiner.oldVersion(version);
    }
    return examiner.finish(fd, size);
  } catch (error) {
    closeSync(fd);
    throw isCoded(error) && 'errno' in error ? readFailed(path, error) : error;
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (!isCoded(error, 'ENOENT')) throw readFailed(path, error);
    throw new CodedError(SESSION_ERRORS.SESSION_NOT_FOUND, `There is no session file ${path}`, { data: { file: path } });
  }
}

const KNOWN_TYPES: Readonly<Record<EntryType, true>> = {
  message: true,
  model_change: true,
  thinking_level_change: true,
  compaction: true,
  branch_summary: true,
  custom: true,
  custom_message: true,
  label: true,
  session_info: true,
};

class Examiner {
  readonly #path: string;
  readonly #scanner = new EntryScanner();
  readonly #index = new EntryIndex();
  readonly #lines: number[] = [];
  readonly #parentless = new Set<number>();
  readonly #badText = new Set<number>();
  readonly #findings: Finding[] = [];
  #line = 0;
  #begun = false;
  #header: SessionHeader | undefined;
  /** Everything so far could be nothing but an entry of a session. */
  #certain = true;

  constructor(path: string) {
    this.#path = path;
  }

  get version(): number | undefined {
    return this.#header?.version;
  }

  take(line: RawLine): boolean {
    this.#line++;
    const { bytes, start, end, terminated } = line;
    if (isBlank(bytes, start, end)) return true;
    if (!line.safe && !isUtf8(bytes.subarray(start, end))) {
      this.#problem('utf8', 'holds bytes that are no UTF-8; each becomes the replacement character');
    }
    if (!this.#begun) {
      this.#begun = true;
      if (this.#takeHeader(line)) return true;
    }
    const after = this.#scanner.scan(bytes, start, end);
    if (after < 0 || !isBlank(bytes, after, end)) this.#takeDamaged(line);
    else {
      if (isEntry(this.#scanner.line)) this.#add(line, start, end);
      else this.#notAnEntry(line);
      if (!terminated) this.#problem('newline', 'has no newline at its end');
    }
    return true;
  }

  oldVersion(version: number): void {
    this.#note('version', `The file has version ${version}; opening it makes that ${SESSION_VERSION}`, 1);
  }

  finish(fd: number, size: number): Examination {
    const index = this.#index;
    if (!this.#header && this.#begun && (index.size === 0 || !this.#certain)) throw invalidFile(this.#path);
    index.linkLateParents();
    const records = { fd, index, lines: this.#lines, parentless: this.#parentless, badText: this.#badText };
    const { mends, findings } = mendTree(records);
    for (const [at, type] of index.types.entries()) {
      if (Object.hasOwn(KNOWN_TYPES, type)) continue;
      this.#note('unknown-type', `is an entry of type "${type}", which this version does not know; it is kept`, this.#lines[at]);
    }
    return {
      findings: [...this.#findings, ...findings].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
      header: this.#header,
      records,
      mends,
      size,
      dispose: () => closeSync(fd),
    };
  }

  /** The first line that is not blank. True when nothing is left of it. */
  #takeHeader({ bytes, start, end, terminated }: RawLine): boolean {
    const text = bytes.toString('utf8', start, end);
    this.#header = parseHeader(text.startsWith(UTF8_BOM) ? text.slice(1) : text);
    if (this.#header) {
      if (!terminated) this.#problem('newline', 'has no newline at its end');
      return true;
    }
    const after = this.#scanner.scan(bytes, start, end);
    if (after >= 0) this.#header = parseHeader(bytes.toString('utf8', start, after));
    // The header, and something glued to it, which the caller goes on with.
    if (!this.#header) this.#problem('header', 'is no session header, with which a session begins');
    return false;
  }

  #takeDamaged(line: RawLine): void {
    const { bytes, start, end, terminated } = line;
    const found = salvage(this.#scanner, bytes, start, end, (from, to) => this.#add(line, from, to));
    const size = `${end - start} bytes`;
    if (found > 0) {
      const entries = found === 1 ? 'one entry and something else' : `${found} entries`;
      this.#problem('fused', `holds ${entries}, run into one another (${size})`);
    } else if (!terminated) this.#problem('torn', `is half a record (${size}), as a crash leaves it`);
    else if (!this.#isReported()) this.#problem('noise', `is no record (${size})`);
    if (found > 0 && !terminated) this.#problem('newline', 'has no newline at its end');
  }

  #notAnEntry({ bytes, start, end }: RawLine): void {
    const header = parseHeader(bytes.toString('utf8', start, end));
    if (header && !this.#header) {
      this.#header = header;
      return;
    }
    if (!this.#isReported()) this.#problem('noise', header ? 'is a second header' : 'is JSON, but no entry');
  }

  /** This line was said to be no header: that is enough. */
  #isReported(): boolean {
    const last = this.#findings.at(-1);
    return last?.kind === 'header' && last.line === this.#line;
  }

  #add(line: RawLine, start: number, end: number): void {
    const { line: scanned } = this.#scanner;
    if (!this.#header) this.#certain &&= isCertainEntry(scanned);
    const at = this.#index.add({
      id: scanned.id ?? '',
      type: scanned.type ?? '',
      parentId: scanned.parentId ?? null,
      offset: line.offset + start - line.start,
      length: end - start,
      messageOffset: 0,
      messageLength: 0,
      role: null,
      unsafe: false,
    });
    this.#lines.push(this.#line);
    if (scanned.parentId === undefined) this.#parentless.add(at);
    if (!line.safe && !isUtf8(line.bytes.subarray(start, end))) this.#badText.add(at);
  }

  #problem(kind: Finding['kind'], message: string): void {
    this.#findings.push({ line: this.#line, severity: 'problem', kind, message });
  }

  #note(kind: Finding['kind'], message: string, line: number | undefined): void {
    this.#findings.push({ ...(line !== undefined && { line }), severity: 'note', kind, message });
  }
}
