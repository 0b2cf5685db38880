import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI } from '../../support/pi-process.js';
import { PackageWorld, SKILL } from './support.js';

/** The lines of a document's shell blocks, without their comments. */
function commandsOf(document: string): string[] {
  const text = fs.readFileSync(fileURLToPath(new URL(`../../../docs/${document}`, import.meta.url)), 'utf8');
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap((block) => (block[1] ?? '').split('\n'));
  return blocks.map((line) => line.replace(/\s+# .*$/, '').trim()).filter((line) => line !== '');
}

describe.each(['packages.md', 'trust.md'])('the commands of docs/%s', (document) => {
  let world: PackageWorld;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    world = await PackageWorld.open();
    const files = { 'prompts/checklist.md': 'list the files in this folder\n', 'skills/review/SKILL.md': SKILL('review') };
    for (const version of ['1.0.0', '1.1.0']) world.registry.publish({ manifest: { name: '@acme/review', version }, files });
    const repo = world.repository('tools', { 'prompts/tool.md': 'x\n' });
    world.git(repo, 'tag', 'v1');
    const config = path.join(world.sandbox.root, 'gitconfig');
    fs.writeFileSync(config, `[url "file://${repo}"]\n\tinsteadOf = https://github.com/acme/tools\n`);
    world.write('my-package/prompts/mine.md', 'x\n');
    world.write('src/main.ts', 'x\n');
    world.write('.pi/prompts/project.md', 'x\n');
    const bin = path.join(world.sandbox.root, 'bin');
    fs.mkdirSync(bin);
    fs.symlinkSync(CLI, path.join(bin, 'pi'));
    const PATH = [bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
    env = { ...world.sandbox.env, ...world.env, GIT_CONFIG_GLOBAL: config, PATH };
  });
  afterAll(() => world.close());

  it('are found', () => expect(commandsOf(document).length).toBeGreaterThan(7));

  // In their order: later ones work on what earlier ones did.
  it('all work', { timeout: 120_000 }, async () => {
    for (const line of commandsOf(document)) {
      // The package that the rest of the page is about was removed just before it.
      if (line === 'pi config') await run('pi install npm:@acme/review');
      const { code, stdout, stderr } = await run(line);
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: expect.not.stringMatching(/\bError\b|\bat .*:\d+:\d+/) });
      expect({ line, stdout }).toEqual({ line, stdout: expect.stringMatching(/\S/) });
    }
  });

  function run(line: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const child = spawn('sh', ['-c', line], { cwd: world.sandbox.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
  }
});
