import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isDialog } from '../../../core/client/dialogs.js';
import type { Json } from '../../support/pi-process.js';
import { type Block, blocksOf, fileNameOf, readDocument, shellLines } from './doc-blocks.js';
import { DocWorld } from './doc-world.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

let world: DocWorld;
beforeEach(() => {
  world = new DocWorld();
});
afterEach(() => world.remove());

describe('docs/quick-start.md', { timeout: 120_000 }, () => {
  const blocks = blocksOf(readDocument('docs/quick-start.md'));
  /** Tried by the test of the README; they set up what is set up here already. */
  const ELSEWHERE = new Set(['npm start', 'npm link']);

  it('works word for word, to a dialog that the server has for the browser', async () => {
    fs.mkdirSync(path.join(world.sandbox.cwd, 'docs'));
    fs.writeFileSync(path.join(world.sandbox.cwd, 'docs/a.md'), 'a');
    fs.symlinkSync(path.join(ROOT, 'examples'), path.join(world.sandbox.cwd, 'examples'));
    for (const block of blocks) {
      if (block.language === 'ts') world.write(fileNameOf(block) ?? '', block.text);
      for (const line of block.language === 'sh' ? shellLines(block) : []) {
        if (ELSEWHERE.has(line)) continue;
        if (line.includes('server.mjs')) await dialogInTheBrowser(line);
        else expect(await world.run(line)).toMatchObject({ code: 0, stdout: expect.stringMatching(/\S/) });
      }
    }
  });

  /** What a page would do: it opens the stream, says `/hello`, and answers. */
  async function dialogInTheBrowser(line: string): Promise<void> {
    const server = spawn('sh', ['-c', `exec ${line}`], { cwd: world.sandbox.cwd, env: world.env });
    const [said] = (await once(server.stdout, 'data')) as [Buffer];
    const { origin, hash } = new URL(said.toString().trim());
    const headers = { authorization: `Bearer ${hash.slice(1)}` };
    const post = (name: string, body: object): Promise<Response> =>
      fetch(`${origin}/api/${name}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const stream = await fetch(`${origin}/api/stream`, { headers });
    const records = linesOf(stream);
    const next = async (kind: string): Promise<Json> => {
      for (;;) {
        const { value, done } = await records.next();
        if (done) throw new Error(`The stream ended before ${kind}`);
        if (value.kind === kind) return value;
      }
    };
    void post('command', { type: 'prompt', message: '/hello' });
    const { request } = await next('dialog');
    expect(isDialog(request)).toBe(true);
    await post('answer', { id: request.id, value: 'Ada' });
    expect((await next('notice')).notice).toMatchObject({ message: 'Hello, Ada!' });
    server.kill();
    await once(server, 'exit');
  }

  async function* linesOf(response: Response): AsyncGenerator<Json> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of Readable.fromWeb(response.body as ReadableStream<Uint8Array>)) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line);
    }
  }
});

describe('docs/embedding.md', { timeout: 60_000 }, () => {
  const blocks = blocksOf(readDocument('docs/embedding.md'));

  it.each(blocks.filter(({ language }) => language === 'ts').map((block): [string, Block] => [fileNameOf(block) ?? '', block]))(
    '%s compiles and runs',
    async (name, { text }) => {
      // As it is installed: a folder in node_modules.
      const modules = path.join(world.sandbox.cwd, 'node_modules');
      fs.mkdirSync(modules);
      fs.symlinkSync(ROOT, path.join(modules, 'pi-platform'));
      const { outputText } = ts.transpileModule(text, {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
      });
      world.write(name.replace(/\.ts$/, '.mjs'), outputText);
      const { code, stdout, stderr } = await world.run(`node ${name.replace(/\.ts$/, '.mjs')}`);
      expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: '', stdout: expect.stringContaining('main.ts') });
    },
  );

  it.each(blocks.flatMap((block) => (block.language === 'sh' ? shellLines(block) : [])))('%s', async (line) => {
    const { code, stdout } = await world.run(line);
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one)),
    ).toMatchObject([
      { id: '1', success: true },
      { id: '2', success: true },
    ]);
  });
});
