import path from 'node:path';
import type { Diagnostic } from '../protocol/commands/state.js';
import { agentsFolders } from '../trust/project-parts.js';
import { expandHome } from './agent-dir.js';
import { bundledFolder } from './bundled-folder.js';
import { type FoundFile, kindOf, realOr } from './find-files.js';
import { findAtPath, findInFolder, findWished, type ResourceKind, type Search } from './find-resources.js';
import { configuredPackages, type TemporaryPackage } from './packages/configured-packages.js';
import { offeredBy } from './packages/package-resources.js';
import { type PathWishes, parseWishes, type Wish } from './path-wishes.js';
import type { PackageSetting } from './setting-table.js';
import type { SettingsFile } from './settings.js';

/** Where a file was found: what clients are told, and who wins a name. */
export interface ResourceOrigin {
  location: 'user' | 'project' | 'path';
  scope: 'user' | 'project' | 'temporary';
  origin: 'top-level' | 'package';
  /** `local`, `cli`, `builtin`, or the package's source. */
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
  /** Packages of the command line. */
  temporaryPackages?: readonly TemporaryPackage[] | undefined;
  /** Whether the files of this kind that come with the program are wanted. */
  builtin: boolean;
  /** Paths of `--skill` or `--prompt-template`. */
  flags: readonly string[];
  /** `--no-skills` or `--no-prompt-templates`: only `flags` count. */
  flagsOnly: boolean;
  /** Told of places that are missing or can't be searched. */
  report: (problem: Pick<Diagnostic, 'message' | 'path' | 'line'>) => void;
}

type Found = FoundFile & ResourceFile;

/**
 * All files of a kind, each once by its real path, in the order in which names are taken: those of packages of the command line, the
 * project's, the user's, packages', those the command line names, and last what comes with the program.
 */
export async function listResourceFiles(kind: ResourceKind, where: ResourceLocations): Promise<ResourceFile[]> {
  const search: Search = { kind, tell: (message, place) => where.report({ message, path: place }) };
  const lists = where.flagsOnly
    ? [flagged(search, where)]
    : [discovered(search, where), flagged(search, where), builtin(search, where)];
  const seen = new Set<string>();
  return (await Promise.all(lists)).flat().filter(({ real }) => !seen.has(real) && seen.add(real));
}

async function discovered(search: Search, where: ResourceLocations): Promise<Found[]> {
  const { global, project, home } = where;
  const temporary = where.temporaryPackages ?? [];
  const [theirs, ours] = await Promise.all([wishesOf(search, global, home), project && wishesOf(search, project, home)]);
  const [projects, users, added, packages] = await Promise.all([
    where.projectTrusted ? projectPlaces(search, where, ours) : [],
    userPlaces(search, where, theirs),
    // After the folders, so that a file of theirs that is put in again stays a file of theirs.
    Promise.all([
      project && ours ? fromSettings(search, ours.forced, project, 'project', where) : [],
      fromSettings(search, theirs.forced, global, 'user', where),
    ]),
    packaged(search, temporary, where),
  ]);
  // A project may take out what the user has everywhere, and put in again what the user took out.
  const verdict = (file: Found): 'in' | 'out' | undefined =>
    ours?.verdict(file.path) ?? (file.origin.scope === 'project' ? undefined : theirs.verdict(file.path));
  return [
    ...packages.filter(({ origin }) => origin.scope === 'temporary'),
    ...[...projects, ...users, ...added.flat()].filter((file) => verdict(file) !== 'out'),
    ...packages.filter(({ origin }) => origin.scope !== 'temporary'),
  ];
}

function wishesOf({ kind }: Search, file: SettingsFile, home: string): Promise<PathWishes> {
  return parseWishes(file.known[kind] ?? [], file.baseDir, home);
}

async function projectPlaces(search: Search, where: ResourceLocations, wishes: PathWishes | undefined): Promise<Found[]> {
  const { agentDir, cwd, project } = where;
  const baseDir = path.join(cwd, '.pi');
  const origin: ResourceOrigin = { location: 'project', scope: 'project', origin: 'top-level', source: 'local', baseDir };
  const [home, here, own] = await Promise.all([where.home, cwd, path.join(agentDir, search.kind)].map(realOr));
  const lists: Promise<Found[]>[] = [];
  if (project && wishes) lists.push(fromSettings(search, wishes.wanted, project, 'project', where));
  // What lies in the home folder is the user's, whatever folder pi was started in.
  if (here !== home) {
    for (const folder of [path.join(baseDir, search.kind), path.join(baseDir, 'agent', search.kind)])
      if ((await realOr(folder)) !== own) lists.push(inFolder(search, folder, true, origin));
    for (const folder of search.kind === 'skills' ? agentsFolders(cwd, where.home) : [])
      lists.push(inFolder(search, folder, false, { ...origin, baseDir: path.dirname(folder) }));
  }
  return (await Promise.all(lists)).flat();
}

async function userPlaces(search: Search, where: ResourceLocations, wishes: PathWishes): Promise<Found[]> {
  const { agentDir, home, global } = where;
  const origin: ResourceOrigin = { location: 'user', scope: 'user', origin: 'top-level', source: 'local', baseDir: agentDir };
  const agents = path.join(home, '.agents');
  const lists = [
    fromSettings(search, wishes.wanted, global, 'user', where),
    inFolder(search, path.join(agentDir, search.kind), true, origin),
    search.kind === 'skills' ? inFolder(search, path.join(agents, 'skills'), false, { ...origin, baseDir: agents }) : [],
  ];
  return (await Promise.all(lists)).flat();
}

async function packaged(
  search: Search,
  temporary: readonly TemporaryPackage[],
  { global, project, home, report }: ResourceLocations,
): Promise<Found[]> {
  const lists = configuredPackages({ global, project, home, temporary, report }).map(async (one) => {
    if ((await kindOf(one.root)) === undefined) {
      // Told as an extension that is not there.
      if (one.scope === 'temporary') return [];
      const text = one.source.text;
      const missing = `the package ${text} is not there: ${one.source.kind === 'path' ? `nothing is at ${one.root}` : `run "pi install ${text}"`}`;
      const file = one.scope === 'project' ? project : global;
      const isIt = (entry: PackageSetting): boolean => (typeof entry === 'string' ? entry : entry.source).trim() === text;
      const index = (file?.known.packages ?? []).findIndex(isIt);
      report(file ? missingIn(file, 'packages', index, missing) : { message: missing, path: one.root });
      return [];
    }
    const offered = (await offeredBy(one, search.kind, search.tell)).filter(({ isEnabled }) => isEnabled);
    return Promise.all(
      offered.map(async ({ path: file, scope, source, origin, baseDir }) => ({
        path: file,
        real: await realOr(file),
        origin: { location: 'path' as const, scope, origin, source, baseDir },
      })),
    );
  });
  return (await Promise.all(lists)).flat();
}

async function flagged(search: Search, { cwd, home, flags }: ResourceLocations): Promise<Found[]> {
  const origin: ResourceOrigin = { location: 'path', scope: 'temporary', origin: 'top-level', source: 'cli', baseDir: cwd };
  const lists = flags.map((flag) => {
    const target = path.resolve(cwd, expandHome(flag, home));
    return findAtPath(search, target, (message) => search.tell(message, target));
  });
  return withOrigin((await Promise.all(lists)).flat(), origin);
}

async function builtin(search: Search, where: ResourceLocations): Promise<Found[]> {
  if (!where.builtin) return [];
  const baseDir = bundledFolder();
  const origin: ResourceOrigin = { location: 'path', scope: 'user', origin: 'package', source: 'builtin', baseDir };
  return inFolder(search, path.join(baseDir, search.kind), false, origin);
}

/** What a list of a settings file names. */
async function fromSettings(
  search: Search,
  wishes: readonly Wish[],
  file: SettingsFile,
  scope: 'user' | 'project',
  { report }: ResourceLocations,
): Promise<Found[]> {
  const origin: ResourceOrigin = { location: 'path', scope, origin: 'top-level', source: 'local', baseDir: file.baseDir };
  const lists = wishes.map((wish) =>
    findWished(search, wish, file.baseDir, (message) => report(missingIn(file, search.kind, wish.index, message))),
  );
  return withOrigin((await Promise.all(lists)).flat(), origin);
}

/** A problem with the line of the settings file that names what is missing. */
function missingIn(file: SettingsFile, key: string, index: number, message: string): Parameters<ResourceLocations['report']>[0] {
  const line = file.lineOf(key, index);
  if (line === undefined) return { message: `${file.path}: ${message}`, path: file.path };
  return { message: `${file.path}, line ${line}: ${message}`, path: file.path, line };
}

async function inFolder(search: Search, folder: string, rootFiles: boolean, origin: ResourceOrigin): Promise<Found[]> {
  return withOrigin(await findInFolder(search, folder, rootFiles), origin);
}

function withOrigin(files: readonly FoundFile[], origin: ResourceOrigin): Found[] {
  return files.map((file) => ({ ...file, origin }));
}
