import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isCoded, messageOf } from '../base/coded-error.js';
import { expandHome } from './agent-dir.js';
import type { FoundFile, TellLeftOut } from './find-files.js';
import { findWished, type ResourceKind, type Search } from './find-resources.js';
import { parseWishes } from './path-wishes.js';
import { isPlainObject } from './setting-kinds.js';
import type { PackageSetting } from './setting-table.js';

/** The folder of a package that lies on this machine; undefined for one that has to be fetched. */
export function localPackage(source: string, baseDir: string, home: string): string | undefined {
  return /^(?:npm|git|https?|ssh):|^git@/.test(source) ? undefined : path.resolve(baseDir, expandHome(source, home));
}

/**
 * Files of a package: what `pi` in its package.json names, else the folder of the kind's name; of these, those that the filter of the
 * settings lets through. Source: "Packages", Package Structure and Package Filtering.
 */
export async function findInPackage(search: Search, root: string, entry: PackageSetting, home: string): Promise<FoundFile[]> {
  const { kind, tell } = search;
  const named = await namedByManifest(root, kind, tell);
  const manifest = path.join(root, 'package.json');
  const tellMissing = (message: string): void => tell(`${manifest}: ${message}`, manifest);
  const allowed = await parseWishes(named ?? [kind], root, home);
  const found: FoundFile[] = [];
  for (const wish of [...allowed.wanted, ...allowed.forced])
    found.push(...(await findWished(search, wish, root, named ? tellMissing : () => undefined)));
  const files = found.filter((file) => allowed.verdict(file.path) !== 'out');
  const filter = typeof entry === 'string' ? undefined : entry[kind];
  if (filter === undefined) return files;
  const wishes = await parseWishes(filter, root, home);
  // A filter of nothing but exceptions is about everything else.
  const isNarrow = filter.length === 0 || wishes.wanted.length > 0;
  const wanted = await Promise.all(
    [...wishes.wanted, ...wishes.forced].map((wish) => findWished(search, wish, root, () => undefined)),
  );
  const passed = new Set(wanted.flat().map(({ real }) => real));
  return files.filter((file) => (!isNarrow || passed.has(file.real)) && wishes.verdict(file.path) !== 'out');
}

/** The list that `pi.skills` or `pi.prompts` of package.json holds; undefined when it says nothing of the kind. */
async function namedByManifest(root: string, kind: ResourceKind, tell: TellLeftOut): Promise<string[] | undefined> {
  const file = path.join(root, 'package.json');
  try {
    const manifest: unknown = JSON.parse((await readFile(file, 'utf8')).replace(/^\ufeff/, ''));
    const pi = isPlainObject(manifest) && isPlainObject(manifest.pi) ? manifest.pi : {};
    const list = pi[kind];
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : undefined;
  } catch (error) {
    // A folder of skills needs no manifest.
    if (!isCoded(error, 'ENOENT')) tell(`the package in ${root} can't be read: ${messageOf(error)}`, file);
    return undefined;
  }
}
