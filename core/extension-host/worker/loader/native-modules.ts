import { readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { codeOf } from '../../../base/coded-error.js';
import { installedFolder, PackageFiles, statOf } from './package-files.js';

/** A check is for a reload, not for hashing a disk. */
const MAX_LOOKED_AT = 50_000;

/**
 * Modules that Node loads itself: packages of `node_modules`, and its own. They can't be unloaded, so it is remembered what they came from, and
 * `changed` says when that is no longer what is on disk.
 */
export class NativeModules {
  readonly #require = createRequire(import.meta.url);
  /** Files that were asked for, as they were then. */
  readonly #files = new Map<string, string>();
  /** Folders of packages, and when the first file of each was asked for. */
  readonly #packages = new Map<string, number>();

  /** What `import` of a file gives: a namespace, or the exports of CommonJS. */
  async import(file: string): Promise<unknown> {
    this.#remember(file);
    if (/\.(?:cjs|json|node)$/i.test(file)) return this.#require(file);
    const namespace: unknown = await import(pathToFileURL(file).href);
    // Node lists only the names it recognises in the text; here all there are can be imported.
    return this.#require.cache[file]?.exports ?? namespace;
  }

  require(file: string): unknown {
    this.#remember(file);
    return this.#require(file);
  }

  builtin(name: string): unknown {
    return this.#require(name);
  }

  /**
   * True when a file of a package that was loaded, or of one of its dependencies, is another than it was. What Node read of them is not
   * listed anywhere, so all files of their folders count.
   */
  changed(): boolean {
    for (const [file, stamp] of this.#files) if (stampOf(file) !== stamp) return true;
    return newestChange(this.#withDependencies()) !== undefined;
  }

  #remember(file: string): void {
    if (this.#files.has(file)) return;
    this.#files.set(file, stampOf(file));
    const folder = installedFolder(file);
    if (folder === undefined) return;
    const manifest = path.join(folder, 'package.json');
    this.#files.set(manifest, stampOf(manifest));
    if (!this.#packages.has(folder)) this.#packages.set(folder, Date.now());
  }

  #withDependencies(): Map<string, number> {
    const packages = new PackageFiles();
    const found = new Map(this.#packages);
    // Grows while it is walked.
    for (const [folder, sinceMs] of found) {
      for (const name of packages.read(folder)?.dependencies ?? []) {
        for (const dependency of packages.find(name, folder))
          if (!found.has(dependency.folder)) found.set(dependency.folder, sinceMs);
      }
    }
    return found;
  }
}

/** Tells one state of a file from another; that it is gone is one, too. */
function stampOf(file: string): string {
  const found = statOf(file);
  return found ? `${found.dev}:${found.ino}:${found.size}:${found.mtimeMs}:${found.ctimeMs}` : 'none';
}

/** A file or folder that changed after its package was loaded. The time of change of an inode can't be set by whoever unpacks it. */
function newestChange(packages: ReadonlyMap<string, number>): string | undefined {
  let left = MAX_LOOKED_AT;
  const search = (folder: string, sinceMs: number): string | undefined => {
    if (--left < 0) return undefined;
    if ((statOf(folder)?.ctimeMs ?? 0) > sinceMs) return folder;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        const found = entry.name === 'node_modules' ? undefined : search(file, sinceMs);
        if (found !== undefined) return found;
      } else if (--left >= 0 && (statOf(file)?.ctimeMs ?? 0) > sinceMs) return file;
    }
    return undefined;
  };
  for (const [folder, sinceMs] of packages) {
    try {
      const found = search(realpathSync(folder), sinceMs);
      if (found !== undefined) return found;
    } catch (error) {
      // Gone: that is a change as well. What may not be looked at is none.
      if (codeOf(error) === 'ENOENT') return folder;
    }
  }
  return undefined;
}
