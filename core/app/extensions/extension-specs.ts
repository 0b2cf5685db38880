import { createHash } from 'node:crypto';
import path from 'node:path';
import type { ExtensionSpec } from '../../extension-host/host/extension-record.js';
import { type ExtensionFile, nameExtensions } from '../../resources/extension-files.js';
import { type CommonFolders, ownFolder, readManifest } from '../../trust/extension-manifest.js';
import { decideExtensionTrust } from '../../trust/extension-trust.js';
import { Grants } from '../../trust/grants.js';

/** What decides how far extensions are trusted. */
export interface ExtensionTrustSources extends CommonFolders {
  /** `extensionTrust` of the user's settings, and of a trusted project's. */
  user: unknown;
  project: unknown;
  /** Told of what the settings say that can't be meant. */
  report: (message: string, path: string) => void;
  /** This extension runs once with everything allowed, and what it uses is written down: `pi ext learn`. */
  learn?: { path: string; report: string } | undefined;
}

/** Extensions as the host takes them, in their order of rank, each with its level and what it may do. */
export function toSpecs(files: readonly ExtensionFile[], trust: ExtensionTrustSources): ExtensionSpec[] {
  return nameExtensions(files).map(({ name, path: file, origin: { scope, source, origin, baseDir } }) => {
    const spec = { name, path: file, sourceInfo: { path: file, source, scope, origin, baseDir } };
    // Part of the program.
    if (source === 'builtin') return { ...spec, level: 'trusted' };
    const manifest = readManifest(file, trust);
    if (trust.learn?.path === file) {
      const places = { cwd: trust.cwd, ext: file, data: dataFolder(trust.agentDir, name, file) };
      return { ...spec, level: 'restricted', grants: new Grants([], places, trust.home), auditFile: trust.learn.report };
    }
    const named = { path: file, packageFolder: manifest.packageFolder, source, scope };
    const { level, grants, problems, ...rest } = decideExtensionTrust(named, trust.user, trust.project, trust.home);
    for (const problem of problems) trust.report(problem, file);
    const declared = manifest.declared.length > 0 ? { declared: manifest.declared } : {};
    if (level === 'trusted') return { ...spec, ...rest, ...declared, level, ...ownPlace(rest) };
    const places = { cwd: trust.cwd, ext: ownFolder(file, manifest, trust), data: dataFolder(trust.agentDir, name, file) };
    const given = new Grants(grants, places, trust.home);
    for (const problem of given.problems) trust.report(`The grant ${problem}. It is not granted to ${file}`, file);
    return { ...spec, ...rest, ...declared, level, grants: given };
  });
}

/** Limits of a thread are those of all who share it. */
function ownPlace({ own, limits }: Pick<ExtensionSpec, 'own' | 'limits'>): Pick<ExtensionSpec, 'own'> {
  const hasLimits = limits?.heapMb !== undefined || limits?.blockMs !== undefined;
  return hasLimits && own === undefined ? { own: 'worker' } : {};
}

/** Of its own, whatever others are called. */
function dataFolder(agentDir: string, name: string, file: string): string {
  const hash = createHash('sha256').update(file).digest('hex').slice(0, 8);
  return path.join(agentDir, 'extension-data', `${name.replace(/[^\w.-]/g, '_')}-${hash}`);
}
