import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CodedError } from '../base/coded-error.js';
import { TOOL_ERRORS } from './errors.js';

/**
 * Replaces a file's contents so that a crash or a full disk leaves the old or the new ones: written aside, then renamed, with the old mode.
 * Where a new file would break something (a symbolic or hard link, another owner) or the folder takes none, it is written in place.
 */
export async function replaceFile(path: string, data: Buffer): Promise<void> {
  const old = await lstatIfAny(path);
  if (old?.isDirectory()) throw new CodedError(TOOL_ERRORS.WRONG_FILE_KIND, `${path} is a folder`);
  if (old && !old.isFile() && !old.isSymbolicLink()) {
    throw new CodedError(TOOL_ERRORS.WRONG_FILE_KIND, `${path} is not a regular file`);
  }
  if (old && !canBeReplaced(old)) {
    await writeFile(path, data);
    return;
  }
  if (!old) await mkdir(dirname(path), { recursive: true });
  // Refuse what the mode forbids: a rename would only ask the folder.
  else await (await open(path, 'r+')).close();
  const aside = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeAside(aside, data, old);
  } catch (error) {
    await rm(aside, { force: true });
    if (!old || !isForbidden(error)) throw error;
    await writeFile(path, data);
    return;
  }
  try {
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

async function writeAside(aside: string, data: Buffer, old: Stats | undefined): Promise<void> {
  const file = await open(aside, 'wx', old ? old.mode & 0o7777 : 0o666);
  try {
    await file.writeFile(data);
    // The umask may have taken bits that the old file has.
    if (old) await file.chmod(old.mode & 0o7777);
  } finally {
    await file.close();
  }
}

function canBeReplaced(old: Stats): boolean {
  return (
    old.isFile() &&
    old.nlink === 1 &&
    (process.getuid === undefined || (old.uid === process.getuid() && old.gid === process.getgid?.()))
  );
}

function isForbidden(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '');
}

async function lstatIfAny(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
