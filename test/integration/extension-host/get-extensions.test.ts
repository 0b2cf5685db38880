import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandbox, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';

const FILES = {
  'gate.ts': `export default (pi: any) => {
    pi.on('tool_call', () => new Promise((resolve) => setTimeout(resolve, 30)));
    pi.on('agent_end', () => { throw new Error('no end'); });
    pi.registerFlag('loud', { type: 'boolean', description: 'x' });
  };`,
  'tools.ts': `import { Type } from 'typebox';
    const tool = (name: string) => ({ name, label: name, description: name, parameters: Type.Object({}),
      execute: async () => ({ content: [{ type: 'text', text: 'by tools' }] }) });
    export default (pi: any) => { pi.registerTool(tool('count')); pi.registerCommand('go', { handler: async () => process.exit(1) }); };`,
  'late.ts': `import { Type } from 'typebox';
    export default (pi: any) => {
      pi.registerTool({ name: 'count', label: 'c', description: 'c', parameters: Type.Object({}), execute: async () => ({ content: [] }) });
      pi.registerCommand('go', { handler: async () => undefined });
    };`,
  'broken.ts': `export default () => { throw new Error('half-way'); };`,
};

let sandbox: Sandbox;
let pi: PiProcess;

function start(settings: object = {}): void {
  sandbox = createSandbox({ settings, files: FILES });
  const extensions = Object.keys(FILES).flatMap((name) => ['-e', name]);
  pi = new PiProcess(sandbox, ['--mode', 'rpc', '--no-session', '--provider', 'offline', ...extensions]);
}
beforeEach(() => start());
afterEach(async () => {
  await pi.end();
  sandbox.remove();
});

async function extensions(): Promise<Record<string, Json>> {
  const { data } = await pi.request({ type: 'get_extensions' });
  return Object.fromEntries(data.extensions.map((one: Json) => [one.name, one]));
}

describe('get_extensions', { timeout: 60_000 }, () => {
  it('G17: says of each where it is, how it runs and what it brings', async () => {
    await pi.request({ type: 'get_commands' });
    const { gate, tools, broken } = await extensions();
    expect(gate).toMatchObject({
      path: path.join(sandbox.cwd, 'gate.ts'),
      level: 'trusted',
      state: 'ready',
      restarts: 0,
      flags: ['loud'],
    });
    expect(gate.loadMs).toBeGreaterThan(0);
    expect(gate.pid).toBe(tools.pid);
    expect(tools).toMatchObject({ tools: ['count'], commands: ['go'], worker: gate.worker, shared: true });
    expect(broken).toMatchObject({ state: 'failed', reason: expect.stringContaining('half-way'), errors: 1, tools: [] });
  });

  it('G17: tells which one is slow: the time of each hook', async () => {
    await pi.prompt('read notes.txt');
    const { gate } = await extensions();
    const hook = gate.hooks.find(({ event }: Json) => event === 'tool_call');
    expect(hook).toMatchObject({ event: 'tool_call', calls: 1 });
    expect(hook.maxMs).toBeGreaterThanOrEqual(29);
  });

  it('G17: tells which one fails: its errors and its restarts', async () => {
    await pi.prompt('hello');
    expect((await extensions()).gate.errors).toBe(1);
    await pi.request({ type: 'prompt', message: '/go:1' });
    await pi.find(({ type, event }) => type === 'extension_error' && event === 'worker');
    expect((await extensions()).tools.restarts).toBe(1);
  });
});

describe('several extensions with one name for a tool or a command', { timeout: 60_000 }, () => {
  const toolOf = async (): Promise<string[]> =>
    (await pi.request({ type: 'get_tools' })).data.tools
      .filter(({ name }: Json) => name.endsWith('count'))
      .map(({ name, sourceInfo }: Json) => `${name} ${path.basename(sourceInfo.path)}`);
  const commands = async (): Promise<string[]> =>
    (await pi.request({ type: 'get_commands' })).data.commands.map((one: Json) => `${one.name} ${path.basename(one.path)}`);

  it('G15: the first keeps the tool, the other is named in the diagnostics, and commands are numbered', async () => {
    expect(await toolOf()).toEqual(['count tools.ts']);
    expect(await commands()).toEqual(['go:1 tools.ts', 'go:2 late.ts']);
    const { data } = await pi.request({ type: 'get_diagnostics' });
    const told = data.diagnostics.filter(({ message }: Json) => message.includes('"count"'));
    expect(told).toMatchObject([{ kind: 'extension', severity: 'warning', path: path.join(sandbox.cwd, 'late.ts') }]);
  });

  it('G15: a setting prefers, renames or disables one of them', async () => {
    await pi.end();
    sandbox.remove();
    start({ extensionNames: { tools: { tools: { count: 'my_count' }, commands: { go: false } } } });
    expect(await toolOf()).toEqual(['my_count tools.ts', 'count late.ts']);
    expect(await commands()).toEqual(['go late.ts']);
  });
});
