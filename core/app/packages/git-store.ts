import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { folderInStore, oldStoreFolder, storeFolder } from '../../resources/packages/package-places.js';
import type { GitSource } from '../../resources/packages/package-source.js';
import { isPlainObject } from '../../resources/setting-kinds.js';
import { hostOverrides, removeHostPackages, writeHostStub } from './host-packages.js';
import { fetchError, npmInstall, readNpmLock } from './npm-run.js';
import { type GitLockEntry, type NpmLock, readPackagesLock, writePackagesLock } from './packages-lock.js';
import { type PackageTools, runTool } from './run-tool.js';
import { ensureGitStore, newStage, recoverStore, swapFolder } from './store.js';

const COMMIT = /^[0-9a-f]{40,64}$/;
/** A repository must not choose how git is spoken to: `ext::` runs commands. */
const PROTOCOLS = 'http:https:ssh:git:file';

/**
 * Fetches a git package anew and puts it in the place of the one that is there. `locked`: the commit the lock names for this source, if
 * it names one; `newest`: what the ref is now; when that is what is there, nothing is done. Gives the commit and whether anything changed.
 * Needs the store's lock; on any error the present state is as it was. Source: "Packages", git.
 */
export async function installGitPackage(
  baseDir: string,
  source: GitSource,
  want: 'locked' | 'newest',
  tools: PackageTools,
): Promise<{ commit: string; changed: boolean }> {
  await recoverStore(baseDir, 'git', [source.folder]);
  await ensureGitStore(baseDir);
  const place = folderInStore(source, storeFolder(baseDir, 'git'));
  const lock = await readPackagesLock(baseDir);
  const key = source.folder.join('/');
  const known = Object.hasOwn(lock.git, key) ? lock.git[key] : undefined;
  const locked = known?.url === source.url && known.ref === source.ref ? known : undefined;
  if (want === 'newest' && locked && existsSync(place)) {
    if (COMMIT.test(source.ref ?? '') || (await remoteCommit(source, tools)) === locked.commit)
      return { commit: locked.commit, changed: false };
  }
  const stage = await newStage(baseDir, 'git');
  try {
    const clone = path.join(stage, 'clone');
    const commit = await checkOut(clone, source, want === 'locked' ? locked?.commit : undefined, tools);
    const npm = await installDependencies(clone, source, commit === locked?.commit ? locked.npm : undefined, tools);
    const old = path.join(oldStoreFolder(baseDir, 'git'), ...source.folder);
    await swapFolder(clone, place, old);
    await rm(oldStoreFolder(baseDir, 'git'), { recursive: true, force: true, maxRetries: 3 });
    const entry: GitLockEntry = {
      url: source.url,
      ...(source.ref !== undefined && { ref: source.ref }),
      commit,
      ...(npm && { npm }),
    };
    await writePackagesLock(baseDir, { ...lock, git: { ...lock.git, [key]: entry } });
    return { commit, changed: true };
  } finally {
    await rm(stage, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Needs the store's lock. */
export async function removeGitPackage(baseDir: string, source: GitSource): Promise<void> {
  await recoverStore(baseDir, 'git', [source.folder]);
  await rm(folderInStore(source, storeFolder(baseDir, 'git')), { recursive: true, force: true, maxRetries: 3 });
  const lock = await readPackagesLock(baseDir);
  const { [source.folder.join('/')]: gone, ...git } = lock.git;
  if (gone) await writePackagesLock(baseDir, { ...lock, git });
}

/** What the ref is at the moment, without fetching it; undefined when that can't be told. */
async function remoteCommit(source: GitSource, tools: PackageTools): Promise<string | undefined> {
  refuseOffline(source, tools);
  const ref = source.ref ?? 'HEAD';
  const { code, stdout, stderr } = await git(['ls-remote', '--', source.url, ref, `${ref}^{}`], process.cwd(), tools);
  if (code !== 0) throw fetchError(source.text, stderr, 'git', tools.offline);
  const lines = stdout.split('\n').map((line) => line.split('\t'));
  // Of an annotated tag, the commit it names.
  return (lines.find(([, name]) => name?.endsWith('^{}')) ?? lines[0])?.[0];
}

/** A working copy of one commit in `clone`. Gives its id. */
async function checkOut(clone: string, source: GitSource, commit: string | undefined, tools: PackageTools): Promise<string> {
  refuseOffline(source, tools);
  await mkdir(clone, { recursive: true });
  const must = async (args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await git(args, clone, tools);
    if (code !== 0) throw fetchError(source.text, stderr, 'git', tools.offline);
    return stdout.trim();
  };
  await must(['init', '--quiet', '--template=']);
  await must(['remote', 'add', 'origin', source.url]);
  const wanted = commit ?? source.ref ?? 'HEAD';
  tools.progress(`fetching ${source.url} (${wanted})`);
  const { code, stderr } = await git(['fetch', '--quiet', '--depth=1', 'origin', wanted], clone, tools);
  if (code === 0) await must(['checkout', '--quiet', '--detach', 'FETCH_HEAD']);
  else if (/couldn't find remote ref|not our ref|unadvertised object/i.test(stderr)) {
    // A short commit id, or a server that gives commits only along with the branch they are on.
    await must(['fetch', '--quiet', '--tags', 'origin', '+refs/heads/*:refs/remotes/origin/*']);
    await must(['checkout', '--quiet', '--detach', wanted, '--']);
  } else throw fetchError(source.text, stderr, 'git', tools.offline);
  return must(['rev-parse', 'HEAD']);
}

function refuseOffline(source: GitSource, tools: PackageTools): void {
  if (!tools.offline || source.url.startsWith('file:')) return;
  throw fetchError(source.text, 'ENOTCACHED', 'git', true);
}

function git(args: readonly string[], cwd: string, { env, signal, progress }: PackageTools): ReturnType<typeof runTool> {
  // Set for whoever started us, perhaps a hook of another repository; they would name the wrong one.
  const clean = Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX|OBJECT_DIRECTORY)$/.test(name)),
  );
  const asks = process.stdin.isTTY === true ? {} : { GIT_TERMINAL_PROMPT: '0' };
  // Its errors come with ours, once.
  const tell = (line: string): void => (/^(?:fatal|error): /.test(line) ? undefined : progress(line));
  const command = ['git', '-c', 'core.hooksPath=/dev/null', '-c', 'advice.detachedHead=false', ...args];
  return runTool({
    command,
    cwd,
    env: { ...asks, ...clean, GIT_ALLOW_PROTOCOL: PROTOCOLS, LC_ALL: 'C' },
    signal,
    onLine: tell,
  });
}

/**
 * Installs what the repository's package.json depends on. Gives the lock of it where the repository has none. Its package.json is changed
 * only meanwhile, to keep host packages out.
 */
async function installDependencies(
  clone: string,
  source: GitSource,
  locked: NpmLock | undefined,
  tools: PackageTools,
): Promise<NpmLock | undefined> {
  const file = path.join(clone, 'package.json');
  if (!existsSync(file)) return undefined;
  const text = await readFile(file, 'utf8');
  let manifest: unknown;
  try {
    manifest = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    // Said where the package is loaded; there is nothing to install.
    return undefined;
  }
  if (!isPlainObject(manifest)) return undefined;
  const isEmpty = (field: string): boolean => !isPlainObject(manifest[field]) || Object.keys(manifest[field]).length === 0;
  if (isEmpty('dependencies') && isEmpty('optionalDependencies') && !tools.allowScripts) return undefined;
  const lockFile = path.join(clone, 'package-lock.json');
  const hasLock = existsSync(lockFile) || existsSync(path.join(clone, 'npm-shrinkwrap.json'));
  const overrides = { ...(isPlainObject(manifest.overrides) ? manifest.overrides : {}), ...hostOverrides() };
  const own = withoutHost(manifest);
  await writeFile(file, JSON.stringify({ ...manifest, ...own, devDependencies: {}, peerDependencies: {}, overrides }));
  if (locked && !hasLock) {
    const packages = { '': { name: manifest.name, ...own }, ...locked };
    await writeFile(lockFile, JSON.stringify({ name: manifest.name, lockfileVersion: 3, requires: true, packages }));
  }
  await writeHostStub(clone);
  await npmInstall(clone, [], { what: `what ${source.text} depends on`, fresh: !locked }, tools);
  const npm = await removeHostPackages(clone, await readNpmLock(clone), ['']);
  await rm(path.join(clone, 'host-packages'), { recursive: true, force: true });
  await writeFile(file, text);
  if (hasLock) return undefined;
  await rm(lockFile, { force: true });
  return npm;
}

/** Direct dependencies without what the host serves: npm refuses to override what a project names itself. */
function withoutHost(manifest: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = Object.keys(hostOverrides());
  return Object.fromEntries(
    ['dependencies', 'optionalDependencies'].flatMap((field) => {
      const listed = manifest[field];
      if (!isPlainObject(listed)) return [];
      return [[field, Object.fromEntries(Object.entries(listed).filter(([name]) => !names.includes(name)))]];
    }),
  );
}
