import path from 'node:path';
import type { TellLeftOut } from '../find-files.js';
import { kindOf } from '../find-files.js';
import type { ConfiguredPackage, PackageScope } from './configured-packages.js';
import { filesOfPackage, PACKAGE_KINDS, type PackageKind } from './package-contents.js';
import { packageDelta, packageFilter } from './package-filter.js';

/** One thing a package brings. `source`, `origin` and `baseDir` are what clients are told of where it comes from. */
export interface PackageResource {
  /** Absolute path of the file; of an extension in a folder of its own, that of its entry. */
  path: string;
  scope: PackageScope;
  /** As the settings write it: `npm:name`, `git:host/path`, a path. */
  source: string;
  origin: 'package';
  /** The package's folder. */
  baseDir: string;
}

export type PackageResources = Readonly<Record<PackageKind, readonly PackageResource[]>>;

/** A resource of a package and whether the settings let it load: what `pi config` shows. */
export interface OfferedResource extends PackageResource {
  isEnabled: boolean;
  /** From the package's folder, with `/`: what `+` and `-` in the settings name. */
  name: string;
}

/** Everything that the packages load, kind by kind, in the order of the packages. Packages that are not installed bring nothing. */
export async function packageResources(packages: readonly ConfiguredPackage[], tell: TellLeftOut): Promise<PackageResources> {
  const lists = await Promise.all(PACKAGE_KINDS.map((kind) => resourcesOf(packages, kind, tell)));
  const [extensions = [], skills = [], prompts = [], themes = []] = lists;
  return { extensions, skills, prompts, themes };
}

/** The same for one kind. */
export async function resourcesOf(
  packages: readonly ConfiguredPackage[],
  kind: PackageKind,
  tell: TellLeftOut,
): Promise<PackageResource[]> {
  const lists = await Promise.all(packages.map((one) => offeredBy(one, kind, tell)));
  return lists.flat().flatMap(({ isEnabled, name: _, ...resource }) => (isEnabled ? [resource] : []));
}

/** All that one package has of a kind, the disabled ones too. */
export async function offeredBy(one: ConfiguredPackage, kind: PackageKind, tell: TellLeftOut): Promise<OfferedResource[]> {
  const { root, scope, setting, delta, source } = one;
  const files = await filesOfPackage(root, kind, tell);
  if (files.length === 0) return [];
  const baseDir = (await kindOf(root)) === 'file' ? path.dirname(root) : root;
  const lists = typeof setting === 'string' ? undefined : setting;
  const filter = await packageFilter(lists?.[kind], lists?.autoload === false);
  const changed = await packageDelta(delta?.[kind]);
  return files.map((file) => {
    const name = path.relative(baseDir, file).split(path.sep).join('/');
    const isEnabled = changed(name) ?? filter.lets(name);
    return { path: file, scope, source: source.text, origin: 'package', baseDir, isEnabled, name };
  });
}
