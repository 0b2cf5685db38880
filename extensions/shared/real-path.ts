import { realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Where a path leads: `~`, `..` and links resolved, as far as it exists. */
export function realPath(given: string, cwd: string): string {
  const home = given === '~' || given.startsWith('~/') ? path.join(os.homedir(), given.slice(1)) : given;
  const full = path.resolve(cwd, home.replace(/^\$\{?HOME\}?(?=\/|$)/, os.homedir()));
  const missing: string[] = [];
  for (let at = full; ; at = path.dirname(at)) {
    try {
      return path.join(realpathSync(at), ...missing);
    } catch {
      // Not there yet: what is above it may be a link.
      if (at === path.dirname(at)) return full;
      missing.unshift(path.basename(at));
    }
  }
}

/** Whether a real path is this folder or in it. */
export function isWithin(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}
