import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../base/coded-error.js';
import { expandHome } from './agent-dir.js';
import { findSkillFiles, kindOf, markdownIn } from './find-files.js';
import type { SettingsFile } from './settings.js';

export type ResourceKind = 'skills' | 'prompts';

/** Where a file was found: what clients are told, and who wins a name. */
export interface ResourceOrigin {
  location: 'user' | 'project' | 'path';
  scope: 'user' | 'project' | 'temporary';
  origin: 'top-level' | 'package';
  /** `local`, `cli`, or the package's source. */
  source: string;
  baseDir: string;
}

export interface ResourceFile {
  path: string;
  origin: ResourceOrigin;
}

export interface ResourceLocations {
  agentDir: string;
  cwd: string;
  home: string;
  projectTrusted: boolean;
  global: SettingsFile;
  project: SettingsFile | undefined;
  /** Paths of `--skill` or `--prompt-template`. */
  flags: readonly string[];
  /** `--no-skills` or `--no-prompt-templates`: only `flags` count. */
  flagsOnly: boolean;
  report: (message: string, path: string) => void;
}

/** All files of a kind, in the order in which names are taken: the project's, the user's, packages', the command line's. */
export async function listResourceFiles(kind: ResourceKind, where: ResourceLocations): Promise<ResourceFile[]> {
  const { agentDir, cwd, home, global, project, flags, flagsOnly, report } = where;
  const lists: Promise<ResourceFile[]>[] = [];
  if (!flagsOnly) {
    if (where.projectTrusted) {
      const base = path.join(cwd, '.pi');
      const origin: ResourceOrigin = {
        location: 'project',
        scope: 'project',
        origin: 'top-level',
        source: 'local',
        baseDir: base,
      };
      if (project) lists.push(fromSettings(kind, project, { ...origin, location: 'path' }, where));
      if (path.resolve(cwd) !== path.resolve(home)) {
        lists.push(inFolder(kind, path.join(base, kind), true, origin));
        lists.push(inFolder(kind, path.join(base, 'agent', kind), true, origin));
      }
      if (kind === 'skills')
        for (const folder of await agentsFolders(cwd, home))
          lists.push(inFolder(kind, folder, false, { ...origin, baseDir: folder }));
    }
    const origin: ResourceOrigin = { location: 'user', scope: 'user', origin: 'top-level', source: 'local', baseDir: agentDir };
    lists.push(fromSettings(kind, global, { ...origin, location: 'path' }, where));
    lists.push(inFolder(kind, path.join(agentDir, kind), true, origin));
    if (kind === 'skills')
      lists.push(inFolder(kind, path.join(home, '.agents', 'skills'), false, { ...origin, baseDir: path.join(home, '.agents') }));
    if (project) lists.push(fromPackages(kind, project, 'project', where));
    lists.push(fromPackages(kind, global, 'user', where));
  }
  const cli: ResourceOrigin = { location: 'path', scope: 'temporary', origin: 'top-level', source: 'cli', baseDir: cwd };
  for (const flag of flags) lists.push(atPath(kind, path.resolve(cwd, expandHome(flag, home)), cli, report));
  return (await Promise.all(lists)).flat();
}

async function inFolder(kind: ResourceKind, folder: string, rootFiles: boolean, origin: ResourceOrigin): Promise<ResourceFile[]> {
  const paths = kind === 'skills' ? await findSkillFiles(folder, rootFiles) : await markdownIn(folder);
  return paths.map((found) => ({ path: found, origin }));
}

async function atPath(
  kind: ResourceKind,
  target: string,
  origin: ResourceOrigin,
  report: ResourceLocations['report'],
): Promise<ResourceFile[]> {
  const found = await kindOf(target);
  if (found === 'file') return [{ path: target, origin }];
  if (found === 'folder') return inFolder(kind, target, true, origin);
  report(`there is no ${kind === 'skills' ? 'skill' : 'prompt template'} at ${target}`, target);
  return [];
}

/** The list of one settings file: paths and globs relative to it, `!` and `-` take out, `+` puts back in. */
async function fromSettings(
  kind: ResourceKind,
  file: SettingsFile,
  origin: ResourceOrigin,
  where: ResourceLocations,
): Promise<ResourceFile[]> {
  const wishes = file.known[kind] ?? [];
  const resolved = (wish: string): string => path.resolve(file.baseDir, expandHome(wish, where.home));
  const isGlob = (wish: string): boolean => /[*?[{]/.test(wish);
  const wanted: ResourceFile[] = [];
  for (const wish of wishes) {
    if (/^[!-]/.test(wish)) continue;
    const target = wish.replace(/^\+/, '');
    if (!isGlob(target)) wanted.push(...(await atPath(kind, resolved(target), origin, where.report)));
    else
      for (const match of await globbed(target, file.baseDir, where.home))
        wanted.push(...(await atPath(kind, match, origin, where.report)));
  }
  const kept = new Set(wishes.filter((wish) => wish.startsWith('+') && !isGlob(wish)).map((wish) => resolved(wish.slice(1))));
  const out = wishes.filter((wish) => /^[!-]/.test(wish)).map((wish) => wish.slice(1));
  if (out.length === 0) return wanted;
  const dropped = new Set<string>();
  for (const pattern of out)
    for (const match of isGlob(pattern) ? await globbed(pattern, file.baseDir, where.home) : [resolved(pattern)])
      dropped.add(match);
  const isWithin = (target: string, folders: ReadonlySet<string>): boolean =>
    [...folders].some((folder) => target === folder || target.startsWith(folder + path.sep));
  return wanted.filter(({ path: target }) => isWithin(target, kept) || !isWithin(target, dropped));
}

async function globbed(pattern: string, baseDir: string, home: string): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const matches = await glob([expandHome(pattern, home)], {
    cwd: baseDir,
    absolute: true,
    onlyFiles: false,
    dot: false,
    ignore: ['**/node_modules/**'],
  });
  return matches.map((match) => match.replace(/\/$/, '')).sort();
}

/** `.agents/skills` of the folder and those above it, up to the root of the repository. Outside one: of the folder alone. */
async function agentsFolders(cwd: string, home: string): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = path.resolve(cwd); folder !== path.resolve(home); folder = path.dirname(folder)) {
    folders.push(path.join(folder, '.agents', 'skills'));
    if ((await kindOf(path.join(folder, '.git'))) !== undefined) return folders;
    if (folder === path.dirname(folder)) break;
  }
  return folders.slice(0, 1);
}

/** Packages in a folder of this machine: what package.json's `pi` names, else the folder of the kind's name. */
async function fromPackages(
  kind: ResourceKind,
  file: SettingsFile,
  scope: 'user' | 'project',
  where: ResourceLocations,
): Promise<ResourceFile[]> {
  const found: ResourceFile[] = [];
  for (const entry of file.known.packages ?? []) {
    const source = typeof entry === 'string' ? entry : entry.source;
    if (/^(?:npm|git|https?|ssh):|^git@/.test(source)) continue;
    const root = path.resolve(file.baseDir, expandHome(source, where.home));
    const origin: ResourceOrigin = { location: 'path', scope, origin: 'package', source, baseDir: root };
    const named = await namedByPackage(root, kind, where.report);
    if (named === undefined) found.push(...(await inFolder(kind, path.join(root, kind), true, origin)));
    else for (const one of named) found.push(...(await atPath(kind, path.resolve(root, one), origin, where.report)));
  }
  return found;
}

async function namedByPackage(
  root: string,
  kind: ResourceKind,
  report: ResourceLocations['report'],
): Promise<string[] | undefined> {
  const file = path.join(root, 'package.json');
  try {
    const manifest: unknown = JSON.parse(await readFile(file, 'utf8'));
    const pi: unknown = typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'pi') : undefined;
    const list: unknown = typeof pi === 'object' && pi !== null ? Reflect.get(pi, kind) : undefined;
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : undefined;
  } catch (error) {
    report(`the package in ${root} can't be read: ${messageOf(error)}`, file);
    return undefined;
  }
}
