import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../../../core/base/coded-error.js';
import { Resolver, type Way } from '../../../../core/extension-host/worker/loader/resolver.js';
import { temporaryFolder, writeFiles } from './support.js';

/** Packages as they are published, old and new, and a few that are wrong. */
const PACKAGES: Record<string, object> = {
  'old-main': { main: 'lib/main.js' },
  'old-main-no-ext': { main: './lib/main' },
  'old-main-folder': { main: 'lib' },
  'old-index': {},
  sugar: { exports: './lib/main.js' },
  conditions: { exports: { import: './esm.mjs', require: './cjs.cjs' } },
  'order-matters': { exports: { '.': { default: './lib/main.js', import: './esm.mjs' } } },
  nested: { exports: { '.': { node: { import: './esm.mjs', require: './cjs.cjs' }, default: './lib/main.js' } } },
  'module-sync': { exports: { '.': { 'module-sync': './esm.mjs', default: './cjs.cjs' } } },
  list: { exports: { '.': ['./esm.mjs', './cjs.cjs'], './first-bad': [{ nothing: './x' }, './lib/main.js'] } },
  subpaths: { exports: { '.': './lib/main.js', './a': './lib/a.js', './package.json': './package.json' } },
  patterns: {
    exports: { './*': './lib/*.js', './deep/*': './lib/deep/*.js', './deep/private/*': null, './x/*.js': './lib/*.js' },
  },
  browser: { exports: { '.': { browser: './none.js', development: './none.js', default: './lib/main.js' } } },
  '@scope/pkg': { exports: { '.': './lib/main.js', './a': './lib/a.js' } },
  nothing: { exports: { './other': './lib/main.js' } },
  'null-target': { exports: { '.': null } },
};
const FILES = {
  'index.js': '',
  'esm.mjs': '',
  'cjs.cjs': '',
  'lib/main.js': '',
  'lib/index.js': '',
  'lib/a.js': '',
  'lib/deep/b.js': '',
  'lib/deep/private/c.js': '',
};
const SUBPATHS = [
  '',
  '/a',
  '/lib/a.js',
  '/lib/main.js',
  '/package.json',
  '/deep/b',
  '/deep/private/c',
  '/x/a.js',
  '/first-bad',
  '/other',
  '/missing',
];

const home = temporaryFolder();
writeFiles(home, {
  'package.json': {
    name: 'me',
    imports: { '#a': './own/a.js', '#pkg': 'sugar', '#w/*': { require: './own/*.cjs', default: './own/*.mjs' } },
    exports: { './self': './own/a.js' },
  },
});
writeFiles(path.join(home, 'own'), { 'a.js': '', 'b.cjs': '', 'b.mjs': '' });
for (const [name, manifest] of Object.entries(PACKAGES)) {
  writeFiles(path.join(home, 'node_modules', name), { ...FILES, 'package.json': { name, version: '1.0.0', ...manifest } });
}
// Nearer than the one above.
writeFiles(path.join(home, 'deep/er/node_modules/old-index'), { 'package.json': { name: 'old-index' }, 'index.js': '// nearer' });
fs.symlinkSync(path.join(home, 'node_modules/sugar'), path.join(home, 'node_modules/link'));

const SPECIFIERS = [
  ...Object.keys(PACKAGES).flatMap((name) => SUBPATHS.map((subpath) => name + subpath)),
  ...[
    'link',
    'me/self',
    'me',
    'me/other',
    '#a',
    '#pkg',
    '#w/b',
    '#none',
    'not-there',
    '@scope/not-there',
    '@scope/pkg/a',
    'fs',
    'node:fs',
    'fs/promises',
  ],
];

/** What Node says, asked in a file beside. */
function nodeAnswers(folder: string): Record<Way, (string | null)[]> {
  const asking = path.join(folder, 'ask.mjs');
  fs.writeFileSync(
    asking,
    `import { createRequire } from 'node:module'; import { existsSync } from 'node:fs'; import { fileURLToPath } from 'node:url';
const require = createRequire(import.meta.url); const tried = (resolve) => (specifier) => { try { const found = resolve(specifier); return !found.startsWith('/') || existsSync(found) ? found : null; } catch { return null; } };
const asPath = (url) => (url.startsWith('file:') ? fileURLToPath(url) : url);
const specifiers = ${JSON.stringify(SPECIFIERS)};
process.stdout.write(JSON.stringify({ import: specifiers.map(tried((specifier) => asPath(import.meta.resolve(specifier)))), require: specifiers.map(tried(require.resolve)) }));`,
  );
  return JSON.parse(execFileSync(process.execPath, [asking], { encoding: 'utf8' })) as Record<Way, (string | null)[]>;
}

function ourAnswer(specifier: string, from: string, way: Way): string | null {
  try {
    const target = new Resolver({ isVirtual: () => false, linkedFrom: new Set() }).resolve(specifier, from, way);
    if (target.kind === 'own' || target.kind === 'native') return target.path;
    // Node gives `import` the full name.
    return target.kind === 'builtin' && way === 'import' ? `node:${target.name.replace(/^node:/, '')}` : specifier;
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return null;
  }
}

/** Without an exports map `import` finds what `require` does: as it was in the program extensions come from. */
const isMorePermissive = (specifier: string): boolean => specifier.startsWith('old-');

describe.each(['.', 'deep/er'])('packages seen from %s', (folder) => {
  const answers = nodeAnswers(path.join(home, folder));

  it.each(['import', 'require'] as const)('G16: %s finds the file that Node finds', (way) => {
    const wrong = SPECIFIERS.flatMap((specifier, index) => {
      const node = answers[way][index];
      const ours = ourAnswer(specifier, path.join(home, folder, 'ext.ts'), way);
      return node === ours || (node === null && isMorePermissive(specifier)) ? [] : [{ specifier, node, ours }];
    });
    expect(wrong).toEqual([]);
    expect(answers[way].filter((answer) => answer !== null).length).toBeGreaterThan(35);
  });
});

describe('file URLs', () => {
  it('G16: stand for their file, with a query for another instance of it', () => {
    const resolver = new Resolver({ isVirtual: () => false, linkedFrom: new Set() });
    const file = path.join(home, 'own/a.js');
    expect(resolver.resolve(pathToFileURL(file).href, home, 'import')).toEqual({ kind: 'own', path: file, query: '' });
    expect(resolver.resolve(`${pathToFileURL(file).href}?t=1`, home, 'import')).toEqual({
      kind: 'own',
      path: file,
      query: '?t=1',
    });
  });
});
