import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../base/coded-error.js';
import type { Diagnostic } from '../protocol/commands/state.js';
import { type ConfiguredPackage, configuredPackages, type TemporaryPackage } from '../resources/packages/configured-packages.js';
import { installedVersion, packageRoot } from '../resources/packages/package-places.js';
import {
  type GitSource,
  isFetched,
  type NpmSource,
  type PackageSource,
  parsePackageSource,
} from '../resources/packages/package-source.js';
import type { LoadedSettings } from '../resources/settings.js';
import { isOffline } from './offline-mode.js';

export interface PreparePackagesOptions {
  agentDir: string;
  cwd: string;
  home: string;
  env: NodeJS.ProcessEnv;
  /** `--offline`. */
  offline: boolean;
  /** Read with the project's, where it is trusted. */
  settings: LoadedSettings;
  /** Values of `-e`. */
  flags: readonly string[];
  /** False when nothing of what the settings name will be loaded. */
  needsConfigured: boolean;
  report: (diagnostic: Diagnostic) => void;
  /** One line for a person who waits. */
  progress: (line: string) => void;
}

/** Of `-e npm:…`: an installation of its own, kept for the next time. */
function temporaryBase(agentDir: string, source: PackageSource): string {
  return path.join(agentDir, 'tmp', 'packages', createHash('sha256').update(source.text).digest('hex').slice(0, 16));
}

/**
 * Sees to it that packages are there before they are loaded: those that the settings name and that are missing, and those of `-e`. Gives
 * the latter. Looks at a few files when nothing is missing. A package that can't be had is reported, and the rest goes on without it; it
 * never rejects. Source: "Packages", Install and Manage.
 */
export async function preparePackages(options: PreparePackagesOptions): Promise<TemporaryPackage[]> {
  const { agentDir, cwd, home, flags } = options;
  if (options.needsConfigured) await fetchMissing(options);
  const temporary: TemporaryPackage[] = [];
  for (const flag of flags) {
    const source = parsed(flag, cwd, home, options);
    if (source?.kind === 'path') temporary.push({ source, root: source.path });
    else if (source && (await fetchTemporary(source, options)))
      temporary.push({ source, root: packageRoot(source, temporaryBase(agentDir, source)) });
  }
  return temporary;
}

function parsed(flag: string, cwd: string, home: string, { report }: PreparePackagesOptions): PackageSource | undefined {
  try {
    return parsePackageSource(flag, cwd, home);
  } catch (error) {
    report({ kind: 'package', severity: 'error', message: messageOf(error) });
    return undefined;
  }
}

async function fetchMissing(options: PreparePackagesOptions): Promise<void> {
  const { settings, home, env, offline } = options;
  const { global, project } = settings;
  const missing = configuredPackages({ home, global, project, report: () => undefined }).filter((one) =>
    isMissing(one, (one.scope === 'project' ? project : global)?.baseDir ?? global.baseDir),
  );
  // What is missing is told where it is looked for.
  if (missing.length === 0 || offline || isOffline(env)) return;
  for (const scope of ['project', 'user'] as const) {
    const file = scope === 'project' ? project : global;
    const sources = missing.filter((one) => one.scope === scope).map(({ source }) => source);
    if (!file || sources.length === 0) continue;
    options.progress(`fetching ${sources.map(({ text }) => text).join(', ')}, named in ${file.path}`);
    const repin = scope === 'project' ? await pinnedBefore(options) : undefined;
    for (const group of [
      sources.filter(({ kind }) => kind === 'npm'),
      ...sources.filter(({ kind }) => kind === 'git').map((one) => [one]),
    ])
      if (group.length > 0) await tryInstall(file.baseDir, group, 'locked', options);
    await repin?.();
  }
}

/** An npm package may be there in a version that is not the one the settings, or a project's lock file, ask for. */
function isMissing({ source, root }: ConfiguredPackage, baseDir: string): boolean {
  if (!isFetched(source)) return false;
  if (!existsSync(root)) return true;
  if (source.kind !== 'npm') return false;
  const wanted = /^\d+\.\d+\.\d+/.test(source.spec ?? '') ? source.spec : lockedIn(baseDir, source.name);
  return (
    wanted !== undefined && wanted !== installedVersion(baseDir, source.name) && /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(wanted)
  );
}

/** The version a lock file names. One that can't be read is reported when packages are installed by it. */
function lockedIn(baseDir: string, name: string): string | undefined {
  try {
    const lock: { npm?: Record<string, { version?: unknown } | undefined> } = JSON.parse(
      readFileSync(path.join(baseDir, 'packages-lock.json'), 'utf8'),
    );
    const version = lock.npm?.[`node_modules/${name}`]?.version;
    return typeof version === 'string' ? version : undefined;
  } catch {
    // No lock file, which is common, or none that says anything.
    return undefined;
  }
}

/**
 * A pin that held a moment ago is made anew after the project's own packages were fetched: who pinned the project trusted the settings
 * and the lock file that name them.
 */
async function pinnedBefore({ agentDir, cwd, home, report }: PreparePackagesOptions): Promise<(() => Promise<void>) | undefined> {
  const { realFolder } = await import('../trust/project-parts.js');
  const { readPin } = await import('../trust/project-pin.js');
  const folder = realFolder(cwd);
  try {
    if (!readPin(agentDir, folder)) return undefined;
  } catch {
    // The trust decision has told of a file that can't be read.
    return undefined;
  }
  return async () => {
    const { pinProject } = await import('../trust/project-trust.js');
    const { pinnedPlaces } = await import('./pinned-places.js');
    try {
      await pinProject({ agentDir, cwd, home, pinnedPlaces: () => pinnedPlaces(cwd, home) }, folder);
    } catch (error) {
      report({
        kind: 'trust',
        severity: 'warning',
        message: `${folder} could not be pinned anew: ${messageOf(error)}`,
        path: folder,
      });
    }
  };
}

async function fetchTemporary(source: NpmSource | GitSource, options: PreparePackagesOptions): Promise<boolean> {
  const baseDir = temporaryBase(options.agentDir, source);
  const isThere = existsSync(packageRoot(source, baseDir));
  const isFixed = source.kind === 'npm' ? /^\d+\.\d+\.\d+/.test(source.spec ?? '') : /^[0-9a-f]{40}$/.test(source.ref ?? '');
  if (isThere && (isFixed || options.offline || isOffline(options.env))) return true;
  if (!isThere) options.progress(`fetching ${source.text}`);
  const problem = await tryInstall(baseDir, [source], 'newest', options);
  return problem === undefined || isThere;
}

/** What kept packages from being installed, which has been reported. */
async function tryInstall(
  baseDir: string,
  sources: readonly PackageSource[],
  want: 'locked' | 'newest',
  { env, offline, settings, report, progress }: PreparePackagesOptions,
): Promise<string | undefined> {
  const { npmCommand } = settings.settings;
  try {
    const { installPackages } = await import('./packages/installer.js');
    const { withStoreLock } = await import('./packages/store.js');
    const tools = {
      env,
      npmCommand: npmCommand && npmCommand.length > 0 ? npmCommand : ['npm'],
      offline: offline || isOffline(env),
      allowScripts: false,
      progress,
    };
    await withStoreLock(baseDir, tools, () => installPackages(baseDir, sources, want, tools));
    return undefined;
  } catch (error) {
    const message = messageOf(error);
    report({ kind: 'package', severity: 'error', message, path: baseDir });
    return message;
  }
}
