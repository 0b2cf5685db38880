#!/usr/bin/env node
// Makes the two files an extension host runs: `host.js` (the process) and `worker.js` (its threads). Complete in themselves: nothing is
// resolved or compiled when a host starts.
//   node scripts/bundle-extension-host.mjs [outdir]      default: dist/extension-host
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const ENTRIES = {
  host: path.join(ROOT, 'core/extension-host/process/main.ts'),
  worker: path.join(ROOT, 'core/extension-host/worker/main.ts'),
};

/** Written aside and renamed, so that a host that starts meanwhile reads one version or the other. */
export async function bundleExtensionHost(outdir = path.join(ROOT, 'dist/extension-host')) {
  const { build } = await import('esbuild');
  const result = await build({
    entryPoints: ENTRIES,
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // comlink's "main" is a UMD file that can't be tree-shaken.
    mainFields: ['module', 'main'],
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'external',
    legalComments: 'none',
    write: false,
    absWorkingDir: ROOT,
    logLevel: 'warning',
  });
  fs.mkdirSync(outdir, { recursive: true });
  for (const file of result.outputFiles) {
    const aside = `${file.path}.${process.pid}.tmp`;
    fs.writeFileSync(aside, file.contents);
    fs.renameSync(aside, file.path);
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await bundleExtensionHost(process.argv[2]);
