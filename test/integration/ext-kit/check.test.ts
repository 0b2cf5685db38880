import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { CheckReport } from '../../../core/app/ext-kit/check-extension.js';
import { startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, runPi, type Sandbox } from '../../support/pi-process.js';

const open: Sandbox[] = [];
function place(files: Record<string, string>, settings: object = {}): Sandbox {
  const sandbox = createSandbox({ files, settings });
  open.push(sandbox);
  return sandbox;
}
afterEach(() => {
  for (const one of open.splice(0)) one.remove();
});

async function check(sandbox: Sandbox, name: string): Promise<{ code: number | null; report: CheckReport; stderr: string }> {
  const { code, stdout, stderr } = await runPi(sandbox, ['ext', 'check', name, '--json']);
  return { code, report: JSON.parse(stdout) as CheckReport, stderr };
}
const said = ({ extensions, problems }: CheckReport): string[] =>
  [...problems, ...extensions.flatMap((one) => one.problems)].map(
    ({ severity, path: file = '', line, message }) => `${severity} ${path.basename(file)}:${line} ${message}`,
  );

const WHOLE = `import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
import { footer } from './look.js';
export default function (pi: ExtensionAPI) {
  pi.registerCommand('hello', { description: 'Greets', handler: async (_args, ctx) => ctx.ui.notify('hi') });
  pi.registerTool({ name: 'add', description: 'Adds', parameters: { type: 'object' }, execute: () => ({ content: [] }) });
  pi.registerFlag('loud', { type: 'boolean' });
  pi.registerShortcut('ctrl+x', {});
  pi.registerProvider('mine', { baseUrl: 'http://127.0.0.1:1', apiKey: 'x', api: 'openai-completions', models: [{ id: 'm' }] });
  pi.on('resources_discover', () => ({ promptPaths: [import.meta.dirname + '/more'] }));
  pi.on('session_start', async (_event, ctx) => {
    footer(ctx);
    await ctx.ui.select('Which?', ['a', 'b']);
    return void process.env.A_TOKEN;
  });
}`;

describe('pi ext check', () => {
  it('lists what is registered, asked, degraded and needed, by place, and leaves nothing behind', async () => {
    const sandbox = place({
      'e/index.ts': WHOLE,
      'e/look.ts': `import type { ExtensionContext } from '@earendil-works/pi-coding-agent';
export const footer = (ctx: ExtensionContext) => {
  ctx.ui.setFooter(undefined);
};`,
      'e/more/greet.md': '---\ndescription: Greets\n---\nHello',
    });
    const { code, report } = await check(sandbox, 'e');
    expect(said(report)).toEqual([]);
    expect(code).toBe(0);
    expect(report).toMatchObject({
      ok: true,
      resources: [{ kind: 'prompt', name: 'greet' }],
      extensions: [
        {
          name: 'e',
          level: 'trusted',
          state: 'ready',
          registers: {
            tools: ['add'],
            commands: ['hello'],
            flags: ['loud'],
            events: ['resources_discover', 'session_start'],
            providers: ['mine'],
            shortcuts: [{ line: 7 }],
          },
          dialogs: [{ method: 'select', title: 'Which?' }],
        },
      ],
    });
    const [one] = report.extensions;
    expect(one?.needsTerminal.map((use) => `${path.basename(use.path)}:${use.line} ${use.member}`)).toEqual([
      'index.ts:7 pi.registerShortcut',
      'look.ts:3 ctx.ui.setFooter',
    ]);
    expect(one?.capabilities.map(({ capability }) => capability)).toEqual([
      'commands',
      'env:A_TOKEN',
      'hooks:context',
      'provider',
      'tools',
      'ui',
    ]);
    expect(one?.capabilities.find(({ capability }) => capability === 'env:A_TOKEN')?.sites).toEqual([
      expect.stringMatching(/e\/index\.ts:13$/),
    ]);
    expect(readdirSync(sandbox.agentDir).sort()).toEqual(['models.json', 'settings.json']);
    expect(readFileSync(path.join(sandbox.agentDir, 'settings.json'), 'utf8')).toBe('{}');
    expect(readdirSync(path.join(sandbox.root, 'tmp'))).toEqual([]);
  });

  it.each([
    ['throws', 'export default () => {\n\n  throw new Error("boom");\n};', 'throws.ts:3 boom'],
    ['broken', 'export default () => {\n  const x = ;\n};', 'broken.ts:2 '],
    ['none', 'export const x = 1;', 'does not export a function by default'],
    ['loops', 'export default () => { for (;;); };', 'busy and silent'],
    ['waits', 'export default () => new Promise(() => {});', 'took longer than'],
    ['leaves', 'export default () => { process.exit(3); };', 'ended by itself with code 3'],
    ['lacks', "import 'not-installed-anywhere';\nexport default () => {};", 'not-installed-anywhere'],
    ['starts', "export default (pi) => pi.on('session_start', () => { throw new Error('late'); });", 'session_start: late'],
  ])('of an extension that %s ends with code 1 and says why', async (name, source, text) => {
    const sandbox = place({ [`${name}.ts`]: source });
    const { code, report } = await check(sandbox, `${name}.ts`);
    expect(code).toBe(1);
    expect(report.ok).toBe(false);
    expect(said(report).join('\n')).toContain(text);
    expect(said(report)[0]).toMatch(/^error /);
  });

  it('names what is taken already, events that never come, and names that only throw, each with its line', async () => {
    const sandbox = place({
      'e.ts': `import {
  InteractiveMode,
  isToolCallEventType,
} from '@earendil-works/pi-coding-agent';
export default (pi) => {
  pi.registerTool({ name: 'bash', description: 'x', parameters: {}, execute: () => ({ content: [] }) });
  pi.registerCommand('review', { handler: () => {} });
  pi.registerFlag('model', { type: 'string' });
  pi.registerProvider('anthropic', { headers: { a: 'b' } });
  pi.on('session_strat', () => new InteractiveMode(isToolCallEventType));
};`,
    });
    mkdirSync(path.join(sandbox.agentDir, 'prompts'));
    writeFileSync(path.join(sandbox.agentDir, 'prompts', 'review.md'), 'Review this');
    const { code, report } = await check(sandbox, 'e.ts');
    expect(code).toBe(1);
    expect(said(report).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'warning e.ts:6',
      'warning e.ts:7',
      'warning e.ts:8',
      'warning e.ts:9',
      'warning e.ts:10',
      'error e.ts:2',
    ]);
    expect(said(report).at(-1)).toContain('InteractiveMode');
  });

  it('takes nothing of the project for a part of a file, and lets no model be asked with the keys of the user', async () => {
    const llm = await startFakeLlm({ text: 'expensive' });
    const sandbox = createSandbox({
      settings: { defaultProvider: 'fake', defaultModel: 'plain' },
      providers: fakeProviders(llm.url),
      files: {
        'e.ts': "export default (pi) => pi.on('session_start', () => pi.sendUserMessage('say something'));",
        '.pi/skills/theirs/SKILL.md': '---\nname: theirs\ndescription: Of the project\n---\n',
        '.pi/prompts/broken.md': '---\ndescription: [\n---\n',
      },
    });
    open.push(sandbox);
    await runPi(sandbox, ['trust']);
    const { code, report } = await check(sandbox, 'e.ts');
    expect({ code, said: said(report) }).toEqual({ code: 0, said: [] });
    expect(report.resources).toEqual([]);
    expect(llm.requests).toEqual([]);
    await llm[Symbol.asyncDispose]();
  });

  it('reports a place it names that holds nothing, with the extension that names it', async () => {
    const sandbox = place({
      'e.ts': "export default (pi) => pi.on('resources_discover', () => ({ skillPaths: ['/nowhere/skills'] }));",
    });
    const { code, report } = await check(sandbox, 'e.ts');
    expect(code).toBe(0);
    expect(said(report).join()).toContain('/nowhere/skills');
  });

  it('notices a member that needs a terminal also where only running it tells', async () => {
    const sandbox = place({
      'e.ts': "export default (pi) => pi.on('session_start', (_event, ctx) => ctx['u' + 'i']['set' + 'Footer'](undefined));",
    });
    const { report } = await check(sandbox, 'e.ts');
    expect(report.extensions[0]?.needsTerminal).toMatchObject([{ member: 'ctx.ui.setFooter' }]);
  });

  it('tells the level the settings would give, and asks a restricted one what it is refused', async () => {
    const sandbox = place({ 'e.ts': "export default (pi) => pi.registerCommand('a', { handler: () => {} });" });
    await runPi(sandbox, ['ext', 'trust', 'e.ts', 'restricted']);
    const { code, report } = await check(sandbox, 'e.ts');
    expect(report.extensions[0]).toMatchObject({ level: 'restricted' });
    expect(code).toBe(1);
    await runPi(sandbox, ['ext', 'trust', 'e.ts', 'restricted', 'commands']);
    expect(await check(sandbox, 'e.ts')).toMatchObject({ code: 0 });
  });

  it('is for a person without --json, and tells a wrong call by its code', async () => {
    const sandbox = place({ 'e.ts': "export default (pi) => pi.registerCommand('a', { handler: () => {} });" });
    const shown = await runPi(sandbox, ['ext', 'check', 'e.ts']);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(/^e \(e\.ts\): loads in \d+ ms, trusted\n {2}commands: \/a\n/);
    expect(shown.stdout).toMatch(/\n0 errors, 0 warnings\n$/);
    expect(await runPi(sandbox, ['ext', 'check'])).toMatchObject({ code: 2 });
    expect(await runPi(sandbox, ['ext', 'check', 'missing.ts'])).toMatchObject({ code: 2 });
    expect(await runPi(sandbox, ['ext', 'check', 'e.ts', '--jsn'])).toMatchObject({ code: 2 });
    expect(await runPi(sandbox, ['ext', 'check', 'builtin:offline'])).toMatchObject({ code: 0 });
  });
});
