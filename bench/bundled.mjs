// Runs a measuring program that is written in TypeScript: bundled into a temporary folder, with the arguments of this process.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/** `entry` is named as seen from `from`, the URL of the module that asks. Gives the exit code. */
export async function runBundled(from, entry) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pi-bench-code-'));
  try {
    const outfile = path.join(folder, 'main.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL(entry, from))],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'warning',
    });
    const own = process.argv.includes('--pi') ? [] : ['--pi', CLI];
    return spawnSync(process.execPath, [outfile, ...own, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
