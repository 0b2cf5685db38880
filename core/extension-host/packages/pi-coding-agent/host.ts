import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentDir, homeDir } from '../../../resources/agent-dir.js';
import { workerServices } from '../../contract/worker-services.js';

/** The API that this package speaks, for those who ask outside of a worker. */
const API_VERSION = '0.84.0';

/** Name of the folder of settings and resources in a project. */
export const CONFIG_DIR_NAME = '.pi';

/** This program's version; asked when the package is imported. */
export const VERSION: string = workerServices()?.version ?? API_VERSION;

/** `~/.pi/agent`, or what `PI_CODING_AGENT_DIR` says. */
export function getAgentDir(): string {
  return workerServices()?.agentDir ?? agentDir(process.env);
}

/** The folder of this program's package; `PI_PACKAGE_DIR` overrides it. */
export function getPackageDir(): string {
  const asked = process.env.PI_PACKAGE_DIR?.trim();
  if (asked) return resolve(asked === '~' || asked.startsWith('~/') ? join(homeDir(process.env), asked.slice(1)) : asked);
  // From the source as well as from a bundle, whose depth below the package is not this file's.
  const start = workerServices()?.cliPath ?? fileURLToPath(import.meta.url);
  for (let dir = dirname(start); ; dir = dirname(dir)) {
    if (existsSync(join(dir, 'package.json')) || dir === dirname(dir)) return dir;
  }
}

export const getReadmePath = (): string => join(getPackageDir(), 'README.md');
export const getDocsPath = (): string => join(getPackageDir(), 'docs');
export const getExamplesPath = (): string => join(getPackageDir(), 'examples');
