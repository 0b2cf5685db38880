#!/usr/bin/env node
// Measures the whole program, beside other programs of its protocol where they are installed. Nothing else should run meanwhile.
//   node bench/run.mjs [--only PART]... [--runs 3] [--node PATH] [--pi cli.js] [--peer "name=command"]... [--no-peers]
// Without --peer, two versions of the existing program are installed once into the cache, as for the tests, and measured too. A row is
// "measure: figure | ours | each peer | ours / better peer"; lower is better for all. What it showed is in docs/PERFORMANCE.md.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('./', import.meta.url));
const folder = mkdtempSync(path.join(os.tmpdir(), 'pi-bench-code-'));
try {
  const outfile = path.join(folder, 'main.mjs');
  await build({
    entryPoints: [path.join(here, 'macro/main.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  const own = process.argv.includes('--pi') ? [] : ['--pi', path.join(here, '../dist/cli.js')];
  const { status } = spawnSync(process.execPath, [outfile, ...own, ...process.argv.slice(2)], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
