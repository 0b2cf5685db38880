import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { bundledFolder } from '../../resources/bundled-folder.js';

/** What an extension's folder is lent where it has none of its own: this program, and what comes with it in a checkout. */
const LENT = ['pi-platform', 'vitest', '@types/node', 'typebox'] as const;

/**
 * Links in `node_modules` of the extension, so that editors, compilers and tests find the types and the kit of this very program, without a
 * network. What is installed there stays; a link that leads elsewhere, or nowhere, is made anew for the program itself.
 */
export function linkTools(folder: string): void {
  for (const name of LENT) {
    const target = name === 'pi-platform' ? bundledFolder() : packageFolder(name, bundledFolder());
    const place = path.join(folder, 'node_modules', name);
    if (target === undefined || isInPlace(place, target, name === 'pi-platform')) continue;
    mkdirSync(path.dirname(place), { recursive: true });
    rmSync(place, { force: true });
    // A junction needs no rights on Windows; elsewhere the kind does not matter.
    symlinkSync(target, place, 'junction');
  }
}

function isInPlace(place: string, target: string, mustBeSame: boolean): boolean {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (!found) return false;
  if (!found.isSymbolicLink()) return true;
  return existsSync(place) && (!mustBeSame || realpathSync(place) === realpathSync(target));
}

/** Where a package is that code in `folder` would get; undefined when there is none. */
export function packageFolder(name: string, folder: string): string | undefined {
  const paths = createRequire(path.join(folder, 'package.json')).resolve.paths(name) ?? [];
  return paths.map((one) => path.join(one, name)).find((one) => existsSync(path.join(one, 'package.json')));
}
