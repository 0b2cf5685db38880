import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isPlainObject } from '../../resources/setting-kinds.js';
import type { NpmLock } from './packages-lock.js';

/** What this program itself gives to extensions that import it. A copy of its own would be large, and would not be the same thing. */
const PI_PACKAGES = ['@earendil-works', '@mariozechner'].flatMap((scope) =>
  ['pi-coding-agent', 'pi-ai', 'pi-agent-core', 'pi-tui'].map((name) => `${scope}/${name}`),
);
/** Given to extensions too, but a library that depends on one of these by itself gets its own: it is not loaded as an extension is. */
const SHARED_LIBRARIES = ['typebox', '@sinclair/typebox'];

const STUB = 'host-packages';

export function isHostPackage(name: string): boolean {
  return PI_PACKAGES.includes(name) || SHARED_LIBRARIES.includes(name);
}

/** For `overrides` of a package.json: whoever depends on these gets an empty folder, whatever version it asks for, and nothing is fetched. */
export function hostOverrides(): Record<string, string> {
  return Object.fromEntries(PI_PACKAGES.map((name) => [name, `file:./${STUB}`]));
}

/** The folder the overrides name. */
export async function writeHostStub(root: string): Promise<void> {
  const folder = path.join(root, STUB);
  await mkdir(folder, { recursive: true });
  const manifest = { name: 'served-by-pi', version: '0.0.0', description: 'Stands for packages that pi itself provides' };
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/**
 * Takes host packages out of what npm installed in `root`: the links to the empty folder, and shared libraries that nobody but the
 * packages of `owners` (paths in the lock) asked for. Gives the lock without them.
 */
export async function removeHostPackages(root: string, lock: NpmLock, owners: readonly string[]): Promise<NpmLock> {
  const gone = new Set(
    Object.keys(lock).filter((key) => PI_PACKAGES.includes(nameOf(key)) || /(?:^|\/)host-packages$/.test(key)),
  );
  for (const library of SHARED_LIBRARIES) {
    const isAskedFor = Object.entries(lock).some(([key, entry]) => {
      if (key === '' || owners.includes(key)) return false;
      return ['dependencies', 'optionalDependencies'].some((field) => isPlainObject(entry[field]) && library in entry[field]);
    });
    for (const key of Object.keys(lock)) if (!isAskedFor && nameOf(key) === library) gone.add(key);
  }
  for (const key of gone) {
    if (!key.includes('node_modules/')) continue;
    await rm(path.join(root, key), { recursive: true, force: true });
    // The folder of the scope, unless there is more in it.
    if (nameOf(key).startsWith('@')) await rmdir(path.dirname(path.join(root, key))).catch(() => undefined);
  }
  return Object.fromEntries(Object.entries(lock).filter(([key]) => !gone.has(key)));
}

/** Name of the package at a path in a lock: `node_modules/a/node_modules/@b/c` is `@b/c`. */
export function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
