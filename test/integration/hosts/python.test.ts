import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMAND_NAMES } from '../../../core/protocol/generated/names.gen.js';
import { CLI } from '../../support/pi-process.js';
import { blocksOf, readDocument, shellLines } from '../docs/doc-blocks.js';
import { DocWorld } from '../docs/doc-world.js';

const FOLDER = fileURLToPath(new URL('../../../examples/hosts/python/', import.meta.url));
const python = spawnSync('python3', ['--version']).status === 0;

const ASKS = `export default (pi: any) => {
  pi.registerCommand('ask', { handler: async (_: string, { ui }: any) => {
    const answers = [await ui.select('Which?', ['a', 'b']), await ui.confirm('Sure?', ''), await ui.input('Name?'), await ui.editor('Text?', 'begin')];
    ui.notify(JSON.stringify(answers.map((answer) => answer ?? null)));
  } });
  pi.registerCommand('brief', { handler: async (_: string, { ui }: any) => { await ui.input('Quick?', '', { timeout: 50 }); } });
};`;

let world: DocWorld;
beforeEach(() => {
  world = new DocWorld({ files: { 'asks.ts': ASKS, 'notes.txt': 'alpha\n', 'src/one.ts': '1\n' } });
  for (const name of ['pi_client.py', 'chat.py']) fs.copyFileSync(path.join(FOLDER, name), path.join(world.sandbox.cwd, name));
});
afterEach(() => world.remove());

describe.skipIf(!python)('the host in Python', { timeout: 120_000 }, () => {
  it('has a method for each command of the protocol', () => {
    const source = fs.readFileSync(path.join(FOLDER, 'pi_client.py'), 'utf8');
    expect(COMMAND_NAMES.filter((name) => !new RegExp(`def ${name}\\(self`).test(source))).toEqual([]);
  });

  it('does what its tests say', () => {
    const env = { ...world.env, PI_COMMAND: `${process.execPath} ${CLI}`, PYTHONPATH: FOLDER, PYTHONDONTWRITEBYTECODE: '1' };
    const run = spawnSync('python3', [path.join(FOLDER, 'test_pi_client.py'), '-v'], {
      cwd: world.sandbox.cwd,
      env,
      encoding: 'utf8',
    });
    expect(run.stderr).toMatch(/Ran 8 tests[\s\S]*OK/);
  });

  it('is written for Python 3.9', () => {
    const check = `import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name).read(), feature_version=(3, 9))`;
    execFileSync('python3', ['-c', check, path.join(FOLDER, 'pi_client.py'), path.join(FOLDER, 'chat.py')]);
  });

  const blocks = blocksOf(readDocument('examples/hosts/python/README.md'));
  it.each(blocks.flatMap((block) => (block.language === 'sh' ? shellLines(block) : [])))('%s', async (line) => {
    const { code, stdout } = await world.run(line);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('one.ts') });
  });

  it('works as its page shows it', async () => {
    const [block] = blocks.filter(({ language }) => language === 'python');
    world.write('shown.py', block?.text ?? '');
    expect(await world.run('python3 shown.py')).toMatchObject({ code: 0, stdout: expect.stringContaining('one.ts') });
  });
});

it.runIf(!python)('skipped: there is no python3', () => {
  console.log('the host in Python was not tried: there is no python3');
});
