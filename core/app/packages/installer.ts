import { stat } from 'node:fs/promises';
import { CodedError, isCoded } from '../../base/coded-error.js';
import { installedVersion } from '../../resources/packages/package-places.js';
import type { GitSource, NpmSource, PackageSource } from '../../resources/packages/package-source.js';
import { APP_ERRORS } from '../errors.js';
import { installGitPackage, removeGitPackage } from './git-store.js';
import { changeNpmStore, isExactVersion } from './npm-store.js';
import { readPackagesLock } from './packages-lock.js';
import type { PackageTools } from './run-tool.js';

/** What became of a package. */
export interface Installed {
  source: PackageSource;
  /** Version, or the first digits of the commit; undefined for a path. */
  version: string | undefined;
  /** What was there before, if anything is known of it. */
  before: string | undefined;
}

const SHORT_COMMIT = 8;

/**
 * Fetches packages into the stores of `baseDir`, npm ones all in one step. `locked`: as the lock file says where it does; `newest`: what
 * the sources allow now, but for exact versions. A path is only looked at. Needs the store's lock, but for paths. Throws the PACKAGE_
 * errors; what was there stays then.
 */
export async function installPackages(
  baseDir: string,
  sources: readonly PackageSource[],
  want: 'locked' | 'newest',
  tools: PackageTools,
): Promise<Installed[]> {
  const installed: Installed[] = [];
  for (const source of sources) {
    if (source.kind !== 'path') continue;
    await mustExist(source.path, source.text);
    installed.push({ source, version: undefined, before: undefined });
  }
  const npm = sources.filter((source) => source.kind === 'npm');
  const git = sources.filter((source) => source.kind === 'git');
  if (npm.length > 0) installed.push(...(await installNpm(baseDir, npm, want, tools)));
  for (const source of git) installed.push(await installGit(baseDir, source, want, tools));
  return installed;
}

/** Takes a package out of its store. A path stays where it is. Needs the store's lock. Throws the PACKAGE_ errors. */
export async function removePackage(baseDir: string, source: PackageSource, tools: PackageTools): Promise<void> {
  if (source.kind === 'npm') await changeNpmStore(baseDir, { remove: [source.name] }, tools);
  else if (source.kind === 'git') await removeGitPackage(baseDir, source);
}

/** Whether `update` leaves it alone. Source: "Packages", npm and git: pinned specs. */
export function isPinned(source: PackageSource): boolean {
  return source.kind === 'npm' ? isExactVersion(source.spec) : false;
}

async function installNpm(
  baseDir: string,
  sources: readonly NpmSource[],
  want: 'locked' | 'newest',
  tools: PackageTools,
): Promise<Installed[]> {
  const before = new Map(sources.map(({ name }) => [name, installedVersion(baseDir, name)]));
  const versions = await changeNpmStore(baseDir, { add: sources.map((source) => ({ source, want })) }, tools);
  return sources.map((source) => ({ source, version: versions.get(source.name), before: before.get(source.name) }));
}

async function installGit(
  baseDir: string,
  source: GitSource,
  want: 'locked' | 'newest',
  tools: PackageTools,
): Promise<Installed> {
  const { git } = await readPackagesLock(baseDir);
  const key = source.folder.join('/');
  const before = Object.hasOwn(git, key) ? git[key]?.commit.slice(0, SHORT_COMMIT) : undefined;
  const { commit } = await installGitPackage(baseDir, source, want, tools);
  return { source, version: commit.slice(0, SHORT_COMMIT), before };
}

async function mustExist(target: string, text: string): Promise<void> {
  try {
    await stat(target);
  } catch (error) {
    if (!isCoded(error, 'ENOENT') && !isCoded(error, 'ENOTDIR')) throw error;
    const hint = /^(?:@[\w.~-]+\/)?[\w.~-]+(?:@[\w.^~-]+)?$/.test(text) ? `; for the npm package of that name: npm:${text}` : '';
    throw new CodedError(APP_ERRORS.PACKAGE_NOT_FOUND, `There is nothing at ${target}${hint}`, { cause: error });
  }
}
