import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this program's own package: the nearest one above this code with a package.json. Built and unbuilt code agree on it. */
export function bundledFolder(): string {
  const start = path.dirname(fileURLToPath(import.meta.url));
  for (let folder = start; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder;
  }
  return start;
}
