import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Block, blocksOf, readDocument, shellLines } from '../docs/doc-blocks.js';
import { DocWorld } from '../docs/doc-world.js';

const folder = fileURLToPath(new URL('../../../docs/bundled/', import.meta.url));
const pages = fs.readdirSync(folder).map((name) => `docs/bundled/${name}`);
const blocks = pages.flatMap((page) =>
  blocksOf(readDocument(page)).map((block): [string, Block] => [`${page}, line ${block.line}`, block]),
);

let world: DocWorld;
beforeAll(() => {
  world = new DocWorld();
});
afterAll(() => world.remove());

it('each bundled extension has a page, and the overview names it', () => {
  const root = fileURLToPath(new URL('../../../extensions/', import.meta.url));
  const names = fs.readdirSync(root).filter((name) => fs.existsSync(path.join(root, name, 'package.json')));
  const overview = readDocument('docs/bundled/README.md');
  expect(names.filter((name) => !overview.includes(`\`${name}\``))).toEqual([]);
  expect(names.filter((name) => name !== 'offline' && !pages.includes(`docs/bundled/${name}.md`))).toEqual([]);
});

describe('the blocks of docs/bundled', { timeout: 60_000 }, () => {
  const settings = blocks.filter(([, { language, text }]) => language === 'json' && text.includes('"extensions"'));
  it.each(settings)('%s: the settings turn it on', async (_title, { text }) => {
    world.write(
      '~/.pi/agent/settings.json',
      JSON.stringify({ ...JSON.parse(text), defaultProvider: 'offline', defaultModel: 'offline' }),
    );
    const pi = world.rpc();
    await pi.request({ type: 'get_commands' });
    const { data } = await pi.request({ type: 'get_extensions' });
    const wanted = JSON.parse(text).extensions as string[];
    const ready = data.extensions
      .filter(({ state }: { state: string }) => state === 'ready')
      .map(({ path: file }: { path: string }) => file);
    for (const name of wanted)
      expect(ready.some((file: string) => file.includes(`/extensions/${name.slice('builtin:'.length)}/`))).toBe(true);
    await pi.end();
  });

  it.each(blocks.filter(([, { language }]) => language === 'json'))('%s is JSON', (_title, { text }) => {
    expect(() => JSON.parse(text)).not.toThrow();
  });

  const lines = blocks.flatMap(([title, block]) =>
    block.language === 'sh' ? shellLines(block).map((line): [string, string] => [title, line]) : [],
  );
  it.each(lines)('%s: %s', async (_title, line) => {
    expect(await world.run(line)).toMatchObject({ code: 0, stdout: expect.stringMatching(/\S/) });
  });

  it('an agent as the page shows it is one', async () => {
    const [, agent] = blocks.find(([title, { language }]) => title.includes('sub-agents') && language === 'md') ?? [];
    world.write('~/.pi/agent/agents/reviewer.md', agent?.text ?? '');
    const pi = world.rpc('-e', 'builtin:sub-agents');
    await pi.request({ type: 'prompt', message: '/agents' });
    expect((await pi.find(({ method }) => method === 'notify')).message).toContain(
      'reviewer (user; offline/offline; tools: read, grep, find, ls)',
    );
    await pi.end();
  });
});
