import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Diagnostic } from '../protocol/commands/state.js';
import { expandHome } from './agent-dir.js';
import { type ConfiguredPackage, configuredPackages, type TemporaryPackage } from './packages/configured-packages.js';
import { resourcesOf } from './packages/package-resources.js';
import { isFetchedText } from './packages/package-source.js';
import { findGlob, parseWishes } from './path-wishes.js';
import type { ResourceOrigin } from './resource-files.js';
import type { SettingsFile } from './settings.js';

/** An extension's entry file, and where it was found. */
export interface ExtensionFile {
  path: string;
  origin: ResourceOrigin;
}

export interface ExtensionLocations {
  agentDir: string;
  cwd: string;
  home: string;
  projectTrusted: boolean;
  global: SettingsFile;
  project: SettingsFile | undefined;
  /** Paths of `-e`. */
  flags: readonly string[];
  /** Packages of `-e` that were fetched, or lie on this machine. */
  temporaryPackages?: readonly TemporaryPackage[] | undefined;
  /** `--no-extensions`: only `flags` count. */
  flagsOnly: boolean;
  /** Told of places that are missing or hold nothing. */
  report: (problem: Pick<Diagnostic, 'message' | 'path'>) => void;
}

const ENTRY_FILE = /\.(?:ts|mts|cts|js|mjs|cjs)$/;
const INDEX_FILES = ['index.ts', 'index.mts', 'index.cts', 'index.js', 'index.mjs', 'index.cjs'];

/**
 * Every extension once by its real path, in order of rank: the command line's, the project's settings and folder, the user's settings and
 * folder, packages'. Source: transcripts of the order of factories; packages document.
 */
export async function listExtensions(where: ExtensionLocations): Promise<ExtensionFile[]> {
  const found: ExtensionFile[] = [];
  for (const flag of where.flags) found.push(...(await ofFlag(flag, where)));
  if (!where.flagsOnly) {
    const project = where.projectTrusted ? where.project : undefined;
    const own: ExtensionFile[] = [];
    if (project) {
      own.push(...(await fromSettings(project, 'project', where)));
      for (const folder of projectFolders(where)) own.push(...inFolder(folder, origin('project', path.dirname(folder))));
    }
    own.push(...(await fromSettings(where.global, 'user', where)));
    own.push(...inFolder(path.join(where.agentDir, 'extensions'), origin('user', where.agentDir)));
    const isOut = await exceptions(where.global, project, where.home);
    found.push(...own.filter((file) => !isOut(file)), ...(await fromPackages(project, where)));
  }
  const seen = new Set<string>();
  return found.filter(({ path: file }) => {
    const real = realpathSync(file);
    return !seen.has(real) && seen.add(real);
  });
}

/** The user's own folder is never the project's too, as when the program is started in the home folder. */
function projectFolders({ cwd, agentDir }: ExtensionLocations): string[] {
  return [path.join(cwd, '.pi', 'extensions'), path.join(cwd, '.pi', 'agent', 'extensions')].filter(
    (folder) => folder !== path.join(agentDir, 'extensions'),
  );
}

async function fromSettings(file: SettingsFile, scope: 'user' | 'project', where: ExtensionLocations): Promise<ExtensionFile[]> {
  const words = file.known.extensions ?? [];
  if (words.length === 0) return [];
  const wishes = await parseWishes(words, file.baseDir, where.home);
  const found: ExtensionFile[] = [];
  for (const { target, isGlob } of [...wishes.wanted, ...wishes.forced]) {
    const targets = isGlob ? await findGlob(target, file.baseDir) : [target];
    for (const one of targets) found.push(...atPath(one, file.baseDir, origin(scope, file.baseDir), where));
  }
  return found;
}

async function fromPackages(project: SettingsFile | undefined, where: ExtensionLocations): Promise<ExtensionFile[]> {
  const { global, home, report } = where;
  return ofPackages(configuredPackages({ global, project, home, report }), where);
}

async function ofPackages(packages: readonly ConfiguredPackage[], { report }: ExtensionLocations): Promise<ExtensionFile[]> {
  const found = await resourcesOf(packages, 'extensions', (message, place) => report({ message, path: place }));
  return found.map(({ path: file, scope, source, origin, baseDir }) => ({
    path: file,
    origin: { location: 'path' as const, scope, origin, source, baseDir },
  }));
}

/** A package that had to be fetched lies elsewhere; anything else is a path. */
async function ofFlag(flag: string, where: ExtensionLocations): Promise<ExtensionFile[]> {
  const text = flag.trim();
  const fetched = where.temporaryPackages?.find(({ source }) => source.kind !== 'path' && source.text === text);
  if (fetched) return ofPackages([{ ...fetched, scope: 'temporary', setting: text }], where);
  // One that could not be fetched has been told of.
  if (isFetchedText(text)) return [];
  return atPath(flag, where.cwd, flagOrigin(where.cwd), where);
}

/** What the settings take out by `!` and `-`. A project may take out what the user has everywhere, and put in again what the user took out. */
async function exceptions(
  global: SettingsFile,
  project: SettingsFile | undefined,
  home: string,
): Promise<(file: ExtensionFile) => boolean> {
  const theirs = await parseWishes(global.known.extensions ?? [], global.baseDir, home);
  const ours = project && (await parseWishes(project.known.extensions ?? [], project.baseDir, home));
  return ({ path: file, origin: { scope } }) =>
    (ours?.verdict(file) ?? (scope === 'project' ? undefined : theirs.verdict(file))) === 'out';
}

/** What a path stands for: a file, a folder with an entry, a package, or a folder of extensions. */
function atPath(given: string, base: string, from: ResourceOrigin, { home, report }: ExtensionLocations): ExtensionFile[] {
  const target = path.resolve(base, expandHome(given, home));
  const kind = kindOf(target);
  if (kind === undefined) {
    report({ message: `There is no extension at ${target}`, path: target });
    return [];
  }
  if (kind === 'file') return [{ path: target, origin: from }];
  const entries = entriesOf(target, true);
  if (entries.length > 0) return entries.map((entry) => ({ path: entry, origin: from }));
  const below = inFolder(target, from);
  if (below.length === 0)
    report({
      message: `There is no extension in ${target}: no index.ts, and no "pi.extensions" in a package.json`,
      path: target,
    });
  return below;
}

/** A folder of extensions: files, and folders with an entry. One level deep. */
function inFolder(folder: string, from: ResourceOrigin): ExtensionFile[] {
  return namesIn(folder).flatMap((name) => {
    const target = path.join(folder, name);
    const kind = kindOf(target);
    if (kind === 'file') return ENTRY_FILE.test(name) && !name.endsWith('.d.ts') ? [{ path: target, origin: from }] : [];
    return kind === 'folder' ? entriesOf(target, false).map((entry) => ({ path: entry, origin: from })) : [];
  });
}

/** The entries of one folder: what its manifest names, else its index file, else, of a package, its folder `extensions`. */
function entriesOf(folder: string, isPackage: boolean): string[] {
  const named = manifestEntries(folder);
  if (named) {
    const excluded = named.filter((one) => one.startsWith('!')).map((one) => path.resolve(folder, one.slice(1)));
    return named
      .filter((one) => !one.startsWith('!'))
      .flatMap((one) => {
        const target = path.resolve(folder, one);
        const kind = kindOf(target);
        if (kind === 'folder') {
          const own = target === folder ? [] : entriesOf(target, false);
          return own.length > 0 ? own : inFolder(target, origin('user', folder)).map((found) => found.path);
        }
        return kind === 'file' ? [target] : [];
      })
      .filter((entry) => !excluded.some((out) => entry === out || entry.startsWith(out + path.sep)));
  }
  const index = INDEX_FILES.map((name) => path.join(folder, name)).find((file) => kindOf(file) === 'file');
  if (index) return [index];
  return isPackage ? inFolder(path.join(folder, 'extensions'), origin('user', folder)).map((found) => found.path) : [];
}

function manifestEntries(folder: string): string[] | undefined {
  const file = path.join(folder, 'package.json');
  if (kindOf(file) !== 'file') return undefined;
  try {
    const manifest = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, '')) as { pi?: { extensions?: unknown } };
    const list = manifest.pi?.extensions;
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : undefined;
  } catch {
    // A broken manifest names nothing; what its folder holds is loaded, and says itself what it lacks.
    return undefined;
  }
}

function kindOf(target: string): 'file' | 'folder' | undefined {
  const stat = statSync(target, { throwIfNoEntry: false });
  return stat?.isFile() ? 'file' : stat?.isDirectory() ? 'folder' : undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.') && name !== 'node_modules')
      .sort();
  } catch {
    // Not there, which is the usual case, or not readable: nothing of it is loaded.
    return [];
  }
}

function origin(scope: 'user' | 'project', baseDir: string): ResourceOrigin {
  return { location: scope, scope, origin: 'top-level', source: 'local', baseDir };
}

function flagOrigin(baseDir: string): ResourceOrigin {
  return { location: 'path', scope: 'temporary', origin: 'top-level', source: 'cli', baseDir };
}

/** A name for each, unique among all: the file's, or its folder's where the file is only its index. */
export function nameExtensions<T extends { path: string }>(files: readonly T[]): (T & { name: string })[] {
  const taken = new Set<string>();
  return files.map((file) => {
    const { name, dir } = path.parse(file.path);
    const base = name === 'index' ? path.basename(dir) : name;
    let unique = base;
    for (let nth = 2; taken.has(unique); nth++) unique = `${base}-${nth}`;
    taken.add(unique);
    return { ...file, name: unique };
  });
}
