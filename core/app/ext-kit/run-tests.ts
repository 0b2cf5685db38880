import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { bundledFolder } from '../../resources/bundled-folder.js';
import { linkTools, packageFolder } from './link-tools.js';

/** Where the tests of an extension are, and which of them. */
export interface TestPlace {
  folder: string;
  filters: string[];
}

/** Of an extension's folder all tests; of one of its files, those that are called like it. */
export function testPlace(target: string): TestPlace {
  if (statSync(target).isDirectory()) return { folder: target, filters: [] };
  const folder = path.dirname(target);
  const name = path.basename(target).replace(/(?:\.(?:test|spec))?\.[cm]?[jt]sx?$/, '');
  // The file that is the whole extension: everything beside it is about it.
  return { folder, filters: name === 'index' ? [] : [`${path.join(folder, name)}.`] };
}

export type TestsDone = { code: number } | { problem: string };

/** Runs vitest on them, on this process's stdout and stderr. Aborting ends it with all it started. */
export async function runTests(
  { folder, filters }: TestPlace,
  args: readonly string[],
  { env, signal }: { env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<TestsDone> {
  // A folder without a manifest is nobody's package: nothing is put into it.
  if (existsSync(path.join(folder, 'package.json'))) linkTools(folder);
  const vitest = packageFolder('vitest', folder) ?? packageFolder('vitest', bundledFolder());
  if (vitest === undefined)
    return {
      problem: `vitest is not installed. Run this once, and then again:\n  npm install --save-dev --prefix ${folder} vitest`,
    };
  const runner = path.join(bundledFolder(), 'dist', 'vitest-runner.js');
  const child = spawn(process.execPath, [runner, vitest, folder, ...args, ...filters], {
    cwd: folder,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return new Promise((resolve) => {
    const stop = (): void => void child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    child.once('error', (error) => resolve({ problem: `vitest could not be started: ${error.message}` }));
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      resolve({ code: code ?? 1 });
    });
  });
}
