import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Files, LoaderWorker, temporaryFolder, writeFiles } from './support.js';

const folder = temporaryFolder();
let worker: LoaderWorker;
beforeAll(async () => {
  worker = await LoaderWorker.start(path.join(folder, 'cache'));
});
afterAll(() => worker.stop());

let homes = 0;
function home(files: Files): string {
  const made = path.join(folder, `home-${homes++}`);
  writeFiles(made, files);
  return made;
}

async function resultOf(files: Files, entry = 'ext.ts'): Promise<unknown> {
  return (await worker.load(path.join(home(files), entry))).value;
}

function installed(name: string, files: Files, manifest: object = {}, under = 'node_modules'): Files {
  const entries = Object.entries(files).map(([file, content]) => [`${under}/${name}/${file}`, content]);
  return { [`${under}/${name}/package.json`]: { name, version: '1.0.0', ...manifest }, ...Object.fromEntries(entries) };
}

describe('installed packages', () => {
  it('G16: an ES module is the one Node has, with live bindings', async () => {
    const value = await resultOf({
      'ext.ts': `import double, { name, count, bump } from 'esm-dep'; import * as all from 'esm-dep';
export default async () => { bump(); const again = await import('esm-dep'); return [double(21), name, count, all.count, again.count, again[Symbol.toStringTag], Object.keys(all).sort()]; };`,
      ...installed(
        'esm-dep',
        {
          'main.js':
            "export default (n) => n * 2;\nexport const name = 'esm'; export let count = 0; export const bump = () => { count++; };",
        },
        { type: 'module', exports: './main.js' },
      ),
    });
    expect(value).toEqual([42, 'esm', 1, 1, 1, 'Module', ['bump', 'count', 'default', 'name']]);
  });

  it('G16: CommonJS is found above, with names its text does not show', async () => {
    const value = await resultOf(
      {
        'a/b/ext.ts': `import dep, { half, hidden } from 'cjs-dep'; import * as all from 'cjs-dep'; import { method } from 'instance-dep';
export default () => [dep.half(42), half(10), hidden, all.default === dep, require('cjs-dep') === dep, method()];`,
        ...installed(
          'cjs-dep',
          { 'm.js': "const names = ['hidden']; exports.half = (n) => n / 2; for (const name of names) exports[name] = 'shown';" },
          { main: 'm.js' },
          'a/node_modules',
        ),
        ...installed(
          'instance-dep',
          { 'index.js': "class A { method() { return 'of a prototype'; } } module.exports = new A();" },
          {},
          'a/node_modules',
        ),
      },
      'a/b/ext.ts',
    );
    expect(value).toEqual([21, 5, 'shown', true, true, 'of a prototype']);
  });

  it('G16: the default of compiled CommonJS is its own default, or all of it when it has none', async () => {
    const value = await resultOf({
      'ext.ts':
        "import a, { x } from 'with-default'; import b from 'without-default'; import f from 'a-function'; export { default } from './main'; globalThis.seen = [a, x, b.y, f(), f.extra];",
      'main.ts':
        "import { default as a } from 'with-default'; export default async () => [...(globalThis as any).seen, a, (await import('with-default')).default];",
      ...installed('with-default', {
        'index.js': 'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = "d"; exports.x = 1;',
      }),
      ...installed('without-default', {
        'index.js': 'Object.defineProperty(exports, "__esModule", { value: true }); exports.y = 2;',
      }),
      ...installed('a-function', { 'index.js': 'module.exports = () => 3; module.exports.extra = 4;' }),
    });
    expect(value).toEqual(['d', 1, 2, 3, 4, 'd', 'd']);
  });

  it('G16: exports maps: conditions by the way of asking, subpaths, patterns, and what they do not offer', async () => {
    const value = await resultOf({
      'ext.ts': `import v from '@kit/dep/sub'; import deep from '@kit/dep/features/a/b.js'; import nested from '@kit/dep/nested';
export default async () => { let refused = ''; try { await import('@kit/dep/private.js' as string); } catch (error: any) { refused = error.code; }
return [v, require('@kit/dep/sub'), deep, nested, require('@kit/dep'), refused, import.meta.resolve('@kit/dep/sub').endsWith('s.mjs'), require.resolve('@kit/dep/sub').endsWith('s.cjs')]; };`,
      ...installed(
        '@kit/dep',
        {
          's.mjs': "export default 'import-side';",
          's.cjs': "module.exports = 'require-side';",
          'src/a/b.js': "module.exports = 'by pattern';",
          'n.cjs': "module.exports = 'nested conditions';",
          'main.cjs': "module.exports = 'main';",
          'private.js': '',
        },
        {
          exports: {
            '.': { browser: './none.js', default: './main.cjs' },
            './sub': { types: './none.d.ts', import: './s.mjs', require: './s.cjs' },
            './features/*': './src/*',
            './nested': { node: { development: './none.js', default: './n.cjs' } },
            './private/*': null,
          },
        },
      ),
    });
    expect(value).toEqual([
      'import-side',
      'require-side',
      'by pattern',
      'nested conditions',
      'main',
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
      true,
      true,
    ]);
  });

  it('G16: subpaths without exports map, with and without extension; package.json as JSON', async () => {
    const value = await resultOf({
      'ext.ts':
        "import a from 'dep/lib/a'; import b from 'dep/lib/b.js'; import { version } from 'dep/package.json'; import c from 'dep/lib'; export default () => [a, b, version, c];",
      ...installed('dep', {
        'lib/a.js': "module.exports = 'a';",
        'lib/b.js': "module.exports = 'b';",
        'lib/index.js': "module.exports = 'index';",
      }),
    });
    expect(value).toEqual(['a', 'b', '1.0.0', 'index']);
  });

  it('G16: a package by its own name and its own #imports', async () => {
    const value = await resultOf({
      'package.json': {
        name: 'me',
        exports: { './x': './src/x.ts' },
        imports: { '#y': './src/y.ts', '#dep': 'dep', '#z/*': { import: './src/*.ts' } },
      },
      'ext.ts':
        "import { x } from 'me/x'; import { y } from '#y'; import dep from '#dep'; import { y as z } from '#z/y'; export default () => [x, y, dep, z === y];",
      'src/x.ts': 'export const x: number = 1;',
      'src/y.ts': 'export const y = { y: 2 };',
      ...installed('dep', { 'index.js': "module.exports = 'dep';" }),
    });
    expect(value).toEqual([1, { y: 2 }, 'dep', true]);
  });

  it('G16: links as pnpm makes them: a package finds its own dependencies where it really is', async () => {
    const made = home({
      'ext.ts': "import { own } from 'linked'; export default () => own;",
      ...installed(
        'linked',
        { 'index.js': "import hidden from 'hidden'; export const own = hidden;" },
        { type: 'module', exports: './index.js' },
        'node_modules/.pnpm/linked@1.0.0/node_modules',
      ),
      ...installed(
        'hidden',
        { 'index.js': "module.exports = 'found beside';" },
        {},
        'node_modules/.pnpm/hidden@2.0.0/node_modules',
      ),
    });
    fs.symlinkSync('.pnpm/linked@1.0.0/node_modules/linked', path.join(made, 'node_modules/linked'));
    fs.symlinkSync(
      '../../hidden@2.0.0/node_modules/hidden',
      path.join(made, 'node_modules/.pnpm/linked@1.0.0/node_modules/hidden'),
    );
    expect((await worker.load(path.join(made, 'ext.ts'))).value).toBe('found beside');
  });

  it('G16: a package of a workspace, a link to TypeScript outside of node_modules, is part of the extension', async () => {
    const made = home({
      'packages/app/ext.ts': "import { shared, where } from '@me/shared'; export default () => [shared, where];",
      'packages/shared/package.json': { name: '@me/shared', exports: './src/index.ts' },
      'packages/shared/src/index.ts':
        "export { shared } from './impl.js'; import path from 'node:path'; export const where = path.basename(path.dirname(import.meta.dirname));",
      'packages/shared/src/impl.ts': "import dep from 'dep'; enum E { A = 4 } export const shared: unknown[] = [E.A, dep];",
      ...installed('dep', { 'index.js': 'module.exports = "of the workspace";' }),
    });
    fs.mkdirSync(path.join(made, 'node_modules/@me'), { recursive: true });
    fs.symlinkSync('../../packages/shared', path.join(made, 'node_modules/@me/shared'));
    expect((await worker.load(path.join(made, 'packages/app/ext.ts'))).value).toEqual([[4, 'of the workspace'], 'shared']);
    expect(await worker.files()).toContain(path.join(made, 'packages/shared/src/impl.ts'));
  });

  it('G16: an extension that is itself installed, and TypeScript that was published as it is', async () => {
    const value = await resultOf(
      {
        ...installed('my-ext', {
          'index.ts':
            "import { part } from './part.js'; import { lib } from 'ts-lib'; import plain from 'plain'; export default () => [part, lib, plain];",
          'part.ts': 'export const part: number = 1;',
        }),
        ...installed(
          'ts-lib',
          { 'src/index.ts': "export { lib } from './lib';", 'src/lib.ts': 'export const lib: string = "lib";' },
          { main: 'src/index.ts' },
        ),
        ...installed('plain', { 'index.js': "module.exports = 'plain';" }),
      },
      'node_modules/my-ext/index.ts',
    );
    expect(value).toEqual([1, 'lib', 'plain']);
  });

  it('G16: an extension behind a link is the file it leads to; packages are found there, and beside the link', async () => {
    const made = home({
      'dev/ext/index.ts':
        "import a from 'there'; import b from 'beside'; import { helper } from './helper'; import path from 'node:path'; export default () => [a, b, helper, path.basename(path.dirname(import.meta.dirname))];",
      'dev/ext/helper.ts': 'export const helper = 1;',
      ...installed('there', { 'index.js': "module.exports = 'there';" }, {}, 'dev/node_modules'),
      ...installed('beside', { 'index.js': "module.exports = 'beside';" }, {}, 'agent/extensions/node_modules'),
    });
    fs.symlinkSync('../../dev/ext', path.join(made, 'agent/extensions/linked'));
    fs.symlinkSync('../../dev/ext/index.ts', path.join(made, 'agent/extensions/single.ts'));
    const loaded = await worker.load(path.join(made, 'agent/extensions/single.ts'));
    expect(loaded.value).toEqual(['there', 'beside', 1, 'dev']);
    expect((await worker.load(path.join(made, 'agent/extensions/linked/index.ts'))).value).toEqual(loaded.value);
    expect((await worker.files()).filter((file) => file.endsWith('dev/ext/index.ts'))).toHaveLength(1);
  });

  it('G16: a native add-on, from a package and from a file of its own', async () => {
    const addon = findAddon();
    const made = home({
      'ext.ts':
        "import native from 'native-dep'; import own from './own.node'; export default () => [Object.keys(native).length > 0, own === require('./own.node'), Object.keys(own).sort().join() === Object.keys(native).sort().join()];",
      ...installed('native-dep', { 'index.js': "module.exports = require('./addon.node');" }),
    });
    fs.copyFileSync(addon, path.join(made, 'node_modules/native-dep/addon.node'));
    fs.copyFileSync(addon, path.join(made, 'own.node'));
    expect((await worker.load(path.join(made, 'ext.ts'))).value).toEqual([true, true, true]);
  });
});

/** An add-on for this system: the one the test runner brings. */
function findAddon(): string {
  const scope = path.resolve('node_modules/@rolldown');
  const found = fs.readdirSync(scope, { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith('.node'));
  if (!found) throw new Error(`No native add-on in ${scope}`);
  return path.join(scope, found);
}

describe('packages that come with the program', () => {
  it('are found without any node_modules, by all their names, at any depth', async () => {
    const value = await resultOf(
      {
        'deep/er/ext.ts': `import { Type } from 'typebox'; import { Type as Old } from '@sinclair/typebox'; import { Value } from 'typebox/value'; import { Value as OldValue } from '@sinclair/typebox/value';
import piAi, { StringEnum } from '@earendil-works/pi-ai'; import { StringEnum as OldEnum } from '@mariozechner/pi-ai'; import { complete } from '@mariozechner/pi-ai/compat';
import { Base } from '@earendil-works/pi-coding-agent'; import * as tui from '@mariozechner/pi-tui'; import type {} from '@earendil-works/pi-agent-core'; import { Agent } from '@mariozechner/pi-agent-core';
class Mine extends Base {}
export default async () => [Type === Old, Value === OldValue, piAi, StringEnum === OldEnum, StringEnum(['a']), complete(), new Mine().name(), typeof new tui.Text(), typeof Agent, (await import('typebox')).Type === Type];`,
      },
      'deep/er/ext.ts',
    );
    expect(value).toEqual([true, true, 'pi-ai', true, { enum: ['a'] }, 'completed', 'base', 'object', 'function', true]);
  });

  it('win over a copy in node_modules, also for a package that is written for extensions', async () => {
    const value = await resultOf({
      'ext.ts':
        "import { from } from 'typebox'; import { helper } from 'pi-helper'; import plain from 'plain'; export default () => [from, helper(), plain];",
      ...installed('typebox', { 'index.js': "exports.from = 'copy';" }),
      ...installed('@earendil-works/pi-coding-agent', { 'index.js': "exports.from = 'copy';" }),
      ...installed(
        'pi-helper',
        { 'index.js': "import { from } from '@earendil-works/pi-coding-agent'; export const helper = () => from;" },
        { type: 'module', main: 'index.js', peerDependencies: { '@earendil-works/pi-coding-agent': '*' } },
      ),
      // Asks for nothing of ours by its manifest: it is Node's, with what is installed for it.
      ...installed('plain', { 'index.js': "module.exports = require('typebox').from;" }, { dependencies: { typebox: '1' } }),
    });
    expect(value).toEqual(['host', 'host', 'copy']);
  });

  it('may be required at once, in a helper that is required itself, through createRequire, in CommonJS', async () => {
    const fresh = await LoaderWorker.start();
    const made = home({
      'ext.ts': `import { createRequire } from 'node:module'; const load = createRequire(import.meta.url); import tui = require('@earendil-works/pi-tui');
export default () => [require('typebox').from, load('@earendil-works/pi-ai').default, require('./helper').from, require('./plain.cjs'), typeof tui.Text];`,
      'helper.ts': "const pkg = require('@mariozechner/pi-coding-agent'); export const from: string = pkg.from;",
      'plain.cjs': "module.exports = require('@earendil-works/pi-ai/compat').complete();",
    });
    expect((await fresh.load(path.join(made, 'ext.ts'))).value).toEqual(['host', 'pi-ai', 'host', 'completed', 'function']);
    await fresh.stop();
  });

  it('are named in the error when a computed require comes too early, and there when they were preloaded', async () => {
    const fresh = await LoaderWorker.start();
    const made = home({ 'ext.ts': "export default () => { const name = 'type' + 'box'; return require(name).from; };" });
    await expect(fresh.load(path.join(made, 'ext.ts'))).rejects.toMatchObject({
      code: 'ERR_REQUIRE_ASYNC_MODULE',
      message: expect.stringContaining("'typebox'"),
    });
    await fresh.preload('typebox');
    expect((await fresh.load(path.join(made, 'ext.ts'))).value).toBe('host');
    await fresh.stop();
  });

  it('resolve to a real file', async () => {
    const value = await resultOf({
      'ext.ts': `import fs from 'node:fs'; import { fileURLToPath } from 'node:url';
export default () => [require.resolve('@earendil-works/pi-coding-agent'), fileURLToPath(import.meta.resolve('@mariozechner/pi-tui'))].map((file) => fs.existsSync(file) && file.endsWith('host-package.js'));`,
    });
    expect(value).toEqual([true, true]);
  });

  it('leave paths they do not have to what is installed', async () => {
    const value = await resultOf({
      'ext.ts': "import { resize } from '@earendil-works/pi-coding-agent/dist/resize.js'; export default () => resize;",
      ...installed('@earendil-works/pi-coding-agent', { 'dist/resize.js': "exports.resize = 'installed';" }),
    });
    expect(value).toBe('installed');
  });
});
