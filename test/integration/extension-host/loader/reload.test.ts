import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFile, LoaderWorker, temporaryFolder, writeFiles } from './support.js';

const folder = temporaryFolder();
let worker: LoaderWorker;
beforeAll(async () => {
  worker = await LoaderWorker.start(path.join(folder, 'cache'));
});
afterAll(() => worker.stop());

describe('a reload', () => {
  it('G16: runs all files of an extension anew, helpers included, and keeps packages', async () => {
    const home = path.join(folder, 'counting');
    writeFiles(home, {
      'ext.ts':
        "import { helper } from './helper'; import mjs from './m.mjs'; import cjs from './c.cjs'; import data from './d.json'; import dep from 'dep'; export default () => [helper(), mjs.n++, cjs.n++, data.n++, dep.n++];",
      'helper.ts': 'let n = 0; export const helper = () => n++;',
      'm.mjs': 'export default { n: 0 };',
      'c.cjs': 'exports.n = 0;',
      'd.json': { n: 0 },
      'node_modules/dep/package.json': { name: 'dep', main: 'index.js' },
      'node_modules/dep/index.js': 'exports.n = 0;',
    });
    const ext = path.join(home, 'ext.ts');
    expect((await worker.load(ext)).value).toEqual([0, 0, 0, 0, 0]);
    expect((await worker.load(ext)).value).toEqual([1, 1, 1, 1, 1]);
    await worker.renew();
    expect((await worker.load(ext)).value).toEqual([0, 0, 0, 0, 2]);
  });

  it('G16: sees what changed in a helper only, and files that came and went', async () => {
    const home = path.join(folder, 'changing');
    writeFiles(home, { 'ext.ts': "import { a } from './a'; export default () => a;", 'a.js': 'export const a = "js";' });
    const ext = path.join(home, 'ext.ts');
    expect((await worker.load(ext)).value).toBe('js');
    writeFiles(home, { 'a.ts': 'export const a: string = "ts";' });
    expect((await worker.load(ext)).value).toBe('js');
    await worker.renew();
    expect((await worker.load(ext)).value).toBe('ts');
    fs.rmSync(path.join(home, 'a.ts'));
    writeFiles(home, { 'a.js': 'export const a = "js again";' });
    await worker.renew();
    expect((await worker.load(ext)).value).toBe('js again');
    expect(await worker.files()).toEqual([path.join(home, 'a.js'), ext]);
  });

  it('lets code that still runs finish with the modules it had', async () => {
    const home = path.join(folder, 'running');
    writeFiles(home, {
      'ext.ts':
        "globalThis.late = async () => (await import('./lazy')).value; export default () => 1; declare global { var late: () => Promise<number> }",
      'lazy.ts': 'export const value = 1;',
      'ask.ts': 'export default () => globalThis.late();',
    });
    await worker.load(path.join(home, 'ext.ts'));
    await worker.renew();
    expect((await worker.load(path.join(home, 'ask.ts'))).value).toBe(1);
  });

  it('keeps nothing: of 200 loads of an extension with helper, .mjs, CommonJS, cycle and package only the last is left', async () => {
    const home = path.join(folder, 'heap');
    writeFiles(home, {
      'ext.ts': `import { big, helper } from './helper'; import mjs from './m.mjs'; import cjs from './c.cjs'; import dep from 'dep'; import { slow } from './slow'; import { Type } from 'typebox'; import { createRequire } from 'node:module';
globalThis.watch.add([big, mjs, cjs, slow, helper]); export const self = () => import('./helper');
export default async () => { const lazy = await import('./lazy'); globalThis.watch.add([lazy, lazy.held]); return dep.length + createRequire(import.meta.url)('./c.cjs').list.length + typeof Type; };
declare global { var watch: { add(objects: object[]): void } }`,
      'helper.ts':
        "import { self } from './ext'; export const big = new Array(20_000).fill(0).map((_, i) => ({ i })); export function helper() { return self; }",
      'm.mjs': "export default { list: new Array(20_000).fill('m') };",
      'c.cjs': "exports.list = new Array(20_000).fill('c');",
      'slow.ts': 'export const slow = await Promise.resolve({ slow: true });',
      'lazy.ts': 'export const held = { lazy: [1, 2, 3] };',
      'node_modules/dep/package.json': { name: 'dep', type: 'module', exports: './index.js' },
      'node_modules/dep/index.js': "export default 'dep';",
    });
    const renewing = await bundleFile('renewing.ts');
    const { first, left, heapGrowthMb } = JSON.parse(
      execFileSync(process.execPath, ['--expose-gc', renewing, path.join(home, 'ext.ts'), path.join(folder, 'cache')], {
        encoding: 'utf8',
      }),
    ) as { first: number; left: number[]; heapGrowthMb: number };
    // Every load makes seven objects that are watched; who holds one of an old graph holds its files.
    expect(first).toBe(7);
    expect(left).toEqual([199]);
    // Each graph holds 3 MB: one in ten that stays would show.
    expect(heapGrowthMb).toBeLessThan(30);
  });
});

describe('an installed package', () => {
  const install = (home: string, name: string, files: Record<string, string | object>, manifest: object = {}): void =>
    writeFiles(path.join(home, 'node_modules', name), { 'package.json': { name, version: '1.0.0', ...manifest }, ...files });

  async function loaded(name: string): Promise<{ home: string; fresh: LoaderWorker }> {
    const home = path.join(folder, name);
    writeFiles(home, { 'ext.ts': "import main from 'main-dep'; export default () => main;" });
    install(
      home,
      'main-dep',
      { 'index.js': "import deep from 'deep-dep'; import './lib/part.js'; export default deep;", 'lib/part.js': '' },
      { type: 'module', exports: './index.js', dependencies: { 'deep-dep': '1' } },
    );
    install(home, 'deep-dep', { 'index.js': "module.exports = 'deep';" });
    const fresh = await LoaderWorker.start();
    expect((await fresh.load(path.join(home, 'ext.ts'))).value).toBe('deep');
    expect(await fresh.nativeChanged()).toBe(false);
    return { home, fresh };
  }

  it.each([
    ['its entry', (home: string) => writeFiles(home, { 'node_modules/main-dep/index.js': "export default 'changed';" })],
    ['a file it loaded itself', (home: string) => writeFiles(home, { 'node_modules/main-dep/lib/part.js': '// longer' })],
    ['its version', (home: string) => install(home, 'main-dep', {}, { version: '2.0.0' })],
    [
      'a dependency of it',
      (home: string) => writeFiles(home, { 'node_modules/deep-dep/index.js': "module.exports = 'changed';" }),
    ],
    ['that it is gone', (home: string) => fs.rmSync(path.join(home, 'node_modules/main-dep'), { recursive: true })],
  ])('calls for a new worker when %s changed on disk', async (_what, change) => {
    const { home, fresh } = await loaded(`native-${Math.random()}`);
    await later();
    change(home);
    expect(await fresh.nativeChanged()).toBe(true);
    await fresh.stop();
  });

  it('calls for none when files of the extension changed', async () => {
    const { home, fresh } = await loaded('native-own');
    writeFiles(home, { 'ext.ts': 'export default () => 1;' });
    expect(await fresh.nativeChanged()).toBe(false);
    await fresh.stop();
  });
});

/** Until the clock of the file system, which moves in steps of some milliseconds, has gone on. */
async function later(): Promise<void> {
  const file = path.join(folder, 'clock');
  fs.writeFileSync(file, '');
  const before = fs.statSync(file).ctimeMs;
  do {
    await new Promise(setImmediate);
    fs.writeFileSync(file, '');
  } while (fs.statSync(file).ctimeMs === before);
}
