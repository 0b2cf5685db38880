import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CLI, createSandbox, runPi, type Sandbox } from '../../support/pi-process.js';

const open: { sandbox: Sandbox; child: ChildProcessWithoutNullStreams }[] = [];
afterEach(() => {
  for (const { sandbox, child } of open.splice(0)) {
    child.kill('SIGKILL');
    sandbox.remove();
  }
});

/** `pi ext watch` on an extension, and what it said since it was last waited for. */
class Watching {
  readonly exited: Promise<{ code: number | null }>;
  readonly child: ChildProcessWithoutNullStreams;
  #text = '';
  #wake: () => void = () => undefined;

  constructor(sandbox: Sandbox, target: string) {
    this.child = spawn(process.execPath, [CLI, 'ext', 'watch', target], {
      cwd: sandbox.cwd,
      env: { ...sandbox.env, NO_COLOR: '1' },
    });
    open.push({ sandbox, child: this.child });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#text += text;
        this.#wake();
      });
    this.exited = new Promise((resolve) => this.child.once('close', (code) => resolve({ code })));
  }

  /** Everything up to the next time it waits for a change. */
  async pass(): Promise<string> {
    for (;;) {
      const end = /\] waiting for a change.*\n/.exec(this.#text);
      if (end) {
        const said = this.#text.slice(0, end.index);
        this.#text = this.#text.slice(end.index + end[0].length);
        return said;
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

const command = (name: string): string =>
  `import { described } from './parts/words';\nexport default (pi) => pi.registerCommand('${name}', { description: described, handler: () => {} });`;

function place(files: Record<string, string>): Sandbox {
  return createSandbox({ files });
}

describe('pi ext watch', () => {
  it('checks anew when a file is another one, also one that is imported or was missing, and ends with its input', async () => {
    const sandbox = place({ 'e/index.ts': command('one'), 'e/parts/words.ts': "export const described = 'x';" });
    const write = (name: string, text: string): void => writeFileSync(path.join(sandbox.cwd, name), text);
    const watching = new Watching(sandbox, 'e');
    expect(await watching.pass()).toContain('commands: /one\n');
    write('e/index.ts', command('two'));
    expect(await watching.pass()).toContain('commands: /two\n');
    write('e/parts/words.ts', 'export const described = ;');
    expect(await watching.pass()).toMatch(/error: e\/parts\/words\.ts:1: /);
    write('e/parts/words.ts', "export { described } from './more';");
    expect(await watching.pass()).toContain('does not load');
    write('e/parts/more.ts', "export const described = 'found';");
    expect(await watching.pass()).toContain('commands: /two\n');
    // What nothing imports, and what is written as it was, starts nothing: the next pass is about the change after them.
    write('e/notes.json', '{}');
    write('e/index.ts', command('two'));
    write('e/index.ts', command('three'));
    expect(await watching.pass()).toContain('commands: /three\n');
    watching.child.stdin.end();
    expect(await watching.exited).toEqual({ code: 0 });
  });

  it('runs the tests too, and those that come later', async () => {
    const sandbox = place({ 'e.ts': 'export default () => {};\nexport const answer = 42;' });
    const watching = new Watching(sandbox, 'e.ts');
    expect(await watching.pass()).not.toContain('testing');
    writeFileSync(
      path.join(sandbox.cwd, 'e.test.ts'),
      "import { expect, it } from 'vitest';\nimport { answer } from './e';\nit('answers', () => expect(answer).toBe(42));",
    );
    expect(await watching.pass()).toMatch(/Tests +1 passed/);
    writeFileSync(path.join(sandbox.cwd, 'e.ts'), 'export default () => {};\nexport const answer = 41;');
    expect(await watching.pass()).toMatch(/Tests +1 failed/);
    watching.child.kill('SIGTERM');
    expect(await watching.exited).toEqual({ code: 143 });
  });

  it('a change ends a check that hangs, and an interrupt ends all', async () => {
    const sandbox = place({ 'e.ts': 'export default () => new Promise(() => {});' });
    const watching = new Watching(sandbox, 'e.ts');
    expect(await watching.pass()).toContain('took longer');
    writeFileSync(path.join(sandbox.cwd, 'e.ts'), 'export default () => new Promise(() => {}, 1);');
    writeFileSync(path.join(sandbox.cwd, 'e.ts'), "export default (pi) => pi.registerCommand('a', { handler: () => {} });");
    expect(await watching.pass()).toContain('commands: /a\n');
    watching.child.kill('SIGINT');
    expect(await watching.exited).toEqual({ code: 130 });
  });

  it('tells a wrong call by its code', async () => {
    const sandbox = place({});
    expect(await runPi(sandbox, ['ext', 'watch', 'missing.ts'])).toMatchObject({ code: 2 });
    expect(await runPi(sandbox, ['ext', 'watch', '.', '.'])).toMatchObject({ code: 2 });
    sandbox.remove();
  });
});
