import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsJsonSchema } from '../../../core/resources/settings-schema.js';
import { NAMING_CAPABILITIES, PLAIN_CAPABILITIES } from '../../../core/trust/capabilities.js';
import type { Json } from '../../support/pi-process.js';
import { PackageWorld } from '../packages/support.js';
import { type Block, blocksOf, fileNameOf, readDocument, tableOf } from './doc-blocks.js';
import { DocWorld, extensionsOf, play } from './doc-world.js';
import { typeProblems } from './type-check.js';

const page = readDocument('docs/security.md');
const of = (language: string, text = page): Block[] => blocksOf(text).filter((block) => block.language === language);
/** What stands between this heading and the next of its kind. */
const section = (heading: string): string => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

function openWorld(settings: object = {}): DocWorld {
  const world = new DocWorld({ settings, files: { 'package.json': '{ "name": "demo" }\n' } });
  for (const block of of('ts')) world.write(fileNameOf(block) ?? '', block.text);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: world.sandbox.cwd, env: world.env, stdio: 'ignore' });
  git('init', '-q');
  git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-q', '--allow-empty', '-m', 'first');
  return world;
}

it('docs/security.md has nothing that is not tried here', () => {
  expect(new Set(blocksOf(page).map(({ language }) => language))).toEqual(new Set(['ts', 'sh', 'jsonl', 'json', 'text']));
  expect(typeProblems(of('ts').map((block) => ({ name: `line-${block.line}.ts`, text: block.text })))).toEqual([]);
});

it('docs/security.md names every capability, and no other', () => {
  const named = tableOf(page, 'capabilities').flatMap(([first = '']) =>
    [...first.matchAll(/`([^`]+)`/g)].map((match) => (match[1] ?? '').replace(/:[A-Z].*$/, '')),
  );
  expect(named.sort()).toEqual([...PLAIN_CAPABILITIES, ...NAMING_CAPABILITIES].sort());
});

describe('the settings of docs/security.md', () => {
  const schema = new Ajv({ strict: false }).compile(settingsJsonSchema());

  it.each(of('json').map((block): [string, Block] => [`those in line ${block.line}`, block]))(
    '%s fit the schema',
    (_, { text }) => {
      schema(JSON.parse(text));
      expect(schema.errors).toBeNull();
    },
  );

  it('give the levels that the page says', async () => {
    const settings: Json = JSON.parse(of('json', section('Setting a level'))[0]?.text ?? '');
    const world = openWorld(settings);
    world.write('~/.pi/agent/extensions/mine.ts', 'export default () => {};');
    world.write('~/.pi/agent/extensions/other.ts', 'export default () => {};');
    world.write('.pi/extensions/theirs.ts', 'export default () => {};');
    const pi = world.rpc('--approve');
    const levels = (await extensionsOf(pi)).map(({ name, level, state }) => [name, level, state]);
    expect(levels).toEqual([
      ['theirs', 'isolated', 'ready'],
      ['mine', 'trusted', 'ready'],
      ['other', 'restricted', 'ready'],
    ]);
    expect((await pi.request({ type: 'get_diagnostics' })).data.diagnostics).toEqual([]);
    await pi.end();
    world.remove();
  });
});

describe('the commands of docs/security.md, up to the last recipe', () => {
  let world: DocWorld;
  beforeAll(() => {
    world = openWorld();
  });
  afterAll(() => world.remove());

  it('work, in the order of the page', { timeout: 120_000 }, async () => {
    let printed = '';
    for (const block of blocksOf(page.split('\n## Recipe: a company')[0] ?? '')) {
      if (block.language === 'sh') {
        const { code, stdout, stderr } = await world.run(`set -e\n${block.text}`);
        expect({ line: block.line, code, stderr }).toEqual({
          line: block.line,
          code: 0,
          stderr: expect.not.stringMatching(/\bError\b|not found/),
        });
        expect(stdout).toMatch(/\S/);
        printed = stdout;
      }
      if (block.language === 'jsonl') {
        const pi = world.rpc('-e', 'stranger.ts');
        await play(pi, block.text);
        await pi.end();
      }
      if (block.language === 'text')
        expect(printed.replaceAll(fs.realpathSync(world.sandbox.cwd), '/home/me/work')).toBe(block.text);
    }
  });
});

describe('the gate of the recipe for CI', () => {
  const script = of('sh', section('Recipe: run unattended in CI'))[0]?.text ?? '';

  it('lets through and blocks what the page says', async () => {
    const world = openWorld();
    expect((await world.run(script)).stdout).toMatch(/On branch|nothing to commit/);
    const other = await world.run(script.replace('git status', 'git status; cat package.json'));
    expect(other.stdout).toContain('Only some commands of git and npm may be run here');
    expect(other.stdout).not.toContain('demo');
    world.remove();
  });

  it.each([
    ['is not there', (world: DocWorld) => fs.rmSync(path.join(world.sandbox.cwd, 'ci/guard.ts'))],
    ['throws while it loads', (world: DocWorld) => world.write('ci/guard.ts', "throw new Error('broken');")],
  ])('ends the run with code 2 when it %s', async (_, spoil) => {
    const world = openWorld();
    spoil(world);
    const done = await world.run(script.replace(/pi ext trust.*\n/, ''));
    expect(done).toMatchObject({ code: 2, stdout: '' });
    expect(done.stderr).toContain('--guard');
    world.remove();
  });
});

it('the allow-list of docs/security.md lets in what it names, and nothing else', { timeout: 60_000 }, async () => {
  const world = await PackageWorld.open();
  const source = (name: string): string =>
    `export default (pi) => { pi.registerCommand('${name}', { handler() {} }); pi.registerTool({ name: '${name}', description: '', parameters: {}, execute() {} }); };`;
  for (const name of ['review', 'tickets'])
    world.registry.publish({
      manifest: { name: `@acme/${name}`, version: '1.0.0', pi: { extensions: ['./index.js'] } },
      files: { 'index.js': source(name) },
    });
  const part = section("Recipe: a company's allow-list");
  const agentDir = path.join(world.sandbox.root, 'opt/acme/pi');
  const env = { PI_CODING_AGENT_DIR: agentDir };
  fs.mkdirSync(path.join(agentDir, 'extensions'), { recursive: true });
  const settings: Json = JSON.parse(of('json', part)[0]?.text ?? '');
  for (const one of settings.packages) expect(await world.run(['install', one], env)).toMatchObject({ code: 0 });
  fs.writeFileSync(path.join(agentDir, 'settings.json'), JSON.stringify(settings));
  fs.writeFileSync(path.join(agentDir, 'extensions/stranger.js'), source('stranger'));
  fs.mkdirSync(path.join(world.sandbox.cwd, '.pi/extensions'), { recursive: true });
  fs.writeFileSync(path.join(world.sandbox.cwd, '.pi/extensions/theirs.js'), source('theirs'));

  const pi = world.start(['--mode', 'rpc', '--no-session'], env);
  const found = await extensionsOf(pi);
  expect(found.map(({ name, level, commands, tools }) => ({ name, level, commands, tools }))).toEqual([
    { name: 'stranger', level: 'restricted', commands: [], tools: [] },
    { name: 'review', level: 'trusted', commands: ['review'], tools: ['review'] },
    { name: 'tickets', level: 'restricted', commands: ['tickets'], tools: [] },
  ]);
  await pi.end();
  expect(pi.stderr).toContain('needs "commands"');

  const listed = await world.run((of('sh', part)[0]?.text ?? '').trim().split(' ').slice(2), env);
  expect(listed.stdout).toContain('@acme/review');
  await world.close();
});

describe('what SECURITY.md says is not prevented', () => {
  const source = `export default (pi) => pi.registerCommand('look', { handler: async (_, ctx) => {
    const read = async () => (await import('node:fs')).readFileSync(ctx.cwd + '/../secret', 'utf8');
    const run = async () => (await pi.exec('sh', ['-c', 'cat ../secret'])).stdout;
    const told = await read().catch((error) => error.code);
    ctx.ui.notify(told + ' ' + (await run().catch((error) => error.code)));
  } });`;

  it.each([
    ['a trusted extension reads what you can read', ['trusted'], 'hidden hidden'],
    ['a restricted one does not', ['restricted', 'ui', 'commands'], 'ERR_ACCESS_DENIED CAPABILITY_DENIED'],
    ['but through a program it is granted', ['restricted', 'ui', 'commands', 'exec:sh'], 'ERR_ACCESS_DENIED hidden'],
  ])('%s', async (_, words, told) => {
    const world = openWorld();
    world.write('look.js', source);
    world.write('../secret', 'hidden');
    expect(await world.run(`pi ext trust look.js ${words.join(' ')}`)).toMatchObject({ code: 0 });
    const pi = world.rpc('-e', 'look.js');
    pi.send({ type: 'prompt', message: '/look' });
    expect((await pi.find(({ method }) => method === 'notify')).message).toBe(told);
    await pi.end();
    world.remove();
  });
});
