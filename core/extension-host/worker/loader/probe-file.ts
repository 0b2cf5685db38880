import path from 'node:path';
import { isFile, isFolder, type PackageFiles } from './package-files.js';

/** Tried in this order behind a name without extension. */
const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '.jsx', '.json', '.node'];

/** What else a name may mean: TypeScript is imported by the name of what it compiles to, and a compiled package by that of its source. */
const TWINS: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
  '.ts': ['.js'],
  '.tsx': ['.js', '.jsx'],
  '.mts': ['.mjs'],
  '.cts': ['.cjs'],
};

/** The file that a path without query means, as TypeScript and bundlers take it; undefined when there is none. */
export function probeFile(base: string, packages: PackageFiles): string | undefined {
  if (/[\\/]$/.test(base)) return probeFolder(base, packages);
  if (isFile(base)) return base;
  const extension = path.extname(base);
  const stem = base.slice(0, base.length - extension.length);
  const candidates = [...(TWINS[extension] ?? []).map((twin) => stem + twin), ...EXTENSIONS.map((added) => base + added)];
  return candidates.find(isFile) ?? probeFolder(base, packages);
}

function probeFolder(folder: string, packages: PackageFiles): string | undefined {
  if (!isFolder(folder)) return undefined;
  const main = packages.read(folder)?.main;
  const named = typeof main === 'string' ? probeFile(path.join(folder, main), packages) : undefined;
  return named ?? EXTENSIONS.map((extension) => path.join(folder, `index${extension}`)).find(isFile);
}
