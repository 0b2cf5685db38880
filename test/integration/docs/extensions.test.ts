import fs from 'node:fs';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingsJsonSchema } from '../../../core/resources/settings-schema.js';
import { type FakeLlm, startFakeLlm } from '../../support/fake-llm/server.js';
import { fakeProviders, type Json, PiProcess } from '../../support/pi-process.js';
import { type Block, blocksOf, fileNameOf, readDocument, shellLines } from './doc-blocks.js';
import { DocWorld, extensionsOf, play } from './doc-world.js';
import { typeProblems } from './type-check.js';

const blocks = blocksOf(readDocument('docs/extensions.md'));
const of = (language: string): Block[] => blocks.filter((block) => block.language === language);
const titled = (block: Block): [string, Block] => [`the one in line ${block.line}`, block];

let world: DocWorld;
let llm: FakeLlm;

beforeAll(async () => {
  llm = await startFakeLlm();
  world = new DocWorld({ providers: fakeProviders(llm.url) });
});
afterAll(async () => {
  world.remove();
  await llm[Symbol.asyncDispose]();
});

it('docs/extensions.md has nothing that is not tried here', () => {
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['ts', 'sh', 'jsonl', 'json']));
});

describe('the extensions of docs/extensions.md', () => {
  it('are right for the compiler, by the types of the contract', { timeout: 60_000 }, () => {
    const files = of('ts').map((block) => ({ name: `line-${block.line}.ts`, text: block.text }));
    expect(typeProblems(files)).toEqual([]);
  });

  it.each(of('ts').map(titled))('%s loads in the program as it is', async (_title, block) => {
    const name = fileNameOf(block);
    expect(name).toMatch(/^[\w-]+\.ts$/);
    const file = world.write(name ?? '', block.text);
    const pi = world.rpc('-e', file);
    expect(await extensionsOf(pi)).toMatchObject([{ path: file, state: 'ready', errors: 0 }]);
    await pi.end();
    expect(pi.stderr).toBe('');
  });
});

// In their order: a command or a transcript is about the file shown last under its name.
describe('the commands and transcripts of docs/extensions.md', () => {
  const steps = blocks.filter(({ language }) => language !== 'json');

  it('work, in the order of the page', { timeout: 120_000 }, async () => {
    let shown = '';
    for (const block of steps) {
      if (block.language === 'ts') shown = world.write(fileNameOf(block) ?? '', block.text);
      if (block.language === 'sh') {
        for (const line of shellLines(block)) {
          const { code, stdout, stderr } = await world.run(line);
          expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: expect.not.stringMatching(/\bError\b|not found/) });
          expect({ line, stdout }).toEqual({ line, stdout: expect.stringMatching(/\S/) });
        }
      }
      if (block.language !== 'jsonl') continue;
      const pi = world.rpc('-e', shown);
      await play(pi, block.text);
      await pi.end();
    }
  });
});

describe('what the page says of its examples', () => {
  const latest = (name: string): string => {
    const text = of('ts').findLast((block) => fileNameOf(block) === name)?.text;
    if (text === undefined) throw new Error(`There is no ${name} on the page`);
    return world.write(name, text);
  };

  it('the tool reads the notes that the command kept', async () => {
    llm.push({ toolCalls: [{ name: 'read_notes', args: { word: 'milk' } }] }, { text: 'milk' });
    const pi = new PiProcess(world.sandbox, ['--mode', 'rpc', '--model', 'fake/plain', '-e', latest('notes.ts')]);
    await pi.request({ type: 'prompt', message: '/note buy milk' });
    await pi.request({ type: 'prompt', message: '/note call Ada' });
    const events = await pi.prompt('What did I note about milk?');
    const end = events.find(({ type }) => type === 'tool_execution_end');
    expect(end).toMatchObject({ toolName: 'read_notes', isError: false, result: { details: { count: 1 } } });
    expect(end.result.content).toEqual([{ type: 'text', text: 'buy milk' }]);
    await pi.end();
  });

  it('the gate blocks where nobody can be asked, says so on stderr, and lets through what a person allows', async () => {
    const file = latest('no-force.ts');
    const once = await world.run(`pi -e ${file} -p 'run "echo push --force"'`);
    expect(once.stdout).toContain('The user did not allow --force');
    expect(once.stderr).toContain('ctx.ui.confirm');
    const pi = world.rpc('-e', file);
    const settled = pi.prompt('run "echo push --force"');
    const dialog = await pi.find((record) => record.method === 'confirm');
    pi.send({ type: 'extension_ui_response', id: dialog.id, confirmed: true });
    const end = (await settled).find(({ type }: Json) => type === 'tool_execution_end');
    expect(end).toMatchObject({ isError: false });
    await pi.end();
  });

  it('the flags change the tools and the prompt; one nobody knows ends with code 2', async () => {
    const file = latest('plan.ts');
    llm.push({ text: 'ok' });
    const from = llm.requests.length;
    await world.run(`pi -e ${file} --plan --team core --model fake/plain -p hello`);
    const request = JSON.stringify(llm.requests[from]?.body);
    expect(request).toContain('Follow the rules of the team core.');
    expect(request).not.toContain('"name":"bash"');
    expect((await world.run(`pi -e ${file} --plam -p hello`)).code).toBe(2);
  });

  it('the echo model answers, and the local one is listed', async () => {
    expect((await world.run(`pi -e ${latest('echo.ts')} --model echo/echo -p hello`)).stdout).toContain('You said');
    const pi = world.rpc('-e', latest('local-models.ts'));
    world.env.LOCAL_MODELS_KEY = 'key';
    const { data } = await pi.request({ type: 'get_available_models' });
    expect(data.models.map(({ provider }: Json) => provider)).not.toContain('local');
    await pi.end();
    const withKey = world.rpc('-e', latest('local-models.ts'));
    const models = (await withKey.request({ type: 'get_available_models' })).data.models;
    expect(models).toEqual(expect.arrayContaining([expect.objectContaining({ provider: 'local', id: 'small' })]));
    await withKey.end();
  });

  it('a file in ~/.pi/agent/extensions is loaded, and a change of it by reload', async () => {
    const file = world.write(
      '~/.pi/agent/extensions/kept.ts',
      'export default (pi) => pi.registerCommand("one", { handler() {} });',
    );
    const pi = world.rpc();
    const commands = async (): Promise<string[]> =>
      (await pi.request({ type: 'get_commands' })).data.commands.map(({ name }: Json) => name);
    expect(await commands()).toContain('one');
    fs.writeFileSync(file, 'export default (pi) => pi.registerCommand("two", { handler() {} });');
    await pi.request({ type: 'reload' });
    expect(await commands()).toContain('two');
    await pi.end();
    fs.rmSync(file);
  });
});

describe('the settings of docs/extensions.md', () => {
  const schema = new Ajv({ strict: false }).compile(settingsJsonSchema());

  it.each(of('json').map(titled))('%s fits the schema, and the program has nothing to say about it', async (_title, { text }) => {
    const settings: Json = JSON.parse(text);
    schema(settings);
    expect(schema.errors).toBeNull();
    const other = new DocWorld({ settings });
    other.write('~/code/pi-notes/index.ts', 'export default () => {};');
    const pi = other.rpc();
    expect(await extensionsOf(pi)).toMatchObject([{ name: 'pi-notes', state: 'ready' }]);
    expect((await pi.request({ type: 'get_diagnostics' })).data.diagnostics).toEqual([]);
    await pi.end();
    other.remove();
  });
});
