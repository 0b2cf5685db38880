import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Diagnostic } from '../protocol/commands/state.js';
import { expandHome } from './agent-dir.js';
import { bundledFolder } from './bundled-folder.js';
import { kindOf } from './find-files.js';
import { configuredPackages, type TemporaryPackage } from './packages/configured-packages.js';
import { extensionsIn, filesOfPackage } from './packages/package-contents.js';
import { resourcesOf } from './packages/package-resources.js';
import { findGlob, type PathWishes, parseWishes } from './path-wishes.js';
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
  /** Packages of `-e`. */
  temporaryPackages?: readonly TemporaryPackage[] | undefined;
  /** `--no-extensions`: only `flags` count. */
  flagsOnly: boolean;
  /** Told of places that are missing or hold nothing. */
  report: (problem: Pick<Diagnostic, 'message' | 'path' | 'line'>) => void;
}

/**
 * Every extension once by its real path, in order of rank: the command line's, the project's settings and folder, the user's settings and
 * folder, packages'. Source: transcripts of the order of factories; packages document.
 */
export async function listExtensions(where: ExtensionLocations): Promise<ExtensionFile[]> {
  const lists = [flagged(where), where.flagsOnly ? temporaryPackages(where) : discovered(where)];
  const found = (await Promise.all(lists)).flat();
  const seen = new Set<string>();
  const reals = await Promise.all(found.map(({ path: file }) => realpath(file)));
  return found.filter((_, at) => {
    const real = reals[at] ?? '';
    return !seen.has(real) && seen.add(real);
  });
}

async function flagged(where: ExtensionLocations): Promise<ExtensionFile[]> {
  const from: ResourceOrigin = { location: 'path', scope: 'temporary', origin: 'top-level', source: 'cli', baseDir: where.cwd };
  return (await Promise.all(where.flags.map((flag) => atPath(flag, where.cwd, from, where)))).flat();
}

async function discovered(where: ExtensionLocations): Promise<ExtensionFile[]> {
  const { global, project, home, agentDir, projectTrusted } = where;
  const [theirs, ours] = await Promise.all([
    wishesOf(global, home),
    project && projectTrusted ? wishesOf(project, home) : undefined,
  ]);
  const lists = await Promise.all([
    ...(project && ours
      ? [fromSettings(project, ours, 'project', where), ...projectFolders(where).map((folder) => inFolder(folder, 'project'))]
      : []),
    fromSettings(global, theirs, 'user', where),
    inFolder(path.join(agentDir, 'extensions'), 'user'),
  ]);
  // A project may take out what the user has everywhere, and put in again what the user took out.
  const verdict = (file: ExtensionFile): 'in' | 'out' | undefined =>
    ours?.verdict(file.path) ?? (file.origin.scope === 'project' ? undefined : theirs.verdict(file.path));
  return [...lists.flat().filter((file) => verdict(file) !== 'out'), ...(await packaged(where))];
}

function wishesOf(file: SettingsFile, home: string): Promise<PathWishes> {
  return parseWishes(file.known.extensions ?? [], file.baseDir, home);
}

/** The user's own folder is never the project's too, as when the program is started in the home folder. */
function projectFolders({ cwd, agentDir }: ExtensionLocations): string[] {
  return [path.join(cwd, '.pi', 'extensions'), path.join(cwd, '.pi', 'agent', 'extensions')].filter(
    (folder) => folder !== path.join(agentDir, 'extensions'),
  );
}

async function fromSettings(
  file: SettingsFile,
  { wanted, forced }: PathWishes,
  scope: 'user' | 'project',
  where: ExtensionLocations,
): Promise<ExtensionFile[]> {
  const from: ResourceOrigin = { location: scope, scope, origin: 'top-level', source: 'local', baseDir: file.baseDir };
  const lists = [...wanted, ...forced].map(async ({ target, isGlob }) => {
    const targets = isGlob ? await findGlob(target, file.baseDir) : [target];
    return (await Promise.all(targets.map((one) => atPath(one, file.baseDir, from, where)))).flat();
  });
  return (await Promise.all(lists)).flat();
}

async function inFolder(folder: string, scope: 'user' | 'project'): Promise<ExtensionFile[]> {
  const from: ResourceOrigin = { location: scope, scope, origin: 'top-level', source: 'local', baseDir: path.dirname(folder) };
  return (await extensionsIn(folder)).map((file) => ({ path: file, origin: from }));
}

function temporaryPackages(where: ExtensionLocations): Promise<ExtensionFile[]> {
  const { known, ...rest } = where.global;
  return packaged({ ...where, global: { ...rest, known: { ...known, packages: [] } }, project: undefined });
}

async function packaged({
  global,
  project,
  projectTrusted,
  home,
  temporaryPackages,
  report,
}: ExtensionLocations): Promise<ExtensionFile[]> {
  const packages = configuredPackages({
    home,
    global,
    project: projectTrusted ? project : undefined,
    temporary: temporaryPackages,
    report,
  });
  const found = await resourcesOf(packages, 'extensions', (message, file) => report({ message, path: file }));
  return found.map(({ path: file, scope, source, origin, baseDir }) => ({
    path: file,
    origin: { location: 'path', scope, source, origin, baseDir },
  }));
}

/** What a path stands for: a file, a folder with an entry, a package, or a folder of extensions. */
async function atPath(
  given: string,
  base: string,
  from: ResourceOrigin,
  { home, report }: ExtensionLocations,
): Promise<ExtensionFile[]> {
  const builtin = /(?:^|[\\/])builtin:([\w-]+)$/.exec(given)?.[1];
  const target =
    builtin === undefined ? path.resolve(base, expandHome(given, home)) : path.join(bundledFolder(), 'extensions', builtin);
  const kind = await kindOf(target);
  if (kind === undefined) {
    report({ message: `There is no extension at ${target}`, path: target });
    return [];
  }
  if (kind === 'file') return [{ path: target, origin: from }];
  const own = await filesOfPackage(target, 'extensions', (message, file) => report({ message, path: file }));
  const entries = own.length > 0 ? own : await extensionsIn(target);
  if (entries.length === 0) {
    const message = `There is no extension in ${target}: it has no index.ts and no package.json with "pi.extensions"`;
    report({ message, path: target });
  }
  return entries.map((entry) => ({ path: entry, origin: from }));
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
