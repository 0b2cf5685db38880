import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type * as Client from '../../../core/client/index.js';
import { COMMAND_NAMES } from '../../../core/protocol/generated/names.gen.js';
import { type FakeLlm, startFakeLlm } from '../../support/fake-llm/server.js';
import { CLI, createSandbox, fakeProviders, type Sandbox } from '../../support/pi-process.js';
import { isAlive } from '../extension-host/support.js';

/** The client as it is shipped. */
const { RpcClient } = (await import(fileURLToPath(new URL('../../../dist/client.js', import.meta.url)))) as typeof Client;

const ASKS = `export default (pi: any) => {
  pi.registerCommand('ask', { handler: async (_: string, { ui }: any) => {
    const answers = [await ui.select('Which?', ['a', 'b']), await ui.confirm('Sure?', 'really'), await ui.input('Name?'), await ui.editor('Text?', 'begin')];
    ui.notify(JSON.stringify(answers.map((answer) => answer ?? null)), 'warning');
  } });
  pi.registerCommand('brief', { handler: async (_: string, { ui }: any) => ui.notify('brief ' + (await ui.input('Quick?', '', { timeout: 50 }))) });
};`;

let llm: FakeLlm;
let sandbox: Sandbox;
let client: Client.RpcClient | undefined;

beforeEach(async () => {
  llm = await startFakeLlm();
  sandbox = createSandbox({ providers: fakeProviders(llm.url), files: { 'asks.ts': ASKS, 'notes.txt': 'alpha\n' } });
});
afterEach(async () => {
  await client?.stop();
  client = undefined;
  sandbox.remove();
  await llm[Symbol.asyncDispose]();
});

async function start(options: Client.RpcClientOptions = {}): Promise<Client.RpcClient> {
  const { args = [], ...rest } = options;
  client = await RpcClient.start({
    command: [process.execPath, CLI],
    args: ['--provider', 'fake', '--model', 'plain', ...args],
    cwd: sandbox.cwd,
    env: sandbox.env,
    ...rest,
  });
  return client;
}

describe('the client', { timeout: 60_000 }, () => {
  it('has a method for each command of the protocol', async () => {
    const { commands } = await start();
    const named = COMMAND_NAMES.map((name) => name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()));
    expect(Object.keys(commands).sort()).toEqual([...named].sort());
  });

  it('asks, hears every event in order, and gets the answer', async () => {
    const pi = await start({ args: ['--no-session'] });
    llm.push({ toolCalls: [{ id: 'a', name: 'read', args: { path: 'notes.txt' } }] }, { text: 'It says alpha.' });
    const { events, text } = await pi.promptAndWait('What does it say?');
    expect(text).toBe('It says alpha.');
    expect(events[0]?.type).toBe('agent_start');
    expect(events.at(-1)?.type).toBe('agent_settled');
    const { model, isStreaming } = await pi.commands.getState();
    expect([model?.id, isStreaming]).toEqual(['plain', false]);
  });

  it('rejects with the error of the program, and its code', async () => {
    const pi = await start({ args: ['--no-session'] });
    await expect(pi.commands.setModel({ provider: 'nobody', modelId: 'x' })).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });
    await expect(pi.commands.setThinkingLevel({ level: 'enormous' as 'low' })).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  });

  it('answers dialogs by callbacks, passes notices on, and tells a handler when nobody waits any more', async () => {
    const notices: Client.Notice[] = [];
    let withdrawn: AbortSignal | undefined;
    const problems: unknown[] = [];
    const pi = await start({
      args: ['--no-session', '-e', 'asks.ts'],
      onNotice: (notice) => notices.push(notice),
      onProblem: (problem) => problems.push(problem),
      dialogs: {
        select: ({ options }) => options[1],
        confirm: async () => true,
        input: (request, signal) => {
          if (request.title !== 'Quick?') throw new Error('no idea');
          withdrawn = signal;
          return new Promise(() => undefined);
        },
        editor: ({ prefill }) => `${prefill} and end`,
      },
    });
    await pi.commands.prompt({ message: '/ask' });
    expect(notices).toMatchObject([{ method: 'notify', message: '["b",true,null,"begin and end"]', notifyType: 'warning' }]);
    expect(problems).toMatchObject([{ message: 'no idea' }]);
    await pi.commands.prompt({ message: '/brief' });
    expect(notices.at(-1)).toMatchObject({ message: 'brief undefined' });
    expect(withdrawn?.aborted).toBe(true);
  });

  it('stops waiting when it is told to, and when it takes too long', async () => {
    const pi = await start({ args: ['--no-session'] });
    const controller = new AbortController();
    const sleeping = pi.commands.bash({ command: 'sleep 60' }, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    await expect(pi.commands.bash({ command: 'sleep 60' }, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'CLIENT_TIMEOUT' });
    await pi.commands.abortBash();
  });

  it('takes a record of many megabytes', async () => {
    const pi = await start({ args: ['--no-session'] });
    fs.writeFileSync(path.join(sandbox.cwd, 'big.json'), `{"text":"${'ü\u2028'.repeat(500_000)}"}`);
    llm.push({ text: 'ü\u2028'.repeat(500_000), chunks: 3 });
    const { text } = await pi.promptAndWait('much');
    expect(text).toHaveLength(1_000_000);
  });
});

describe('a program that dies', { timeout: 60_000 }, () => {
  it('is told to everybody who waits, and goes on with the same session: nothing is lost or told twice', async () => {
    const exits: string[] = [];
    const pi = await start({ onExit: ({ code }) => exits.push(code) });
    llm.push({ text: 'One.' }, { text: 'Two', hang: true });
    await pi.promptAndWait('first');
    const before = await pi.commands.getEntries();
    const running = pi.promptAndWait('second');
    await pi.next('message_update');
    process.kill(pi.pid ?? 0, 'SIGKILL');
    await expect(running).rejects.toMatchObject({ code: 'CLIENT_PROGRAM_EXITED', data: { signal: 'SIGKILL' } });
    expect(exits).toEqual(['CLIENT_PROGRAM_EXITED']);
    await expect(pi.commands.getState()).rejects.toMatchObject({ code: 'CLIENT_PROGRAM_EXITED' });
    const { entries } = await pi.resume();
    expect(entries.map(({ message }) => (message as { role?: string })?.role)).toEqual(['user']);
    const after = await pi.commands.getEntries();
    expect(after.entries.map(({ id }) => id)).toEqual([...before.entries, ...entries].map(({ id }) => id));
    llm.push({ text: 'Three.' });
    expect((await pi.promptAndWait('third')).text).toBe('Three.');
    expect((await pi.resume()).entries).toEqual([]);
  });

  it('before it has answered is an error that says why', async () => {
    await expect(start({ args: ['--no-such-option'] })).rejects.toMatchObject({
      code: 'CLIENT_PROGRAM_EXITED',
      message: expect.stringContaining('--no-such-option'),
      data: { code: 2 },
    });
    await expect(RpcClient.start({ command: ['/no/such/program'] })).rejects.toMatchObject({ code: 'CLIENT_START_FAILED' });
  });

  it('is ended with the client, by force if need be', async () => {
    const pi = await start({ args: ['--no-session'] });
    const { pid = 0 } = pi;
    const waiting = pi.next('agent_start');
    process.kill(pid, 'SIGSTOP');
    const stopped = pi.stop();
    await expect(waiting).rejects.toMatchObject({ code: 'CLIENT_STOPPED' });
    expect(await stopped).toEqual({ code: null, signal: 'SIGKILL' });
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

it('a host that uses the client alone loads nothing of the agent', () => {
  const meta = fs.readFileSync(fileURLToPath(new URL('../../../dist/client.js', import.meta.url)), 'utf8');
  const chunks = [...meta.matchAll(/from"\.\/(chunks\/[\w.-]+)"/g)].map(([, name = '']) =>
    fs.readFileSync(fileURLToPath(new URL(`../../../dist/${name}`, import.meta.url)), 'utf8'),
  );
  expect([meta, ...chunks].reduce((sum, text) => sum + text.length, 0)).toBeLessThan(40_000);
});
