import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isCoded, messageOf } from '../../base/coded-error.js';
import { findSkillFiles, kindOf, markdownIn, type TellLeftOut } from '../find-files.js';
import { isPlainObject } from '../setting-kinds.js';

export const PACKAGE_KINDS = ['extensions', 'skills', 'prompts', 'themes'] as const;
export type PackageKind = (typeof PACKAGE_KINDS)[number];

const EXTENSION = /(?<!\.d)\.[cm]?[jt]s$/;
const ENTRY = /^index\.[cm]?[jt]s$/;

/**
 * Files (for an extension that is a folder: its entry) of one kind in a package: what `pi` in its package.json names; without a `pi`, what
 * lies in the folder of the kind's name; an index file in a package that has none of these folders is an extension. A package that is a
 * file is one extension. Problems are told. Source: "Packages", Package Structure and Package Sources.
 */
export async function filesOfPackage(root: string, kind: PackageKind, tell: TellLeftOut): Promise<string[]> {
  const found = await kindOf(root);
  if (found === undefined) return [];
  if (found === 'file') return kind === 'extensions' && EXTENSION.test(root) ? [root] : [];
  const manifest = await readManifest(root, tell);
  if (manifest) return named(root, kind, manifest[kind] ?? [], tell);
  const folder = path.join(root, kind);
  if ((await kindOf(folder)) === 'folder') return inFolder(folder, kind, tell);
  if (kind !== 'extensions') return [];
  const others = await Promise.all(PACKAGE_KINDS.map((other) => kindOf(path.join(root, other))));
  return others.includes('folder') ? [] : entryOf(root);
}

/** The `pi` of package.json, kind by kind; undefined when there is none. */
async function readManifest(root: string, tell: TellLeftOut): Promise<Partial<Record<PackageKind, string[]>> | undefined> {
  const file = path.join(root, 'package.json');
  try {
    const json: unknown = JSON.parse((await readFile(file, 'utf8')).replace(/^\ufeff/, ''));
    const pi: unknown = isPlainObject(json) ? json.pi : undefined;
    if (pi === undefined || pi === null) return undefined;
    if (!isPlainObject(pi)) {
      tell(`${file}: "pi" must be an object; it is ignored`, file);
      return undefined;
    }
    const lists: Partial<Record<PackageKind, string[]>> = {};
    for (const kind of PACKAGE_KINDS) {
      const list = pi[kind];
      if (list === undefined || list === null) continue;
      if (Array.isArray(list) && list.every((item) => typeof item === 'string')) lists[kind] = list;
      else tell(`${file}: "pi.${kind}" must be a list of texts; it is ignored`, file);
    }
    return lists;
  } catch (error) {
    // A folder of skills needs no manifest.
    if (!isCoded(error, 'ENOENT')) tell(`${file} can't be read: ${messageOf(error)}`, file);
    return undefined;
  }
}

/** What the list of a manifest stands for: paths and globs, less what `!pattern` and `-path` take out. */
async function named(root: string, kind: PackageKind, list: readonly string[], tell: TellLeftOut): Promise<string[]> {
  const manifest = path.join(root, 'package.json');
  const clean = (item: string): string =>
    item
      .replace(/^[!+-]/, '')
      .replace(/^\.\//, '')
      .replace(/\/+$/, '');
  const files: string[] = [];
  for (const item of list.filter((one) => !/^[!-]/.test(one)).map(clean)) {
    const literal = path.resolve(root, item);
    if (literal !== root && !literal.startsWith(root + path.sep)) {
      tell(`${manifest}: "pi.${kind}" names "${item}", which is not in the package; it is ignored`, manifest);
      continue;
    }
    const isGlob = /[*?[{]/.test(item) && (await kindOf(literal)) === undefined;
    const targets = isGlob ? await globbed(item, root, kind) : [literal];
    const found = (await Promise.all(targets.map((target) => atPath(target, kind, tell)))).flat();
    if (found.length === 0) tell(`${manifest}: "pi.${kind}" names "${item}", but there is nothing of the kind`, manifest);
    files.push(...found);
  }
  const { default: picomatch } = await import('picomatch');
  const out = list.filter((item) => /^[!-]/.test(item)).map(clean);
  const isOut =
    out.length === 0
      ? () => false
      : picomatch(
          out.flatMap((item) => [item, `${item}/**`]),
          { dot: true },
        );
  return [...new Set(files)].filter((file) => !isOut(path.relative(root, file).split(path.sep).join('/')));
}

async function atPath(target: string, kind: PackageKind, tell: TellLeftOut): Promise<string[]> {
  const found = await kindOf(target);
  if (found === 'file') return isOfKind(target, kind) ? [target] : [];
  return found === 'folder' ? inFolder(target, kind, tell) : [];
}

function isOfKind(file: string, kind: PackageKind): boolean {
  return kind === 'extensions' ? EXTENSION.test(file) : file.endsWith(kind === 'themes' ? '.json' : '.md');
}

async function inFolder(folder: string, kind: PackageKind, tell: TellLeftOut): Promise<string[]> {
  if (kind === 'skills') return (await findSkillFiles(folder, true, tell)).map((file) => file.path);
  if (kind === 'prompts') return (await markdownIn(folder, tell)).map((file) => file.path);
  if (kind === 'extensions') return extensionsIn(folder);
  return (await namesIn(folder)).filter((name) => name.endsWith('.json')).map((name) => path.join(folder, name));
}

/** Extension files of a folder, and the entries of folders in it: one level deep. A folder with an entry is one extension. */
export async function extensionsIn(folder: string): Promise<string[]> {
  const own = await entryOf(folder);
  if (own.length > 0) return own;
  const names = (await namesIn(folder)).filter((name) => name !== 'node_modules' && !name.startsWith('.'));
  const lists = names.map(async (name) => {
    const target = path.join(folder, name);
    if ((await kindOf(target)) === 'folder') return entryOf(target);
    return EXTENSION.test(name) ? [target] : [];
  });
  return (await Promise.all(lists)).flat();
}

/** The files that a folder loads as one extension: those its package.json names, else its index file. */
async function entryOf(folder: string): Promise<string[]> {
  const listed = (await readManifest(folder, () => undefined))?.extensions;
  if (listed) return named(folder, 'extensions', listed, () => undefined);
  const index = (await namesIn(folder)).filter((name) => ENTRY.test(name)).sort((a, b) => rank(a) - rank(b))[0];
  return index === undefined ? [] : [path.join(folder, index)];
}

/** Sources before what was built of them. */
function rank(name: string): number {
  return name === 'index.ts' ? 0 : name.endsWith('ts') ? 1 : 2;
}

async function globbed(pattern: string, root: string, kind: PackageKind): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const ignore = pattern.includes('node_modules') ? [] : ['**/node_modules/**'];
  const found = await glob([pattern], { cwd: root, absolute: true, onlyFiles: false, expandDirectories: false, ignore });
  const targets = found.map((match) => path.resolve(match)).sort();
  // A glob such as `**` meets everything that lies in a skill; of files it takes skills, unless it asks for Markdown.
  if (kind !== 'skills' || pattern.endsWith('.md')) return targets;
  const kinds = await Promise.all(targets.map(kindOf));
  return targets.filter((target, at) => kinds[at] === 'folder' || path.basename(target) === 'SKILL.md');
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch {
    // Gone, or not ours to read: it brings nothing.
    return [];
  }
}
