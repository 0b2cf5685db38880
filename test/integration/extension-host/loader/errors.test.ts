import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Failure } from './loader-worker.js';
import { type Files, LoaderWorker, temporaryFolder, writeFiles } from './support.js';

const folder = temporaryFolder();
let worker: LoaderWorker;
beforeAll(async () => {
  worker = await LoaderWorker.start(path.join(folder, 'cache'));
});
afterAll(() => worker.stop());

let homes = 0;

/** What loading `ext.ts` fails with; `at` stands for the folder in messages. */
async function failureOf(files: Files): Promise<Failure> {
  const home = path.join(folder, `home-${homes++}`);
  writeFiles(home, files);
  const error = await worker.load(path.join(home, 'ext.ts')).then(
    () => {
      throw new Error('It loaded');
    },
    (failure: Failure) => failure,
  );
  const hide = (text: string): string => text.replaceAll(home, 'AT');
  return { ...error, name: error.name, message: hide(error.message), stack: hide(error.stack) };
}

describe('an extension that can not be loaded', () => {
  it('names file, line and column of a syntax error, and shows it', async () => {
    const { code, message } = await failureOf({ 'ext.ts': 'const fine: number = 1;\nexport default function ( {{{' });
    expect(code).toBe('EXTENSION_SYNTAX_ERROR');
    expect(message).toMatch(/^AT\/ext\.ts:2:\d+: .+\n +export default function \( \{\{\{\n +\^$/);
  });

  it('names who imported the file with the syntax error, and who imported that', async () => {
    const { message } = await failureOf({
      'ext.ts': "\nimport { a } from './a';\nexport default () => a;",
      'a.ts': "// one\n// two\nexport { a } from './b.mjs';",
      'b.mjs': 'export const a = 1;\nexport const a = 2;',
    });
    expect(message).toMatch(/^AT\/b\.mjs:2:\d+: /);
    expect(message).toMatch(/\n\(imported by AT\/a\.ts:3, imported by AT\/ext\.ts:2\)$/);
  });

  it('names the place in a script that no tool but V8 finds wrong, and in JSON', async () => {
    expect((await failureOf({ 'ext.ts': "import './old.cjs';", 'old.cjs': 'var ok;\nvar 1x;' })).message).toMatch(
      /^AT\/old\.cjs:2/,
    );
    const json = await failureOf({ 'ext.ts': "import './data.json';", 'data.json': '{"a": }' });
    expect(json).toMatchObject({ code: 'EXTENSION_SYNTAX_ERROR', message: expect.stringMatching(/^AT\/data\.json: .*JSON/) });
  });

  it('says which package is missing, who wants it and what to run where', async () => {
    const files = { 'ext.ts': "import './lib/a';", 'lib/a.ts': "\nimport x from 'no-such-package-xyz/sub';\nexport default x;" };
    expect(await failureOf(files)).toMatchObject({
      code: 'ERR_MODULE_NOT_FOUND',
      message:
        'Cannot find package \'no-such-package-xyz\' imported from AT/lib/a.ts:2 (imported by AT/ext.ts:1). Run "npm install no-such-package-xyz" in AT/lib',
    });
    const listed = { ...files, 'package.json': { name: 'e', dependencies: { 'no-such-package-xyz': '1' } } };
    expect((await failureOf(listed)).message).toMatch(/Run "npm install" in AT$/);
  });

  it('says which file is missing', async () => {
    expect(await failureOf({ 'ext.ts': "const a = 1;\nexport { b } from './gone.js';" })).toMatchObject({
      code: 'ERR_MODULE_NOT_FOUND',
      message: "Cannot find './gone.js' imported from AT/ext.ts:2",
    });
    await expect(worker.load(path.join(folder, 'missing.ts'))).rejects.toMatchObject({ code: 'ERR_MODULE_NOT_FOUND' });
  });

  it('gives the code that looking for an optional package expects', async () => {
    const source = `export default async () => { const codes: string[] = []; try { require('gone'); } catch (error: any) { codes.push(error.code); }
try { await import('gone'); } catch (error: any) { codes.push(error.code); } try { require('./gone'); } catch (error: any) { codes.push(error.code); } return codes; };`;
    const home = path.join(folder, `home-${homes++}`);
    writeFiles(home, { 'ext.ts': source });
    expect((await worker.load(path.join(home, 'ext.ts'))).value).toEqual([
      'MODULE_NOT_FOUND',
      'ERR_MODULE_NOT_FOUND',
      'MODULE_NOT_FOUND',
    ]);
  });

  it('refuses to require what waits, and can still import it', async () => {
    const home = path.join(folder, `home-${homes++}`);
    writeFiles(home, {
      'ext.ts':
        "export default async () => { let code; try { require('./waits'); } catch (error: any) { code = error.code; } return [code, (await import('./waits')).value]; };",
      'waits.ts': 'export const value = await Promise.resolve(1);',
    });
    expect((await worker.load(path.join(home, 'ext.ts'))).value).toEqual(['ERR_REQUIRE_ASYNC_MODULE', 1]);
  });

  it('throws the very error of its code, with the lines of the source', async () => {
    const failure = await failureOf({
      'ext.ts': `import type { A } from './types';
import { helper }
  from './helper';

interface B { a: A }

export default async function main(b: B): Promise<void> {
  await helper(b);
}`,
      'types.ts': 'export type A = 1;',
      'helper.ts': `enum Kind { One }
/* a comment
   of lines */
export class Thrown extends Error { constructor(readonly kind: Kind) { super('kaput-7'); } }

export async function helper(_: unknown): Promise<never> {
  const text = \`
  \${Kind.One}\`;
  throw new Thrown(text.length);
}`,
    });
    expect(failure.message).toBe('kaput-7');
    expect(failure.stack).toMatch(/AT\/helper\.ts:9:/);
    expect(failure.stack).toMatch(/AT\/ext\.ts:8:/);
  });

  it('has the lines of the source also where its TypeScript needs the larger compiler', async () => {
    const { stack } = await failureOf({
      'ext.ts': `import fs from 'node:fs';

/**
 * Documented.
 */
namespace Tools {
  export const table = {
    a: 1,
  };

  // Why.
  export function fail(): never {
    const text = \`one
two\`;
    throw new Error(text + fs.constants.O_RDONLY + table.a);
  }
}

class Runner {
  constructor(private readonly times: number) {}

  run(): void {
    if (this.times > 0) {
      Tools.fail();
    }
  }
}

export default () => {
  new Runner(2).run();
};`,
    });
    expect(stack).toMatch(/AT\/ext\.ts:15:[\s\S]*AT\/ext\.ts:24:[\s\S]*AT\/ext\.ts:30:/);
  });

  it('fails at module level for all who import it, and leaves the others', async () => {
    const home = path.join(folder, `home-${homes++}`);
    writeFiles(home, {
      'a.ts': "import './broken'; export default () => 1;",
      'b.ts': "import './broken'; export default () => 2;",
      'broken.ts':
        "globalThis.times = (globalThis.times ?? 0) + 1; throw new Error('kaput-' + globalThis.times); declare global { var times: number }",
      'good.ts': 'export default () => "good";',
    });
    await expect(worker.load(path.join(home, 'a.ts'))).rejects.toThrow('kaput-1');
    await expect(worker.load(path.join(home, 'b.ts'))).rejects.toThrow('kaput-1');
    expect((await worker.load(path.join(home, 'good.ts'))).value).toBe('good');
  });

  it('is loaded once its file is mended', async () => {
    const home = path.join(folder, `home-${homes++}`);
    writeFiles(home, { 'ext.ts': "import { a } from './a'; export default () => a;", 'a.ts': 'export const a = ;' });
    await expect(worker.load(path.join(home, 'ext.ts'))).rejects.toMatchObject({ code: 'EXTENSION_SYNTAX_ERROR' });
    writeFiles(home, { 'a.ts': 'export const a = 1;' });
    expect((await worker.load(path.join(home, 'ext.ts'))).value).toBe(1);
  });
});
