#!/usr/bin/env node
// Makes what an extension host runs: `host.js` (the process) and `transpile.js` (which makes code for restricted extensions), each complete
// in itself; `worker.js` (threads of the host), `restricted.js` (the process of a restricted extension) and `packages/*.js` (what
// extensions import under the host's names), which share their common parts; `sucrase.js`, which is needed when a source was never seen. Nothing is resolved or compiled when a host starts.
// `mcp-sdk.cjs` is the library of the bundled extension "mcp".
//   node scripts/bundle-extension-host.mjs [outdir]      default: dist/extension-host
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const HOME = path.join(ROOT, 'core/extension-host');
const KEEP_CHUNKS_MS = 24 * 60 * 60 * 1000;

/** One entry for each package: every file at the top of its folder that is not a part of others. */
function packageEntries() {
  const names = fs
    .readdirSync(path.join(HOME, 'packages'))
    .filter((name) => /^(?:pi-|typebox|theme\.ts$)/.test(name) && name.endsWith('.ts'));
  return Object.fromEntries(names.map((name) => [`packages/${name.slice(0, -3)}`, path.join(HOME, 'packages', name)]));
}

// CommonJS libraries call `require` for Node's own modules.
const REQUIRE = {
  js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
};

const COMMON = {
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
};

/** Stays a file of its own although the bundles around it are complete: most starts have no use for it. */
const SUCRASE_APART = {
  name: 'sucrase-apart',
  setup(build) {
    build.onResolve({ filter: /^sucrase\// }, () => ({ path: './sucrase.js', external: true }));
  },
};

/** Written aside and renamed, so that a host that starts meanwhile reads one version or the other. */
export async function bundleExtensionHost(outdir = path.join(ROOT, 'dist/extension-host')) {
  const { build } = await import('esbuild');
  const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const define = { PI_VERSION: JSON.stringify(version) };
  const [sucrase, host, worker, mcpSdk] = await Promise.all([
    build({
      ...COMMON,
      outdir,
      entryPoints: { sucrase: path.join(HOME, 'process/transpile/sucrase-parts.ts') },
    }),
    build({
      ...COMMON,
      define,
      outdir,
      entryPoints: {
        host: path.join(HOME, 'process/main.ts'),
        transpile: path.join(HOME, 'process/transpile-helper.ts'),
      },
      external: ['esbuild'],
      plugins: [SUCRASE_APART],
    }),
    build({
      ...COMMON,
      define,
      outdir,
      entryPoints: {
        worker: path.join(HOME, 'worker/main.ts'),
        restricted: path.join(HOME, 'worker/process-main.ts'),
        ...packageEntries(),
      },
      splitting: true,
      chunkNames: 'chunks/[name]-[hash]',
      // Loaded by a terminal on Windows only, which there is none of.
      external: ['koffi', 'esbuild'],
      banner: REQUIRE,
    }),
    // CommonJS: extensions load it with `require`, which leaves it to Node as it is.
    build({
      ...COMMON,
      format: 'cjs',
      outdir,
      outExtension: { '.js': '.cjs' },
      entryPoints: { 'mcp-sdk': path.join(ROOT, 'extensions/mcp/sdk-entry.ts') },
    }),
  ]);
  // Entries last: they name chunks that must be there already.
  const isChunk = (file) => file.path.includes(`${path.sep}chunks${path.sep}`);
  const files = [sucrase, host, worker, mcpSdk]
    .flatMap(({ outputFiles }) => outputFiles)
    .sort((a, b) => Number(isChunk(b)) - Number(isChunk(a)));
  for (const file of files) {
    fs.mkdirSync(path.dirname(file.path), { recursive: true });
    const aside = `${file.path}.${process.pid}.tmp`;
    fs.writeFileSync(aside, file.contents);
    fs.renameSync(aside, file.path);
  }
  const current = new Set(files.map((file) => file.path));
  const chunks = path.join(outdir, 'chunks');
  for (const name of fs.existsSync(chunks) ? fs.readdirSync(chunks) : []) {
    const file = path.join(chunks, name);
    if (!current.has(file) && Date.now() - fs.statSync(file).mtimeMs > KEEP_CHUNKS_MS) fs.rmSync(file, { force: true });
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await bundleExtensionHost(process.argv[2]);
