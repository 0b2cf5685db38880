import { mkdtempSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodedError, messageOf } from '../base/coded-error.js';
import { shortId } from '../base/id.js';
import { escapeSeparators } from '../base/jsonl.js';
import { SESSION_ERRORS } from './errors.js';
import { SESSION_VERSION } from './header.js';

/**
 * Rewrites a file of version 1 or 2 as version 3, written aside and renamed. Lines that are no JSON objects stay as they are.
 * Throws SESSION_WRITE_FAILED, the file as it was. Source: session-format document, "Session Version".
 */
export function migrateFile(path: string, version: number): void {
  const aside = `${path}.${process.pid}.tmp`;
  try {
    const lines = migrateLines(readFileSync(path, 'utf8').split('\n'), version);
    writeFileSync(aside, lines.join('\n'), { mode: statSync(path).mode });
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw new CodedError(
      SESSION_ERRORS.SESSION_WRITE_FAILED,
      `Could not bring the session file ${path} from version ${version} to ${SESSION_VERSION}: ${messageOf(error)}`,
      { cause: error, data: { file: path } },
    );
  }
}

/** An open descriptor of a copy in version 3's form, which has no name any more: it goes with its last reader. Throws SESSION_READ_FAILED. */
export function migratedCopy(path: string, version: number): number {
  let dir: string | undefined;
  try {
    dir = mkdtempSync(join(tmpdir(), 'pi-session-'));
    const copy = join(dir, 'copy');
    writeFileSync(copy, migrateLines(readFileSync(path, 'utf8').split('\n'), version).join('\n'), { mode: 0o600 });
    return openSync(copy, 'r');
  } catch (error) {
    throw new CodedError(
      SESSION_ERRORS.SESSION_READ_FAILED,
      `Could not read the session file ${path} of version ${version}: ${messageOf(error)}`,
      { cause: error, data: { file: path } },
    );
  } finally {
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  }
}

type Json = Record<string, unknown>;

/** The lines of an old file as version 3 has them. Pure but for the ids it makes up. */
export function migrateLines(lines: readonly string[], version: number): string[] {
  const records = lines.map(parseObject);
  if (version < 2) addTree(records);
  for (const record of records) renameRoles(record);
  const header = records.find((record) => record !== undefined);
  if (header) {
    // Where existing files have it: last.
    delete header.version;
    header.version = SESSION_VERSION;
  }
  return lines.map((line, at) => {
    const record = records[at];
    return record === undefined ? line.replace(/\r$/, '') : escapeSeparators(JSON.stringify(record));
  });
}

function parseObject(line: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(line);
    // A JSON object; arrays are noise.
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    // Blank or damaged: kept as it is.
    return undefined;
  }
}

/** Version 1 is a plain list: each entry hangs below the one before. Compactions named the first kept one by its place, the header being 0. */
function addTree(records: (Json | undefined)[]): void {
  const list = records.filter((record) => record !== undefined);
  const taken = new Set<string>();
  let parentId: string | null = null;
  for (const [at, record] of list.entries()) {
    if (at === 0) continue;
    const { type, ...rest } = record;
    const id = shortId(taken);
    taken.add(id);
    for (const key of Object.keys(record)) delete record[key];
    Object.assign(record, { type, id, parentId }, rest, { id, parentId });
    parentId = id;
  }
  for (const record of list) {
    if (record.type !== 'compaction' || typeof record.firstKeptEntryIndex !== 'number') continue;
    const kept = list[record.firstKeptEntryIndex];
    delete record.firstKeptEntryIndex;
    if (typeof kept?.id === 'string' && kept !== list[0]) record.firstKeptEntryId = kept.id;
  }
}

/** Version 2 called an extension's message `hookMessage`. */
function renameRoles(record: Json | undefined): void {
  const message = record?.message;
  if (typeof message !== 'object' || message === null) return;
  const stored = message as Json; // an object, as just checked
  if (stored.role === 'hookMessage') stored.role = 'custom';
}
