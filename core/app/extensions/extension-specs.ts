import type { ExtensionSpec } from '../../extension-host/host/extension-record.js';
import { type ExtensionFile, nameExtensions } from '../../resources/extension-files.js';

/** Extensions as the host takes them, in their order of rank. */
export function toSpecs(files: readonly ExtensionFile[]): ExtensionSpec[] {
  return nameExtensions(files).map(({ name, path, origin: { scope, source, origin, baseDir } }) => ({
    name,
    path,
    level: 'trusted',
    sourceInfo: { path, source, scope, origin, baseDir },
  }));
}
