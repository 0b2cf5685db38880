import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createSandbox, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';

/** Does what its limits are about, when it is told to. */
const extension = (loadMs: number): string => `
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export default async (pi: any) => {
  await wait(${loadMs});
  pi.on('tool_call', async (event: any, ctx: any) => {
    const [what, ms] = String(event.input.command).split(' ').slice(-2);
    if (what === 'wait') await wait(Number(ms));
    if (what === 'ask') await ctx.ui.confirm('Go on?', '');
  });
  pi.registerCommand('fill', { handler: async (megabytes: string, ctx: any) => {
    const held: unknown[] = [];
    for (let at = 0; at < Number(megabytes); at++) { held.push(new Array(131_072).fill(at + 0.5)); await wait(1); }
    ctx.ui.notify('filled ' + held.length);
  } });
  pi.registerCommand('block', { handler: async (ms: string, ctx: any) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(ms));
    ctx.ui.notify('unblocked');
  } });
  pi.registerCommand('block-on-child', { handler: async (seconds: string, ctx: any) => {
    require('node:child_process').execSync('sleep ' + seconds);
    ctx.ui.notify('unblocked');
  } });
};`;

let sandbox: Sandbox;
let pi: PiProcess | undefined;
afterEach(async () => {
  await pi?.end();
  pi = undefined;
  sandbox.remove();
});

/** The program with the extension under these limits, and one beside it that has none. */
function start(level: string, limits: object, loadMs = 0): PiProcess {
  sandbox = createSandbox({ files: { 'limited.ts': extension(loadMs), 'free.ts': 'export default () => undefined;' } });
  const file = path.join(fs.realpathSync(sandbox.cwd), 'limited.ts');
  const grants = ['ui', 'ui:dialog', 'commands', 'hooks:tool'];
  const overrides = { [file]: { level, limits, ...(level === 'trusted' ? {} : { grants }) } };
  fs.writeFileSync(path.join(sandbox.agentDir, 'settings.json'), JSON.stringify({ extensionTrust: { overrides } }));
  const args = ['--mode', 'rpc', '--no-session', '--provider', 'offline', '-e', 'limited.ts', '-e', 'free.ts'];
  pi = new PiProcess(sandbox, args);
  return pi;
}

const extensionsOf = async (of: PiProcess): Promise<Json[]> => (await of.request({ type: 'get_extensions' })).data.extensions;
const endOf = (events: Json[]): Json => events.find(({ type }) => type === 'tool_execution_end');

const levels = ['trusted', 'restricted', ...(fs.existsSync('/usr/bin/bwrap') ? ['isolated'] : [])];

describe.each(levels)('limits of an extension that is %s', { timeout: 60_000 }, (level) => {
  it('hookMs: a handler within it is waited for, one beyond it refuses the call and is named', async () => {
    const program = start(level, { hookMs: 700 });
    expect(endOf(await program.prompt('run "echo wait 100"'))).toMatchObject({ isError: false });
    expect(endOf(await program.prompt('run "echo wait 5000"'))).toMatchObject({ isError: true });
    expect(await program.find(({ type }) => type === 'extension_error')).toMatchObject({
      event: 'tool_call',
      code: 'DEADLINE_EXCEEDED',
      extensionPath: expect.stringContaining('limited.ts'),
    });
  });

  it('hookMs: stands still while a dialog is open', async () => {
    const program = start(level, { hookMs: 300 });
    const done = program.prompt('run "echo ask 1"');
    const { id } = await program.find(({ method }) => method === 'confirm');
    await new Promise((resolve) => setTimeout(resolve, 600));
    program.send({ type: 'extension_ui_response', id, confirmed: true });
    expect(endOf(await done)).toMatchObject({ isError: false });
  });

  it('loadMs: a factory within it loads, one beyond it is given up and named', async () => {
    const within = start(level, { loadMs: 4_000 }, 200);
    await within.request({ type: 'get_commands' });
    expect((await extensionsOf(within))[0]).toMatchObject({ name: 'limited', state: 'ready' });
    await within.end();
    sandbox.remove();
    const beyond = start(level, { loadMs: 200 }, 20_000);
    await beyond.request({ type: 'get_commands' });
    const [limited, free] = await extensionsOf(beyond);
    expect(limited).toMatchObject({ name: 'limited', state: 'failed', reason: expect.stringContaining('200 ms') });
    expect(free).toMatchObject({ name: 'free', state: 'ready' });
  });

  it('heapMb: what fits is held, what does not ends this extension and nobody else', async () => {
    const program = start(level, { heapMb: 96 });
    await program.request({ type: 'prompt', message: '/fill 30' });
    expect(await program.find(({ method }) => method === 'notify')).toMatchObject({ message: 'filled 30' });
    program.send({ type: 'prompt', message: '/fill 400' });
    await program.find(({ type, extensionPath }) => type === 'extension_error' && extensionPath.endsWith('limited.ts'));
    const [limited, free] = await extensionsOf(program);
    expect(limited.restarts).toBe(1);
    expect(free).toMatchObject({ state: 'ready', restarts: 0 });
  });

  it('blockMs: a thread that stands still so long goes on, one that does longer is ended and named', async () => {
    const program = start(level, { blockMs: 2_500 });
    await program.request({ type: 'prompt', message: '/block 300' });
    expect(await program.find(({ method }) => method === 'notify')).toMatchObject({ message: 'unblocked' });
    program.send({ type: 'prompt', message: '/block 30000' });
    await program.find(({ type, extensionPath }) => type === 'extension_error' && extensionPath.endsWith('limited.ts'));
    expect((await extensionsOf(program)).map(({ restarts }) => restarts)).toEqual([1, 0, 0]);
  });
});

describe('blockMs', { timeout: 60_000 }, () => {
  it('lets a thread stand still for a program it started so long, and no longer', async () => {
    const program = start('trusted', { blockMs: 3_000 });
    await program.request({ type: 'prompt', message: '/block-on-child 0.5' });
    expect(await program.find(({ method }) => method === 'notify')).toMatchObject({ message: 'unblocked' });
    program.send({ type: 'prompt', message: '/block-on-child 30' });
    await program.find(({ type, extensionPath }) => type === 'extension_error' && extensionPath.endsWith('limited.ts'));
    // A thread in a system call can't be ended alone: the process goes, and the others are back with a new one.
    await program.request({ type: 'get_commands' });
    await expect
      .poll(async () => (await extensionsOf(program)).map(({ state }) => state), { timeout: 20_000 })
      .toEqual(['ready', 'ready', 'ready']);
    expect((await extensionsOf(program))[0]).toMatchObject({ name: 'limited', restarts: 1 });
  });
});
