import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DisposableStore } from '../../../../core/base/disposable.js';
import { createLogger } from '../../../../core/base/logger.js';
import { cacheFileName, parseTranspiled, TRANSPILER_VERSION } from '../../../../core/extension-host/contract/transpiled-code.js';
import { Transpiler, type TranspilerOptions } from '../../../../core/extension-host/process/transpile/transpiler.js';
import { bundle, bundleFile, isLinux, temporaryFolder, writeFiles } from './support.js';

let store = new DisposableStore();
afterEach(async () => {
  await store.dispose();
  store = new DisposableStore();
});

function setUp(options: Partial<TranspilerOptions> = {}) {
  const folder = temporaryFolder();
  const lines: string[] = [];
  const log = createLogger({ room: 'test', level: 'warn', write: (line) => lines.push(line) });
  const transpiler = store.add(new Transpiler({ cacheDir: path.join(folder, 'cache'), log, ...options }));
  const write = (name: string, source: string): string => {
    writeFiles(folder, { [name]: source });
    return path.join(folder, name);
  };
  return { folder, transpiler, write, lines, cacheDir: path.join(folder, 'cache') };
}

const codeIn = (file: string): string => parseTranspiled(fs.readFileSync(file, 'utf8'))?.code ?? 'damaged';

describe('the transpile cache', () => {
  it('has one file per content and language, wherever the source is', async () => {
    const { transpiler, write, cacheDir } = setUp();
    const source = 'export const a: number = 1;';
    const first = await transpiler.transpile({ path: write('a.ts', source) });
    expect(await transpiler.transpile({ path: write('elsewhere/b.ts', source) })).toEqual(first);
    const other = await transpiler.transpile({ path: write('a.ts', `${source}\n`) });
    const asTsx = await transpiler.transpile({ path: write('a.tsx', source) });
    expect(new Set([first.file, other.file, asTsx.file]).size).toBe(3);
    expect(fs.readdirSync(cacheDir).sort()).toEqual(
      [first.file, other.file, asTsx.file].map((file) => path.basename(file)).sort(),
    );
    expect(codeIn(first.file)).toContain('const a = 1');
  });

  it('is one name for what is read and what is asked for with its source', async () => {
    const { transpiler, write } = setUp();
    const source = 'export default 1;';
    const { file } = await transpiler.transpile({ path: write('a.ts', source) });
    expect(path.basename(file)).toBe(cacheFileName('/any/where.ts', source));
    expect(await transpiler.transpile({ path: '/not/there.ts', source })).toEqual({ file });
  });

  it('makes a source once when it is asked for many times at once', async () => {
    const { transpiler, write } = setUp();
    const file = write('a.ts', 'namespace A { export const a = 1; } export { A };');
    const answers = await Promise.all(Array.from({ length: 20 }, () => transpiler.transpile({ path: file })));
    expect(new Set(answers.map((answer) => answer.file)).size).toBe(1);
  });

  it.each([
    ['cut off', (text: string) => text.slice(0, -3)],
    ['changed in one place', (text: string) => text.replace('const a', 'const b')],
    ['changed in its first line', (text: string) => text.replace('"form":"module"', '"form":"script"')],
    ['empty', () => ''],
    ['something else', () => 'throw new Error("not ours")'],
  ])('makes anew what is %s', async (_what, damage) => {
    const { transpiler, write } = setUp();
    const source = write('a.ts', 'export const a: number = 1;');
    const { file } = await transpiler.transpile({ path: source });
    const good = fs.readFileSync(file, 'utf8');
    const bad = damage(good);
    expect(bad).not.toBe(good);
    fs.writeFileSync(file, bad);
    expect(parseTranspiled(bad)).toBeUndefined();
    expect(await transpiler.transpile({ path: source })).toEqual({ file });
    expect(fs.readFileSync(file, 'utf8')).toBe(good);
  });

  it.skipIf(process.platform === 'win32')('is nobody else’s, also when the folder was there before', async () => {
    const folder = temporaryFolder();
    const cacheDir = path.join(folder, 'cache');
    fs.mkdirSync(cacheDir, { mode: 0o755 });
    fs.chmodSync(cacheDir, 0o755);
    const { transpiler, write } = setUp({ cacheDir });
    const { file } = await transpiler.transpile({ path: write('a.ts', '') });
    expect(fs.statSync(cacheDir).mode & 0o777).toBe(0o700);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  it('gives way to a folder of its own when it can not be used, says so once, and removes that at the end', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { file: '' });
    const { transpiler, write, lines } = setUp({ cacheDir: path.join(folder, 'file/cache') });
    const { file } = await transpiler.transpile({ path: write('a.ts', 'export default 1;') });
    expect(codeIn(file)).toContain('exports. default = 1');
    expect(lines).toHaveLength(1);
    expect(path.dirname(file)).toBe(transpiler.cacheDir);
    await transpiler.dispose();
    expect(fs.existsSync(transpiler.cacheDir)).toBe(false);
  });

  it('removes what was not used for longest when there is too much, and what a killed process left', async () => {
    const folder = temporaryFolder();
    const cacheDir = path.join(folder, 'cache');
    const day = (n: number): Date => new Date(Date.now() - n * 86_400_000);
    for (let n = 0; n < 20; n++) {
      writeFiles(cacheDir, { [`old-${n}.code`]: 'x' });
      fs.utimesSync(path.join(cacheDir, `old-${n}.code`), day(n + 1), day(n + 1));
    }
    writeFiles(cacheDir, { 'left.code.1.abc.tmp': '', 'being-written.code.2.abc.tmp': '', 'readme.txt': '' });
    fs.utimesSync(path.join(cacheDir, 'left.code.1.abc.tmp'), day(1), day(1));
    const { transpiler, write } = setUp({ cacheDir, limits: { maxFiles: 10, maxBytes: 1_000_000 } });
    const { file } = await transpiler.transpile({ path: write('a.ts', '') });
    await expect.poll(() => fs.readdirSync(cacheDir).filter((name) => name.endsWith('.code')).length).toBe(9);
    const left = fs.readdirSync(cacheDir);
    expect(left).toContain(path.basename(file));
    expect(left).toContain('old-0.code');
    expect(left).not.toContain('old-19.code');
    expect(left).toContain('being-written.code.2.abc.tmp');
    expect(left).toContain('readme.txt');
    expect(left).not.toContain('left.code.1.abc.tmp');
  });

  it('is renewed when the tools are', () => {
    const versionOf = (name: string): string =>
      (JSON.parse(fs.readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string }).version;
    expect(TRANSPILER_VERSION).toContain(`sucrase ${versionOf('sucrase')}`);
    expect(TRANSPILER_VERSION).toContain(`esbuild ${versionOf('esbuild')}`);
  });

  it('says what is wrong with a source, or that it can not be read', async () => {
    const { transpiler, write } = setUp();
    const bad = write('bad.ts', 'const a = 1;\nconst a = 2;\nexport {};');
    await expect(transpiler.transpile({ path: bad })).rejects.toMatchObject({
      code: 'TRANSPILE_SYNTAX_ERROR',
      message: expect.stringContaining(`${bad}:2:7: `),
    });
    await expect(transpiler.transpile({ path: '/not/there.ts' })).rejects.toMatchObject({ code: 'TRANSPILE_UNREADABLE_SOURCE' });
  });
});

describe('the tools', () => {
  const program = async (...args: string[]): Promise<Record<string, unknown>> => {
    const file = await bundleFile('tool-use.ts');
    return JSON.parse(execFileSync(process.execPath, [file, ...args], { encoding: 'utf8' })) as Record<string, unknown>;
  };

  it.skipIf(!isLinux)(
    'are loaded when a source needs them: none for what is cached, esbuild only where sucrase will not do, its process not for ever',
    async () => {
      const folder = temporaryFolder();
      writeFiles(folder, { 'plain.ts': 'export const a: number = 1;', 'rare.ts': 'export namespace A { export const a = 1; }' });
      const cacheDir = path.join(folder, 'cache');
      const [plain, rare] = [path.join(folder, 'plain.ts'), path.join(folder, 'rare.ts')];
      expect(await program(cacheDir, plain)).toEqual({ sucrase: true, esbuild: false, child: false, childAfterIdle: false });
      expect(await program(cacheDir, plain)).toEqual({ sucrase: false, esbuild: false, child: false, childAfterIdle: false });
      expect(await program(cacheDir, rare)).toEqual({ sucrase: true, esbuild: true, child: true, childAfterIdle: false });
      expect(await program(cacheDir, plain, rare)).toEqual({
        sucrase: false,
        esbuild: false,
        child: false,
        childAfterIdle: false,
      });
    },
  );

  it.skipIf(!isLinux).each([
    ['beside the program', {}],
    ['in it', { external: ['esbuild'] }],
    ['in chunks of it', { external: ['esbuild'], splitting: true }],
  ])('work when sucrase is %s', async (_where, options) => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'a.ts': 'export const a: number = 1;' });
    const program = await bundle('tool-use.ts', { external: ['esbuild', 'sucrase'], ...options });
    const output = execFileSync(process.execPath, [program, path.join(folder, 'cache'), path.join(folder, 'a.ts')], {
      encoding: 'utf8',
    });
    expect(JSON.parse(output)).toMatchObject({ esbuild: false });
    expect(fs.readdirSync(path.join(folder, 'cache'))).toHaveLength(1);
  });
});
