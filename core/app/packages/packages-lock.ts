import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CodedError, isCoded, messageOf } from '../../base/coded-error.js';
import { replaceFile } from '../../base/replace-file.js';
import { isPlainObject } from '../../resources/setting-kinds.js';
import { APP_ERRORS } from '../errors.js';

/** A package of npm's own lock file: `version`, `resolved`, `integrity` and more, all of it kept. */
export type NpmLockEntry = Readonly<Record<string, unknown>>;
/** By path in the store: `node_modules/foo`. */
export type NpmLock = Readonly<Record<string, NpmLockEntry>>;

export interface GitLockEntry {
  url: string;
  ref?: string;
  /** Full id of the commit. */
  commit: string;
  /** What its dependencies are, where the repository has no lock file of its own. */
  npm?: NpmLock;
}

/**
 * What exactly is installed for a settings file, down to the last dependency, with the digest of each. It lies beside the settings, so
 * that a project can commit it: the folders of packages are ignored there.
 */
export interface PackagesLock {
  npm: NpmLock;
  /** By identity without `git:`: `github.com/user/repo`. */
  git: Readonly<Record<string, GitLockEntry>>;
}

export function packagesLockFile(baseDir: string): string {
  return path.join(baseDir, 'packages-lock.json');
}

/** A missing file locks nothing. Throws PACKAGE_LOCK_INVALID: what is locked must not be taken for free. */
export async function readPackagesLock(baseDir: string): Promise<PackagesLock> {
  const file = packagesLockFile(baseDir);
  let value: unknown;
  try {
    value = JSON.parse((await readFile(file, 'utf8')).replace(/^\ufeff/, ''));
  } catch (error) {
    if (isCoded(error, 'ENOENT')) return { npm: {}, git: {} };
    throw invalid(file, messageOf(error), error);
  }
  const { lockfileVersion, npm = {}, git = {} } = isPlainObject(value) ? value : {};
  if (lockfileVersion !== 1) throw invalid(file, 'it must be an object with "lockfileVersion": 1');
  if (!isNpmLock(npm)) throw invalid(file, '"npm" must be an object of objects');
  if (!isPlainObject(git) || !Object.values(git).every(isGitEntry))
    throw invalid(file, '"git" must be an object of objects with "url" and "commit"');
  // Checked member by member just here.
  return { npm, git: git as PackagesLock['git'] };
}

/** Throws errors of the disk. */
export async function writePackagesLock(baseDir: string, lock: PackagesLock): Promise<void> {
  const sorted = <T>(members: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
  const text = JSON.stringify({ lockfileVersion: 1, npm: sorted(lock.npm), git: sorted(lock.git) }, null, 2);
  await replaceFile(packagesLockFile(baseDir), 0o644, (handle) => handle.writeFile(`${text}\n`));
}

/** The version of a package that the store has at its top, as locked. */
export function lockedVersion(lock: Pick<PackagesLock, 'npm'>, name: string): string | undefined {
  const key = `node_modules/${name}`;
  const entry = Object.hasOwn(lock.npm, key) ? lock.npm[key] : undefined;
  return typeof entry?.version === 'string' ? entry.version : undefined;
}

export function isNpmLock(value: unknown): value is NpmLock {
  return isPlainObject(value) && Object.values(value).every(isPlainObject);
}

function isGitEntry(value: unknown): boolean {
  if (!isPlainObject(value) || typeof value.url !== 'string') return false;
  const isCommit = typeof value.commit === 'string' && /^[0-9a-f]{40,64}$/.test(value.commit);
  return isCommit && (value.npm === undefined || isNpmLock(value.npm));
}

function invalid(file: string, why: string, cause?: unknown): CodedError {
  const message = `${file} can't be used: ${why}. Correct it, or remove it to lock anew`;
  return new CodedError(APP_ERRORS.PACKAGE_LOCK_INVALID, message, { ...(cause !== undefined && { cause }), data: { file } });
}
