// Brings a checkout into a state in which the program runs: packages installed, dist/ built. No dependencies.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt } from './build-hash.mjs';
import { step } from './say.mjs';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Ends the process with one clear line when this Node cannot run the program. */
export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  process.stderr.write(`pi needs Node.js 20.19 or later; this is ${process.versions.node}. See https://nodejs.org.\n`);
  process.exit(2);
}

const readJson = (file) => JSON.parse(fs.readFileSync(path.join(ROOT, file), 'utf8'));

/** npm's own record of what it installed has every package of the lock file, in its version; other platforms' may be missing. */
function isInstalled() {
  if (!fs.existsSync(path.join(ROOT, 'node_modules/.package-lock.json'))) return false;
  const installed = readJson('node_modules/.package-lock.json').packages;
  return Object.entries(readJson('package-lock.json').packages).every(
    ([place, entry]) =>
      place === '' || entry.link || installed[place]?.version === entry.version || (entry.optional && !installed[place]),
  );
}

function install() {
  // The npm that started us, else the one on the PATH.
  const npm = process.env.npm_execpath;
  const [command, first] = npm && /npm-cli\.[cm]?js$/.test(npm) ? [process.execPath, [npm]] : ['npm', []];
  const args = [...first, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  // Its stdout is the caller's stderr: stdout belongs to the program that is started next.
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (error) throw new Error(`npm could not be started: ${error.message}`);
  if (status !== 0) throw new Error(`npm ci failed (exit code ${status}); its message is above.`);
}

export async function setUp() {
  checkNode();
  try {
    if (!isInstalled()) await step('Installing packages (npm ci)', install);
    if (isBuilt()) return;
    const { buildAll } = await import('../build.mjs');
    await buildAll();
  } catch (error) {
    process.stderr.write(`[pi] ${error.message}\n`);
    process.exit(1);
  }
}
