import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { CodedError, isCoded, messageOf } from '../base/coded-error.js';
import { uuidV7 } from '../base/id.js';
import { encodeLine } from '../base/jsonl.js';
import { SESSION_ERRORS } from './errors.js';
import { type Examination, examineFile } from './examine.js';
import type { Finding } from './finding.js';
import { createHeader } from './header.js';
import { withMember } from './json-member.js';
import { createSessionLock, lockedError, sessionLockPath } from './lock.js';
import { dropLock, readLock, stateOf } from './lock-file.js';
import { idInFileName } from './naming.js';
import { readRecord } from './repair-plan.js';

export interface SessionReport {
  file: string;
  findings: Finding[];
  /** Sound entries. */
  entries: number;
  /** Where the file as it was is kept, after a repair. */
  keptAt?: string;
}

/** Says what is wrong with a session file and its lock. Nothing is changed. Throws as {@link examineFile}. */
export function checkSession(file: string): SessionReport {
  const examined = examineFile(file);
  try {
    return reportOf(file, examined, lockFindings(file));
  } finally {
    examined.dispose();
  }
}

export interface RepairOptions {
  /** Goes into a header that has to be made anew. */
  cwd: string;
  now?: () => Date;
  warn: (text: string) => void;
}

/**
 * Repairs a session file: what is sound is written to a new file, which is read through and then takes the old one's place. The old
 * one stays beside it under the name in `keptAt`. A file without problems is left alone. Throws SESSION_LOCKED while a process
 * writes to it, SESSION_WRITE_FAILED with the file as it was, and as {@link examineFile}.
 */
export function repairSession(file: string, { cwd, now = () => new Date(), warn }: RepairOptions): SessionReport {
  const before = checkSession(file);
  if (!hasProblems(before)) return before;
  const aboutLock = before.findings.filter(({ kind }) => kind === 'lock');
  // Taking a lock replaces one that was left, and giving it up removes it.
  const lease = createSessionLock({ warn })(file);
  try {
    removeLeftLocks(file);
    const examined = examineFile(file);
    try {
      const report = reportOf(file, examined, aboutLock);
      if (!hasProblems(examined)) return report;
      return { ...report, keptAt: replaceFile(realpathSync(file), examined, { cwd, now: now() }) };
    } finally {
      examined.dispose();
    }
  } finally {
    lease.dispose();
  }
}

/**
 * Removes a session's lock by a person's decision, for a holder that can't be looked at from here. Returns what it said, undefined
 * when there is none. Throws SESSION_LOCKED when its process runs here.
 */
export function unlockSession(file: string): string | undefined {
  const path = sessionLockPath(file);
  const found = readLock(path);
  if (!found) return undefined;
  const state = stateOf(found, hostname());
  if (state === 'here' || state === 'ending') throw lockedError(file, path, found);
  if (found.holder) dropLock(path, found.token);
  else rmSync(path, { force: true });
  const { holder } = found;
  return holder ? `process ${holder.pid} on ${holder.host}, since ${holder.since}` : 'a lock without sense';
}

function reportOf(file: string, { findings, records }: Examination, aboutLock: Finding[]): SessionReport {
  return { file, findings: [...aboutLock, ...findings], entries: records.index.size };
}

export const hasProblems = ({ findings }: { findings: readonly Finding[] }): boolean =>
  findings.some(({ severity }) => severity === 'problem');

function lockFindings(file: string): Finding[] {
  const path = sessionLockPath(file);
  const found = readLock(path);
  const findings: Finding[] = leftLocks(file).map((name) => ({
    severity: 'problem',
    kind: 'lock',
    message: `${name} was left by a process that was killed while it took the lock`,
  }));
  if (!found) return findings;
  if (stateOf(found, hostname()) === 'stale') {
    const who = found.holder ? `process ${found.holder.pid}, which is gone` : 'nobody knows whom';
    return [{ severity: 'problem', kind: 'lock', message: `The lock ${path} was left by ${who}` }, ...findings];
  }
  return [{ severity: 'note', kind: 'lock', message: lockedError(file, path, found).message }, ...findings];
}

/** Names beside the session that a crash in the middle of taking its lock leaves. */
function leftLocks(file: string): string[] {
  const path = sessionLockPath(file);
  const dir = dirname(path);
  const prefix = `${basename(path)}.`;
  return readdirSync(dir).filter((name) => {
    if (!name.startsWith(prefix)) return false;
    const found = readLock(join(dir, name));
    return found !== undefined && stateOf(found, hostname()) === 'stale';
  });
}

function removeLeftLocks(file: string): void {
  for (const name of leftLocks(file)) rmSync(join(dirname(sessionLockPath(file)), name), { force: true });
}

/** Mending one thing may show another, as with loops in loops; each round has fewer. */
const MAX_ROUNDS = 10;

function replaceFile(file: string, first: Examination, header: { cwd: string; now: Date }): string {
  const names = [0, 1].map((n) => `${file}.${process.pid}.${n}.tmp`);
  let examined = first;
  try {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const next = names[round % 2] ?? '';
      const expected = writeMended(file, examined, next, header);
      const written = examineFile(next);
      if (examined !== first) examined.dispose();
      examined = written;
      if (written.records.index.size !== expected) throw new Error('not every entry could be read back');
      if (hasProblems(written)) continue;
      if (statSync(file).size !== first.size) throw new Error('another program wrote to it meanwhile');
      const keptAt = keepOriginal(file, header.now);
      renameSync(next, file);
      return keptAt;
    }
    throw new Error('there is always one more thing to repair');
  } catch (error) {
    throw new CodedError(
      SESSION_ERRORS.SESSION_WRITE_FAILED,
      `Could not repair the session file ${file}: ${messageOf(error)}. It is as it was`,
      { cause: error, data: { file } },
    );
  } finally {
    if (examined !== first) examined.dispose();
    for (const name of names) rmSync(name, { force: true });
  }
}

/** Writes what is sound, mended, to `target`. Returns how many entries that are. */
function writeMended(file: string, examined: Examination, target: string, made: { cwd: string; now: Date }): number {
  const { records, mends, header } = examined;
  const { fd: source, index, badText } = records;
  const id = idInFileName(basename(file)) ?? uuidV7(made.now.getTime());
  const fd = openSync(target, 'w', 0o600);
  try {
    fchmodSync(fd, statSync(file).mode & 0o777);
    const out = new BlockWriter(fd);
    out.write(Buffer.from(encodeLine(header ?? createHeader({ id, ...made }))));
    let entries = 0;
    for (let at = 0; at < index.size; at++) {
      const mend = mends.get(at) ?? {};
      if (mend.drop) continue;
      let record = readRecord(source, index.offset(at), index.length(at));
      if (badText.has(at)) record = Buffer.from(record.toString('utf8'));
      if (mend.id !== undefined) record = withMember(record, 'id', mend.id);
      if (mend.parentId !== undefined) record = withMember(record, 'parentId', mend.parentId);
      out.write(record);
      out.write(LF);
      entries++;
    }
    out.flush();
    fsyncSync(fd);
    return entries;
  } finally {
    closeSync(fd);
  }
}

const LF = Buffer.from('\n');
const BLOCK = 1 << 20;

/** Gathers small writes. */
class BlockWriter {
  readonly #fd: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#size += bytes.length;
    if (this.#size >= BLOCK) this.flush();
  }

  flush(): void {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#fd, bytes, written);
  }
}

/** A second name for the file, or a copy where there are no links. It never replaces anything. */
function keepOriginal(file: string, now: Date): string {
  const stamp = now.toISOString().replace(/[:.]/g, '-');
  for (let n = 0; ; n++) {
    const kept = `${file}.damaged-${stamp}${n === 0 ? '' : `-${n}`}`;
    try {
      linkSync(file, kept);
      return kept;
    } catch (error) {
      if (isCoded(error, 'EEXIST')) continue;
    }
    try {
      copyFileSync(file, kept, constants.COPYFILE_EXCL);
      return kept;
    } catch (error) {
      if (!isCoded(error, 'EEXIST')) throw error;
    }
  }
}
