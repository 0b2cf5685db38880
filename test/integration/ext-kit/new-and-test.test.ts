import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createSandbox, runPi, type Sandbox } from '../../support/pi-process.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');

const open: Sandbox[] = [];
function place(files: Record<string, string> = {}): Sandbox {
  const sandbox = createSandbox({ files });
  open.push(sandbox);
  return sandbox;
}
afterEach(() => {
  for (const one of open.splice(0)) one.remove();
});

/** What the compiler says; nothing when all is well. */
function compile(folder: string): string {
  try {
    return execFileSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' });
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}

describe('pi ext new', () => {
  it.each([[[]], [['--package']]])('%j writes what compiles, passes the check, and passes its tests', async (flags) => {
    const sandbox = place();
    const made = await runPi(sandbox, ['ext', 'new', 'my-notes', ...flags]);
    expect(made).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('my-notes/index.ts\n') });
    const folder = path.join(sandbox.cwd, 'my-notes');
    expect(compile(folder)).toBe('');
    const checked = await runPi(sandbox, ['ext', 'check', 'my-notes']);
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('commands: /my-notes\n') });
    expect(checked.stdout).toContain('tools: read_my_notes\n');
    expect(checked.stdout).toContain('0 errors, 0 warnings');
    const tested = await runPi(sandbox, ['ext', 'test', 'my-notes'], { env: { NO_COLOR: '1' } });
    expect(tested.stdout).toMatch(/Tests +3 passed \(3\)/);
    expect(tested.code).toBe(0);
    const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject(flags.length > 0 ? { keywords: ['pi-package'] } : { private: true });
    for (const file of ['README.md', 'index.ts', 'index.test.ts'])
      expect(readFileSync(path.join(folder, file), 'utf8')).not.toMatch(/__\w+__/);
  });

  it('a slip of the pen in what it wrote is one for the compiler', async () => {
    const sandbox = place();
    await runPi(sandbox, ['ext', 'new', 'slip', '--dir', 'deep/er']);
    const file = path.join(sandbox.cwd, 'deep/er/index.ts');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('ctx.ui.notify(', 'ctx.ui.notfy('));
    expect(compile(path.dirname(file))).toContain("Property 'notfy' does not exist on type 'ExtensionUI'");
  });

  it('writes over nothing, and takes no name that can not be one', async () => {
    const sandbox = place({ 'taken/keep.txt': 'mine', file: 'mine' });
    expect(await runPi(sandbox, ['ext', 'new', 'taken'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not empty'),
    });
    expect(existsSync(path.join(sandbox.cwd, 'taken/index.ts'))).toBe(false);
    expect(await runPi(sandbox, ['ext', 'new', 'file'])).toMatchObject({ code: 1 });
    for (const name of ['Big', '../up', 'a/b', '-x-', 'a--b', 'a b', '', 'bash', 'x'.repeat(51)])
      expect({ name, ...(await runPi(sandbox, ['ext', 'new', '--', name])) }).toMatchObject({ name, code: 2 });
    expect(await runPi(sandbox, ['ext', 'new'])).toMatchObject({ code: 2 });
    expect(await runPi(sandbox, ['ext', 'new', 'a', '--dir'])).toMatchObject({ code: 2 });
  });
});

describe('pi ext test', () => {
  it('ends with 1 when a test fails, and hands arguments on to vitest', async () => {
    const sandbox = place({
      'e.ts': 'export default () => {};',
      'e.test.ts':
        "import { expect, it } from 'vitest';\nit('passes', () => expect(1).toBe(1));\nit('fails', () => expect(1).toBe(2));",
      'other.test.ts': "import { it } from 'vitest';\nit('is not about it', () => { throw new Error('no'); });",
    });
    const all = await runPi(sandbox, ['ext', 'test', 'e.ts'], { env: { NO_COLOR: '1' } });
    expect(all.code).toBe(1);
    expect(all.stdout).toMatch(/Tests +1 failed \| 1 passed \(2\)/);
    const some = await runPi(sandbox, ['ext', 'test', 'e.ts', '--', '-t', 'passes'], { env: { NO_COLOR: '1' } });
    expect(some).toMatchObject({ code: 0, stdout: expect.stringMatching(/Tests +1 passed \| 1 skipped/) });
    // Nothing is put into a folder that is nobody's package.
    expect(existsSync(path.join(sandbox.cwd, 'node_modules'))).toBe(false);
  });

  it('lets a test import an extension itself, with the packages of the host', async () => {
    const sandbox = place({
      'e.ts':
        "import { truncateHead } from '@earendil-works/pi-coding-agent';\nimport { Type } from 'typebox';\nexport const cut = (text: string) => truncateHead(text, { maxLines: 1 }).content;\nexport const shape = Type.String();\nexport default () => {};",
      'e.test.ts':
        "import { expect, it } from 'vitest';\nimport { cut, shape } from './e';\nit('cuts', () => expect([cut('a\\nb'), shape.type]).toEqual(['a', 'string']));",
    });
    expect(await runPi(sandbox, ['ext', 'test', 'e.ts'])).toMatchObject({ code: 0 });
  });

  it('tells a wrong call, and that there are no tests', async () => {
    const sandbox = place({ 'e.ts': 'export default () => {};' });
    expect(await runPi(sandbox, ['ext', 'test', 'missing.ts'])).toMatchObject({ code: 2 });
    expect(await runPi(sandbox, ['ext', 'test', 'e.ts', '--watch'])).toMatchObject({ code: 2 });
    const none = await runPi(sandbox, ['ext', 'test', 'e.ts']);
    expect(none.code).toBe(1);
    expect(none.stdout + none.stderr).toContain('No test files found');
  });
});

describe('an installed program without anything beside it', () => {
  /** Its own files, and the one library it depends on. */
  function install(sandbox: Sandbox): string {
    const program = path.join(sandbox.root, 'pi-platform');
    mkdirSync(path.join(program, 'node_modules'), { recursive: true });
    for (const name of ['dist', 'extensions', 'templates', 'docs', 'package.json'])
      cpSync(path.join(ROOT, name), path.join(program, name), { recursive: true, filter: (file) => !file.endsWith('.map') });
    for (const name of ['esbuild', '@esbuild'])
      symlinkSync(path.join(ROOT, 'node_modules', name), path.join(program, 'node_modules', name));
    return realpathSync(program);
  }

  it('writes an extension that compiles and passes the check, and says what to install for its tests', async () => {
    const sandbox = place();
    const program = install(sandbox);
    const pi = (...args: string[]): string =>
      execFileSync(process.execPath, [path.join(program, 'dist/cli.js'), ...args], {
        cwd: sandbox.cwd,
        env: sandbox.env,
        encoding: 'utf8',
        stdio: 'pipe',
      });
    pi('ext', 'new', 'mine');
    pi('ext', 'check', 'mine');
    const folder = path.join(sandbox.cwd, 'mine');
    expect(realpathSync(path.join(folder, 'node_modules/pi-platform'))).toBe(program);
    // The test wants vitest, which is not there.
    expect(compile(folder).trim().split('\n')).toEqual([expect.stringMatching(/index\.test\.ts.*'vitest'/)]);
    expect(() => pi('ext', 'test', 'mine')).toThrow(`npm install --save-dev --prefix ${realpathSync(folder)} vitest`);
    // The kit needs no vitest.
    const script = path.join(folder, 'try.mjs');
    writeFileSync(
      script,
      `import { createTestSession } from 'pi-platform/testing';
const session = await createTestSession({ extension: new URL('./index.ts', import.meta.url), dialogs: ['x'] });
await session.prompt('/mine');
console.log(session.dialogs[0].answer);
await session.dispose();`,
    );
    expect(execFileSync(process.execPath, [script], { encoding: 'utf8' })).toBe('x\n');
  });
});
