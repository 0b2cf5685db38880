import { messageOf } from '../../base/coded-error.js';
import type { PackageSetting } from '../setting-table.js';
import type { SettingsFile } from '../settings.js';
import { packageRoot } from './package-places.js';
import { type PackageSource, parsePackageSource } from './package-source.js';

export type PackageScope = 'user' | 'project' | 'temporary';

/** A package that a settings file or the command line names. */
export interface ConfiguredPackage {
  source: PackageSource;
  scope: PackageScope;
  /** What the settings say: the source alone, or with lists of what to load of it. */
  setting: PackageSetting;
  /** Of a project's entry that only adds to and takes from this one. */
  delta?: Exclude<PackageSetting, string>;
  /** File or folder; it need not exist. */
  root: string;
}

/** A package of the command line that has been fetched, or lies on this machine. */
export interface TemporaryPackage {
  source: PackageSource;
  root: string;
}

export interface PackageSettings {
  home: string;
  global: SettingsFile;
  /** Missing when the project is not trusted. */
  project?: SettingsFile | undefined;
  temporary?: readonly TemporaryPackage[] | undefined;
  /** An entry that names no package. */
  report: (problem: { message: string; path: string; line?: number }) => void;
}

/**
 * Each package once, in the order in which what they bring takes names: those of the command line, the project's, the user's. One that
 * both files name is the project's, unless that entry says `autoload: false`: then it is the user's, with the project's lists applied on
 * top. Source: "Packages", Scope and Deduplication.
 */
export function configuredPackages(settings: PackageSettings): ConfiguredPackage[] {
  const { global, project, temporary = [] } = settings;
  const found = new Map<string, ConfiguredPackage>();
  for (const { source, root } of temporary) {
    if (!found.has(source.identity)) found.set(source.identity, { source, root, scope: 'temporary', setting: source.text });
  }
  const users = entriesOf(global, 'user', settings);
  for (const entry of project ? entriesOf(project, 'project', settings) : []) {
    const { setting } = entry;
    const isDelta = typeof setting === 'object' && setting.autoload === false;
    const base = isDelta ? users.find(({ source }) => source.identity === entry.source.identity) : undefined;
    if (base && typeof setting === 'object') base.delta = setting;
    else if (!found.has(entry.source.identity)) found.set(entry.source.identity, entry);
  }
  for (const entry of users) if (!found.has(entry.source.identity)) found.set(entry.source.identity, entry);
  return [...found.values()];
}

function entriesOf(file: SettingsFile, scope: 'user' | 'project', { home, report }: PackageSettings): ConfiguredPackage[] {
  return (file.known.packages ?? []).flatMap((setting, index) => {
    try {
      const source = parsePackageSource(typeof setting === 'string' ? setting : setting.source, file.baseDir, home);
      return [{ source, scope, setting, root: packageRoot(source, file.baseDir) }];
    } catch (error) {
      const line = file.lineOf('packages', index);
      const place = line === undefined ? file.path : `${file.path}, line ${line}`;
      report({ message: `${place}: ${messageOf(error)}`, path: file.path, ...(line !== undefined && { line }) });
      return [];
    }
  });
}
