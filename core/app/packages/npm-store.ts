import { existsSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CodedError } from '../../base/coded-error.js';
import { folderInStore, oldStoreFolder, storeFolder } from '../../resources/packages/package-places.js';
import type { NpmSource } from '../../resources/packages/package-source.js';
import { isPlainObject } from '../../resources/setting-kinds.js';
import { APP_ERRORS } from '../errors.js';
import { hostOverrides, removeHostPackages, writeHostStub } from './host-packages.js';
import { missingPeers, neededPeers, npmInstall, readNpmLock } from './npm-run.js';
import { lockedVersion, type NpmLock, readPackagesLock, writePackagesLock } from './packages-lock.js';
import type { PackageTools } from './run-tool.js';
import { newStage, recoverStore, swapFolder } from './store.js';

export interface NpmChange {
  /** `locked`: the version the lock names, if it names one. `newest`: what the source allows now. */
  add?: readonly { source: NpmSource; want: 'locked' | 'newest' }[];
  /** Names. */
  remove?: readonly string[];
}

/** A version that is one version, no range and no tag. */
export function isExactVersion(spec: string | undefined): spec is string {
  return spec !== undefined && /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(spec);
}

const PEERS = 'piPeers';
const MAX_PEER_ROUNDS = 5;

/**
 * Changes the npm packages of `baseDir`, all in one step: the next state is made beside the present one and put in its place when it is
 * whole. Gives the versions by name. Needs the store's lock; on any error the present state is as it was.
 * Source: "Packages", npm; the store is a folder that npm itself understands, as the existing program keeps it.
 */
export async function changeNpmStore(baseDir: string, change: NpmChange, tools: PackageTools): Promise<Map<string, string>> {
  const { add = [], remove = [] } = change;
  await recoverStore(baseDir, 'npm');
  const place = storeFolder(baseDir, 'npm');
  const lock = await readPackagesLock(baseDir);
  const stage = await newStage(baseDir, 'npm');
  try {
    const present = existsSync(place) ? await readNpmLock(place) : lock.npm;
    if (existsSync(path.join(place, 'node_modules'))) {
      tools.progress('copying the packages that are installed');
      await cp(path.join(place, 'node_modules'), path.join(stage, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    }
    const specs = add.map(({ source, want }) => `${source.name}@${versionFor(source, want, lockedVersion(lock, source.name))}`);
    const isLocked = add.every(({ source, want }) => want === 'locked' && lockedVersion(lock, source.name) !== undefined);
    // What the lock says of dependencies counts where nothing is installed that says otherwise.
    const base = isLocked && add.length > 0 ? { ...present, ...lock.npm } : present;
    const { wanted: before, peers: peersBefore } = await projectBefore(place, present, lock.npm);
    await writeProject(stage, before, remove, base);
    await writeHostStub(stage);
    const what = add.map(({ source }) => source.text).join(', ') || `what is left without ${remove.join(', ')}`;
    await npmInstall(stage, specs, { what, fresh: !isLocked }, tools);
    await settlePeers(stage, peersBefore, what, tools);
    const wanted = Object.keys(await dependenciesOf(stage));
    const npm = await removeHostPackages(
      stage,
      await readNpmLock(stage),
      wanted.map((name) => `node_modules/${name}`),
    );
    await rewriteLock(stage, npm);
    for (const { source } of add) {
      if (existsSync(folderInStore(source, stage))) continue;
      const message = `${source.text} was not installed: npm did not put it where it belongs`;
      throw new CodedError(APP_ERRORS.PACKAGE_FETCH_FAILED, message);
    }
    await swapFolder(stage, place, oldStoreFolder(baseDir, 'npm'));
    await rm(oldStoreFolder(baseDir, 'npm'), { recursive: true, force: true, maxRetries: 3 });
    await writePackagesLock(baseDir, { ...lock, npm });
    return new Map(wanted.flatMap((name) => [[name, lockedVersion({ npm }, name) ?? '']]));
  } catch (error) {
    await rm(stage, { recursive: true, force: true, maxRetries: 3 });
    throw error;
  }
}

function versionFor({ spec }: NpmSource, want: 'locked' | 'newest', locked: string | undefined): string {
  if (isExactVersion(spec)) return spec;
  // A range or tag in the settings is a wish; which version answered it is locked.
  return want === 'locked' && locked !== undefined ? locked : (spec ?? 'latest');
}

/** What the project in the store depends on, in exact versions where these are known, and which of it are only peers of others. */
async function projectBefore(
  place: string,
  present: NpmLock,
  locked: NpmLock,
): Promise<{ wanted: Record<string, string>; peers: readonly string[] }> {
  const manifest = await readJson(path.join(place, 'package.json'));
  const listed = isPlainObject(manifest.dependencies) ? manifest.dependencies : {};
  const exact = (name: string): string | undefined =>
    lockedVersion({ npm: present }, name) ?? lockedVersion({ npm: locked }, name);
  const wanted = Object.fromEntries(Object.entries(listed).map(([name, range]) => [name, exact(name) ?? String(range)]));
  const peers: readonly unknown[] = Array.isArray(manifest[PEERS]) ? manifest[PEERS] : [];
  return { wanted, peers: peers.filter((name) => typeof name === 'string') };
}

/** The project npm works on: package.json and the lock. */
async function writeProject(
  root: string,
  wanted: Record<string, string>,
  remove: readonly string[],
  lock: NpmLock,
): Promise<void> {
  const dependencies = Object.fromEntries(Object.entries(wanted).filter(([name]) => !remove.includes(name)));
  const manifest = { name: 'pi-extensions', private: true, dependencies, overrides: hostOverrides() };
  await writeFile(path.join(root, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  if (Object.keys(lock).length > 0) await rewriteLock(root, lock);
}

async function rewriteLock(root: string, packages: NpmLock): Promise<void> {
  const project = { name: 'pi-extensions', dependencies: await dependenciesOf(root) };
  const lock = { name: 'pi-extensions', lockfileVersion: 3, requires: true, packages: { '': project, ...packages } };
  await writeFile(path.join(root, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
  // npm trusts its hidden copy more than the lock; it may name what has just been taken out.
  await rm(path.join(root, 'node_modules', '.package-lock.json'), { force: true });
}

/** Adds the peers that packages need of others, until nothing is missing, and takes out those that nobody needs any more. */
async function settlePeers(root: string, before: readonly string[], what: string, tools: PackageTools): Promise<void> {
  const peers = new Set(before);
  for (let round = 0; round < MAX_PEER_ROUNDS; round += 1) {
    const missing = missingPeers(await readNpmLock(root));
    if (missing.length === 0) break;
    for (const peer of missing) peers.add(peer.slice(0, peer.indexOf('@', 1)));
    await npmInstall(root, missing, { what: `${missing.join(', ')} (needed by ${what})` }, tools);
  }
  const needed = neededPeers(await readNpmLock(root));
  const file = path.join(root, 'package.json');
  const idle = [...peers].filter((name) => !needed.has(name));
  const kept = [...peers].filter((name) => needed.has(name));
  if (peers.size === 0) return;
  const dependencies = Object.fromEntries(Object.entries(await dependenciesOf(root)).filter(([name]) => !idle.includes(name)));
  const manifest = { ...(await readJson(file)), dependencies, ...(kept.length > 0 && { [PEERS]: kept }) };
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
  if (idle.length > 0) await npmInstall(root, [], { what: `what is left without ${idle.join(', ')}` }, tools);
}

async function dependenciesOf(root: string): Promise<Record<string, unknown>> {
  const { dependencies } = await readJson(path.join(root, 'package.json'));
  return isPlainObject(dependencies) ? dependencies : {};
}

async function readJson(file: string): Promise<Record<string, unknown>> {
  if (!existsSync(file)) return {};
  const value: unknown = JSON.parse(await readFile(file, 'utf8'));
  return isPlainObject(value) ? value : {};
}
