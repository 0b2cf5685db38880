import path from 'node:path';
import { listExtensions } from '../../resources/extension-files.js';
import type { ConfiguredPackage } from '../../resources/packages/configured-packages.js';
import { PACKAGE_KINDS, type PackageKind } from '../../resources/packages/package-contents.js';
import { offeredBy } from '../../resources/packages/package-resources.js';
import { listResourceFiles } from '../../resources/resource-files.js';
import type { SettingsFile } from '../../resources/settings.js';
import { type CommandIo, type PackageContext, packagesByScope } from './package-context.js';

/** A resource that could load, and whether it does. */
export interface OfferedRow {
  kind: PackageKind;
  scope: 'user' | 'project';
  /** What a person names it by, and the settings too: from the folder of its package, or of its settings file. */
  name: string;
  path: string;
  isEnabled: boolean;
  /** Undefined for what lies in the folders of the user or the project themselves. */
  package: ConfiguredPackage | undefined;
}

/** Kinds that lie in folders of their own, outside packages. */
const TOP_LEVEL: readonly PackageKind[] = ['extensions', 'skills', 'prompts'];

/** All resources of the user, of the project when it is trusted, and of their packages, the ones that are turned off too. */
export async function offeredResources(context: PackageContext, io: CommandIo): Promise<OfferedRow[]> {
  const { warn } = context;
  const { user, project } = packagesByScope(context);
  const rows: OfferedRow[] = [];
  for (const kind of TOP_LEVEL) rows.push(...(await topLevel(kind, context, io)));
  for (const one of [...project, ...user]) {
    // The same package in both files is the project's, or the user's with changes of the project's.
    const other = one.scope === 'user' ? project.find(({ source }) => source.identity === one.source.identity) : undefined;
    const isDelta = typeof other?.setting === 'object' && other.setting.autoload === false;
    if (other && !isDelta) continue;
    if (one.scope === 'project' && isDeltaOf(one, user)) continue;
    const whole: ConfiguredPackage = isDelta && typeof other.setting === 'object' ? { ...one, delta: other.setting } : one;
    for (const kind of PACKAGE_KINDS) {
      for (const { name, path: file, isEnabled } of await offeredBy(whole, kind, warn)) {
        const scope = one.scope === 'project' ? 'project' : 'user';
        rows.push({ kind, scope, name: personName(name), path: file, isEnabled, package: whole });
      }
    }
  }
  return rows;
}

function isDeltaOf(one: ConfiguredPackage, user: readonly ConfiguredPackage[]): boolean {
  const isDelta = typeof one.setting === 'object' && one.setting.autoload === false;
  return isDelta && user.some(({ source }) => source.identity === one.source.identity);
}

async function topLevel(kind: PackageKind, context: PackageContext, io: CommandIo): Promise<OfferedRow[]> {
  const { settings } = context;
  const { global, project } = settings;
  const free = await filesOf(kind, context, io, {
    global: withoutExceptions(global, kind),
    project: project && withoutExceptions(project, kind),
  });
  const enabled = new Set((await filesOf(kind, context, io, { global, project })).map((file) => file.path));
  return free.map(({ path: file, scope }) => {
    const base = scope === 'project' && project ? project.baseDir : global.baseDir;
    const name = path.relative(base, file).split(path.sep).join('/');
    return { kind, scope, name: personName(name), path: file, isEnabled: enabled.has(file), package: undefined };
  });
}

async function filesOf(
  kind: PackageKind,
  { home, projectTrusted }: PackageContext,
  { agentDir, cwd }: CommandIo,
  files: { global: SettingsFile; project: SettingsFile | undefined },
): Promise<{ path: string; scope: 'user' | 'project' }[]> {
  const where = { agentDir, cwd, home, projectTrusted, ...files, flags: [], flagsOnly: false, report: () => undefined };
  const found =
    kind === 'skills' || kind === 'prompts'
      ? await listResourceFiles(kind, { ...where, builtin: false })
      : await listExtensions(where);
  return found
    .filter(({ origin }) => origin.origin === 'top-level')
    .map(({ path: file, origin }) => ({ path: file, scope: origin.scope === 'project' ? 'project' : 'user' }));
}

/** The file as it would be if it took nothing out, and without packages. */
function withoutExceptions(file: SettingsFile, kind: PackageKind): SettingsFile {
  const { packages: _, ...known } = file.known;
  const list = kind === 'themes' ? undefined : known[kind];
  return {
    ...file,
    known: {
      ...known,
      ...(list && { [kind]: list.map((word) => (/^[!-]/.test(word) ? '' : word)).filter((word) => word !== '') }),
    },
  };
}

/** A skill, or an extension in a folder, goes by the folder. */
function personName(name: string): string {
  return name.replace(/\/(?:SKILL\.md|index\.[cm]?[jt]s)$/, '');
}
