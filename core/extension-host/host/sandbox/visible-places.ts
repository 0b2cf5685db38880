import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { Grants } from '../../../trust/grants.js';

/** Files and folders a process sees. Each folder with all in it. */
export interface Visible {
  readable: string[];
  writable: string[];
}

/** What an extension may read and write: what it is made of, its data, and what is granted. `entry` is the bundle it runs in. */
export function visiblePlaces(entry: string, grants: Grants): Visible {
  const { ext, data } = grants.places;
  const own = [path.dirname(entry), ext, ...storesOf(ext), data];
  return { readable: places([...own, ...grants.readable]), writable: places([data, ...grants.writable]) };
}

/** The `node_modules` a package is installed in: what it imports lies beside it. */
function storesOf(ext: string): string[] {
  const at = ext.indexOf(`${path.sep}node_modules${path.sep}`);
  return at < 0 ? [] : [path.join(ext.slice(0, at), 'node_modules')];
}

/** Each by the name given and by its real one. What can't be written as one place alone is left out. */
function places(all: readonly string[]): string[] {
  return [...new Set(all.flatMap((place) => [place, realOf(place)]))].filter((place) => !/[*?\n]/.test(place));
}

function realOf(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    // Not there yet: it may be made.
    return place;
  }
}
