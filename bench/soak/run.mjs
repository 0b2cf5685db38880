#!/usr/bin/env node
// A long run with twenty extensions, six of which misbehave at random, while prompts and dialogs never stop.
//   node bench/soak/run.mjs [--minutes 30] [--node PATH] [--pi <path of cli.js>]
// Prints a table; exit code 1 when an answer was lost or the memory of the core grew by more than 10 %. What it showed is in docs/PERFORMANCE.md.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('./', import.meta.url));
const argument = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
};
const folder = mkdtempSync(path.join(os.tmpdir(), 'pi-soak-'));
try {
  const outfile = path.join(folder, 'soak.mjs');
  await build({
    entryPoints: [path.join(here, 'soak.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  });
  const { status } = spawnSync(process.execPath, [outfile], {
    stdio: 'inherit',
    env: {
      ...process.env,
      SOAK_FOLDER: folder,
      SOAK_MINUTES: argument('minutes', '30'),
      SOAK_NODE: argument('node', process.execPath),
      SOAK_PI: argument('pi', path.join(here, '../../dist/cli.js')),
    },
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
