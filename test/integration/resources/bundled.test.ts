import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeLlm, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

let llm: FakeLlm;
let sandbox: Sandbox;
let pi: PiProcess;

beforeEach(async () => {
  llm = await startFakeLlm({ text: 'done' });
  sandbox = createSandbox({ providers: fakeProviders(llm.url), settings: { builtin: ['skills', 'prompts'] } });
  // Only what the resources put into it: our own prompt has tests of its own.
  const args = ['--system-prompt', 'SYSTEM', '--tools', 'read,bash', '--provider', 'fake', '--model', 'plain'];
  pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', ...args]);
});
afterEach(async () => {
  await pi.end();
  sandbox.remove();
  await llm[Symbol.asyncDispose]();
});

/** The request as it was sent, with what differs from machine to machine and day to day replaced. */
async function rendered(message: string): Promise<string> {
  await pi.prompt(message);
  const { system, messages } = (await llm.request(0)).body as Json;
  const text = [
    ...system.map((block: Json) => `=== system\n${block.text}`),
    ...messages.map(({ role, content }: Json) => `=== ${role}\n${typeof content === 'string' ? content : content[0].text}`),
  ].join('\n\n');
  return `${text
    .replaceAll(ROOT, '<package>/')
    .replaceAll(sandbox.cwd, '<cwd>')
    .replace(/^Current date: .*$/m, 'Current date: <date>')}\n`;
}

describe('a bundled resource gives the request that was checked in', () => {
  it.each([
    ['review', '/review'],
    ['review-branch', '/review feature/x with an eye on "races and locks"'],
    ['fix-tests', '/fix-tests npm test -- api'],
    ['commit', '/commit the new parser'],
    ['explain', '/explain src/app.ts'],
    ['skill-write-extension', '/skill:write-extension a tool that counts words'],
    ['skill-write-skill', '/skill:write-skill'],
    ['skill-debug-failing-test', '/skill:debug-failing-test test/api.test.ts'],
    ['skill-review-change', '/skill:review-change'],
  ])('%s', async (name, message) => {
    await expect(await rendered(message)).toMatchFileSnapshot(`golden/${name}.txt`);
  });
});

describe('the bundled files', () => {
  const skills = readdirSync(path.join(ROOT, 'skills'));
  const prompts = readdirSync(path.join(ROOT, 'prompts'));

  it('load without a complaint, each with a description, and templates with a hint', async () => {
    const { commands } = (await pi.request({ type: 'get_commands' })).data;
    expect(commands.map(({ name }: Json) => name)).toEqual([
      ...prompts.map((name) => name.replace('.md', '')).sort(),
      ...skills.map((name) => `skill:${name}`).sort(),
    ]);
    expect((await pi.request({ type: 'get_diagnostics' })).data.diagnostics).toEqual([]);
    for (const name of prompts) expect(readFileSync(path.join(ROOT, 'prompts', name), 'utf8')).toMatch(/^argument-hint: "/m);
  });

  it('are short, and what they point to is there', () => {
    for (const name of skills) {
      const text = readFileSync(path.join(ROOT, 'skills', name, 'SKILL.md'), 'utf8');
      expect(text.split('\n').length).toBeLessThan(80);
      for (const [, target = ''] of text.matchAll(/\]\(([^)#]+)\)/g)) {
        expect(readFileSync(path.join(ROOT, 'skills', name, target), 'utf8')).not.toBe('');
      }
    }
  });

  it('teach extensions with code that is TypeScript', () => {
    const page = readFileSync(path.join(ROOT, 'skills/write-extension/references/patterns.md'), 'utf8');
    const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
    expect(blocks.length).toBeGreaterThan(3);
    for (const code of blocks) {
      expect(ts.transpileModule(code, { reportDiagnostics: true }).diagnostics).toEqual([]);
      expect(code).toContain('export default function (pi: ExtensionAPI) {');
    }
  });

  it('are in the package', () => {
    const { files } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(files).toEqual(expect.arrayContaining(['skills', 'prompts', 'docs']));
  });
});
