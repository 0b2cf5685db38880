import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { PackageSource } from './package-source.js';

/** The two folders of fetched packages, beside the settings file that names them. Source: "Packages", Package Sources. */
export type Store = 'npm' | 'git';

/**
 * Where the packages of `baseDir` (the agent's folder, or `.pi` of a project) lie. An installation changes a store by renaming: the old
 * one to `<store>.old`, the new one into its place. A process that was killed between the two left the old one there, and it counts until
 * the next installation puts it back.
 */
export function storeFolder(baseDir: string, store: Store): string {
  return path.join(baseDir, store);
}

export function oldStoreFolder(baseDir: string, store: Store): string {
  return path.join(baseDir, `${store}.old`);
}

/** The folder a package has, or will have, in a store. */
export function folderInStore(source: PackageSource, storeRoot: string): string {
  if (source.kind === 'npm') return path.join(storeRoot, 'node_modules', ...source.name.split('/'));
  if (source.kind === 'git') return path.join(storeRoot, ...source.folder);
  return source.path;
}

/** The file or folder of a package; it need not exist. */
export function packageRoot(source: PackageSource, baseDir: string): string {
  if (source.kind === 'path') return source.path;
  const root = folderInStore(source, storeFolder(baseDir, source.kind));
  if (existsSync(root)) return root;
  const old = folderInStore(source, oldStoreFolder(baseDir, source.kind));
  return existsSync(old) ? old : root;
}

/** The version of an npm package that is installed; undefined when none is, or it says none. */
export function installedVersion(baseDir: string, name: string): string | undefined {
  for (const root of [storeFolder(baseDir, 'npm'), oldStoreFolder(baseDir, 'npm')]) {
    try {
      const file = path.join(root, 'node_modules', ...name.split('/'), 'package.json');
      const { version }: { version?: unknown } = JSON.parse(readFileSync(file, 'utf8'));
      return typeof version === 'string' ? version : undefined;
    } catch {
      // Not in this one, or nothing that npm wrote.
    }
  }
  return undefined;
}
