#!/usr/bin/env node
// Measures the boundary between core and extensions. Nothing else should run meanwhile; where that can't be had, look at minima and CPU.
//   node bench/boundary/run.mjs [--node PATH]... [--runs N]        default: this Node, 15 runs
// Prints one table per Node. What each row means is in docs/PERFORMANCE.md, "The boundary".
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleExtensionHost } from '../../scripts/bundle-extension-host.mjs';

const valuesOf = (name) => process.argv.flatMap((word, at) => (word === name ? [process.argv[at + 1]] : []));
const nodes = valuesOf('--node');
const runs = valuesOf('--runs')[0] ?? '15';

const folder = mkdtempSync(path.join(os.tmpdir(), 'pi-boundary-'));
try {
  await bundleExtensionHost(folder);
  const here = fileURLToPath(new URL('./', import.meta.url));
  await build({
    entryPoints: { measure: path.join(here, 'measure.ts'), 'start-core': path.join(here, 'start-core.ts') },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  for (const node of nodes.length > 0 ? nodes : [process.execPath]) {
    const { status } = spawnSync(node, [path.join(folder, 'measure.mjs'), folder, runs], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
