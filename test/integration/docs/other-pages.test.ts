import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsJsonSchema } from '../../../core/resources/settings-schema.js';
import { type Block, blocksOf, readDocument, shellLines } from './doc-blocks.js';
import { DocWorld } from './doc-world.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Every page with code, and the test that runs it. A page that is in none of them is an error. */
const ELSEWHERE: Record<string, string> = {
  'README.md': 'readme.test.ts',
  'docs/author-kit.md': 'author-kit.test.ts',
  'docs/embedding.md': 'starting.test.ts',
  'docs/extension-api.md': 'generated from code that is compiled',
  'docs/extensions.md': 'extensions.test.ts',
  'docs/migrating.md': 'pages.test.ts',
  'docs/packages.md': '../packages/docs.test.ts',
  'docs/quick-start.md': 'starting.test.ts',
  'docs/security.md': 'security.test.ts',
  'docs/troubleshooting.md': 'pages.test.ts',
  'docs/trust.md': '../packages/docs.test.ts',
  'docs/using.md': 'pages.test.ts',
  'examples/hosts/python/README.md': '../hosts/python.test.ts',
};
const HERE = [
  'docs/compaction.md',
  'docs/export.md',
  'docs/sessions.md',
  'docs/settings.md',
  'examples/hosts/terminal/README.md',
  'examples/hosts/web/README.md',
];

const of = (page: string, language: string): Block[] =>
  blocksOf(readDocument(page)).filter((block) => block.language === language);
const lines = (page: string): string[] => of(page, 'sh').flatMap(shellLines);

let world: DocWorld;
beforeAll(() => {
  world = new DocWorld();
  fs.symlinkSync(path.join(ROOT, 'examples'), path.join(world.sandbox.cwd, 'examples'));
});
afterAll(() => world.remove());

it('every page with code has a test that runs it', () => {
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((page) =>
      /^(?:README|SECURITY|CONTRIBUTING|ARCHITECTURE)\.md$|^docs\/[^/]+\.md$|^examples\/.*README\.md$/.test(page),
    );
  const languages = new Set(['sh', 'ts', 'js', 'json', 'jsonl', 'python']);
  const withCode = pages.filter((page) => blocksOf(readDocument(page)).some(({ language }) => languages.has(language)));
  expect(withCode.length).toBeGreaterThan(10);
  expect(withCode.filter((page) => !(page in ELSEWHERE) && !HERE.includes(page))).toEqual([]);
});

describe('the commands of the other pages', { timeout: 60_000 }, () => {
  it('docs/sessions.md', async () => {
    expect((await world.run('pi --provider offline -p "list the files in src"')).code).toBe(0);
    const [listed] = JSON.parse((await world.run('pi session list --all --json')).stdout) as { path: string }[];
    for (const line of lines('docs/sessions.md')) {
      const { code, stderr } = await world.run(line.replace('<session>', listed?.path ?? ''));
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: expect.not.stringMatching(/\bError\b/) });
    }
  });

  it('docs/export.md', async () => {
    await world.run('pi --provider offline --session session.jsonl -p "list the files in src"');
    for (const line of lines('docs/export.md')) {
      const { code } = await world.run(line.replace('npm start --', 'pi'));
      expect({ line, code }).toEqual({ line, code: 0 });
    }
    expect(fs.readFileSync(path.join(world.sandbox.cwd, 'page.html'), 'utf8')).toContain('main.ts');
  });

  it('docs/settings.md and docs/compaction.md: the settings fit the schema', () => {
    const check = new Ajv({ strict: false }).compile(settingsJsonSchema());
    for (const { text } of [...of('docs/settings.md', 'json'), ...of('docs/compaction.md', 'json')]) {
      const value = JSON.parse(text);
      if ('type' in value) continue;
      check(value);
      expect(check.errors).toBeNull();
    }
  });

  it('docs/compaction.md: the command goes elsewhere in the tree', async () => {
    const [command] = of('docs/compaction.md', 'json')
      .map(({ text }) => JSON.parse(text))
      .filter((value) => 'type' in value);
    const pi = world.rpc('--provider', 'offline');
    await pi.prompt('list the files in src');
    await pi.prompt('list the files in src');
    const { data } = await pi.request({ type: 'get_fork_messages' });
    expect(await pi.request({ ...command, entryId: data.messages[1].entryId, summarize: false })).toMatchObject({
      success: true,
    });
    await pi.end();
  });

  it.each(lines('examples/hosts/web/README.md'))('%s', async (line) => {
    const server = spawn('sh', ['-c', `exec ${line}`], { cwd: world.sandbox.cwd, env: world.env });
    const [said] = (await once(server.stdout, 'data')) as [Buffer];
    expect(said.toString()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\S{20,}\n$/);
    server.kill();
    await once(server, 'exit');
  });

  it.each(lines('examples/hosts/terminal/README.md'))('%s starts, and ends when its terminal is gone', async (line) => {
    const host = spawn('sh', ['-c', `exec ${line}`], { cwd: world.sandbox.cwd, env: world.env });
    await once(host.stdout, 'data');
    host.kill('SIGHUP');
    expect(await once(host, 'exit')).toEqual([0, null]);
  });
});
