// Tells whether dist/ was made from the sources as they are now. No dependencies: it runs before anything is installed.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HASH_FILE = path.join(ROOT, 'dist/.build-hash');
/** Everything the build reads; scripts only as far as they take part in it. */
const INPUTS = [
  'core',
  'extensions',
  'scripts/lib',
  'scripts/build.mjs',
  'scripts/generate.mjs',
  'scripts/bundle-extension-host.mjs',
  'scripts/make-author-types.mjs',
  'package.json',
  'package-lock.json',
];

function* filesBelow(target) {
  const stat = fs.statSync(target, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.isFile()) {
    yield target;
    return;
  }
  for (const name of fs.readdirSync(target).sort()) {
    if (name === 'node_modules') continue;
    yield* filesBelow(path.join(target, name));
  }
}

export function inputHash() {
  const hash = createHash('sha256');
  for (const input of INPUTS) {
    for (const file of filesBelow(path.join(ROOT, input))) {
      hash.update(path.relative(ROOT, file)).update('\0').update(fs.readFileSync(file)).update('\0');
    }
  }
  return hash.digest('hex');
}

/** True when dist/ is complete and made from exactly these inputs. */
export function isBuilt(hash = inputHash()) {
  return (
    fs.existsSync(path.join(ROOT, 'dist/cli.js')) &&
    fs.existsSync(HASH_FILE) &&
    fs.readFileSync(HASH_FILE, 'utf8').trim() === hash
  );
}

export function recordBuild(hash) {
  fs.writeFileSync(HASH_FILE, `${hash}\n`);
}

export function forgetBuild() {
  fs.rmSync(HASH_FILE, { force: true });
}
