#!/usr/bin/env node
// Makes dist/: `cli.js` (the `pi` binary), `index.js` (the library), the extension host. Does nothing when dist/ is up to date.
//   node scripts/build.mjs [--force] [--clean]           --clean first removes what is there, old chunks too
//   node scripts/build.mjs --outdir DIR [--meta FILE]    only the bundle, elsewhere, with esbuild's account of what went into each file
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { forgetBuild, inputHash, isBuilt, recordBuild } from './lib/build-hash.mjs';
import { step } from './lib/say.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const DIST = path.join(ROOT, 'dist');
const HOST_BUNDLER = path.join(ROOT, 'scripts/bundle-extension-host.mjs');
/** A program that still runs may load a chunk of the build it was started from; only older ones are removed. */
const KEEP_CHUNKS_MS = 24 * 60 * 60 * 1000;

// The file people start. It knows no option: it says when Node is too old, in syntax that old versions read, and turns on the
// compile cache before the program is loaded, which is the only moment it helps.
const LAUNCHER = `#!/usr/bin/env node
import module from 'node:module';
import path from 'node:path';
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write('pi needs Node.js 20.19 or later; this is ' + process.versions.node + '.\\n');
  process.exit(2);
}
const cache = process.env.XDG_CACHE_HOME || (process.env.HOME && path.join(process.env.HOME, '.cache'));
if (cache && module.enableCompileCache && !process.env.NODE_DISABLE_COMPILE_CACHE) {
  module.enableCompileCache(path.join(cache, 'pi-platform', 'compile'));
}
await import('./main.js');
`;

/** Where the main program would be; a checkout without it still builds. */
function entryPoints() {
  const entries = {
    main: path.join(ROOT, 'core/cli.ts'),
    index: path.join(ROOT, 'core/sdk.ts'),
    client: path.join(ROOT, 'core/client/index.ts'),
    testing: path.join(ROOT, 'core/testing/public.ts'),
    'vitest-runner': path.join(ROOT, 'core/app/ext-kit/vitest-runner.ts'),
  };
  return Object.fromEntries(Object.entries(entries).filter(([, file]) => fs.existsSync(file)));
}

/** Written aside and renamed: a reader sees the old file or the new one. */
function replaceFile(file, content, mode = 0o644) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const aside = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(aside, content, { mode });
  fs.renameSync(aside, file);
}

async function bundle(outdir, metaFile) {
  const { build } = await import('esbuild');
  const { version } = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const result = await build({
    entryPoints: entryPoints(),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    chunkNames: 'chunks/[name]-[hash]',
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'external',
    legalComments: 'none',
    // CommonJS libraries call `require` for Node's own modules.
    banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
    define: { PI_VERSION: JSON.stringify(version) },
    metafile: true,
    write: false,
    absWorkingDir: ROOT,
    logLevel: 'warning',
  });
  // Entries last: they name chunks that must be there already.
  const isChunk = (file) => file.path.includes(`${path.sep}chunks${path.sep}`);
  const files = [...result.outputFiles.filter(isChunk), ...result.outputFiles.filter((file) => !isChunk(file))];
  for (const file of files) replaceFile(file.path, file.contents);
  replaceFile(path.join(outdir, 'cli.js'), LAUNCHER, 0o755);
  removeOldChunks(outdir, new Set(files.map((file) => file.path)));
  if (metaFile) fs.writeFileSync(metaFile, JSON.stringify(result.metafile));
}

/** Resolves when the script of this folder is done. */
async function runScript(name) {
  const child = spawn(process.execPath, [path.join(ROOT, 'scripts', name)], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`scripts/${name} failed`);
}

function removeOldChunks(outdir, current) {
  const folder = path.join(outdir, 'chunks');
  if (!fs.existsSync(folder)) return;
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name);
    if (!current.has(file) && Date.now() - fs.statSync(file).mtimeMs > KEEP_CHUNKS_MS) fs.rmSync(file, { force: true });
  }
}

/** Resolves to false when there was nothing to do. */
export async function buildAll({ force = false } = {}) {
  if (!force && isBuilt()) return false;
  await step('Building dist/', async () => {
    forgetBuild();
    const { updateGenerated } = await import('./generate.mjs');
    await updateGenerated();
    // Taken before the sources are read: a change made meanwhile leaves the build stale instead of unseen.
    const hash = inputHash();
    const types = runScript('make-author-types.mjs');
    await bundle(DIST);
    if (fs.existsSync(HOST_BUNDLER))
      execFileSync(process.execPath, [HOST_BUNDLER], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
    await types;
    recordBuild(hash);
  });
  return true;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const argumentOf = (name) => {
    const at = process.argv.indexOf(name);
    return at < 0 ? undefined : process.argv[at + 1];
  };
  const outdir = argumentOf('--outdir');
  if (process.argv.includes('--clean')) fs.rmSync(DIST, { recursive: true, force: true });
  if (outdir) await bundle(path.resolve(outdir), argumentOf('--meta'));
  else if (!(await buildAll({ force: process.argv.includes('--force') }))) process.stderr.write('[pi] dist/ is up to date.\n');
}
