import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type * as Library from '../../core/sdk.js';
import { startFakeLlm } from '../support/fake-llm/server.js';
import { CLI, createSandbox, fakeProviders, type Sandbox } from '../support/pi-process.js';

/** The library as it is shipped. */
const { createAgentSession, isCoded } = (await import(
  fileURLToPath(new URL('../../dist/index.js', import.meta.url))
)) as typeof Library;

let sandbox: Sandbox;
let session: Library.AgentSession | undefined;

beforeEach(() => {
  sandbox = createSandbox({ files: { 'notes.txt': 'alpha\nbeta\n' } });
});
afterEach(async () => {
  await session?.dispose();
  session = undefined;
  sandbox.remove();
});

const open = async (options: Library.AgentSessionOptions = {}): Promise<Library.AgentSession> => {
  session = await createAgentSession({
    cwd: sandbox.cwd,
    env: sandbox.env,
    provider: 'offline',
    onWarning: () => undefined,
    ...options,
  });
  return session;
};

describe('the library', () => {
  it('runs a prompt with tools and tells every event to those who listen', async () => {
    const agent = await open();
    const types: string[] = [];
    const stop = agent.subscribe((event) => types.push(event.type));
    await agent.prompt('read notes.txt');
    expect(types[0]).toBe('agent_start');
    expect(types.at(-1)).toBe('agent_settled');
    expect(types).toContain('tool_execution_end');
    expect(agent.lastAssistantText).toContain('alpha');
    stop();
    const told = types.length;
    await agent.prompt('read notes.txt');
    expect(types).toHaveLength(told);
  });

  it('keeps a session in a file and goes on with it', async () => {
    const file = `${sandbox.cwd}/talk.jsonl`;
    await (await open({ session: file })).prompt('read notes.txt');
    await session?.dispose();
    const again = await open({ session: file });
    expect(again.file).toBe(file);
    await again.prompt('how many lines does it have?');
    expect(again.messages.filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  it('stops a run', async () => {
    const agent = await open();
    const started = new Promise<void>((resolve) => {
      agent.subscribe((event) => {
        if (event.type === 'tool_execution_start') resolve();
      });
    });
    const run = agent.prompt('run "sleep 1000"');
    await started;
    await agent.abort();
    await run;
    expect(agent.isRunning).toBe(false);
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', stopReason: 'aborted' });
  });

  it('says what is wrong with a code', async () => {
    const nobody = { cwd: sandbox.cwd, env: sandbox.env, onWarning: () => undefined, model: 'no-such-model' };
    await expect(createAgentSession(nobody)).rejects.toSatisfy((error) => isCoded(error, 'USAGE'));
    const agent = await open();
    await expect(agent.setModel('x', 'y')).rejects.toSatisfy((error) => isCoded(error, 'MODEL_NOT_FOUND'));
  });

  it('offers only the tools that were asked for', async () => {
    const agent = await open({ tools: [] });
    await agent.prompt('read notes.txt');
    expect(agent.messages.some(({ role }) => role === 'toolResult')).toBe(false);
  });
});

const ASKS = `export default (pi) => {
  pi.registerCommand('ask', { handler: async (_, { ui }) => ui.notify('said ' + (await ui.confirm('Sure?', ''))) });
  pi.registerCommand('cli', { handler: async (_, { ui }) => ui.notify(process.argv[1]) });
  pi.registerTool({ name: 'theirs', label: 't', description: 'd', parameters: { type: 'object' }, execute: async () => ({ content: [{ type: 'text', text: 'of an extension' }] }) });
};`;

describe('the library and all the rest of the program', { timeout: 60_000 }, () => {
  it('has every command of the protocol, with its results and its codes', async () => {
    const agent = await open();
    await agent.prompt('read notes.txt');
    const { entries } = await agent.commands.getEntries();
    expect(entries.map(({ type }) => type)).toContain('message');
    const { messages } = await agent.commands.getForkMessages();
    const { text, cancelled } = await agent.commands.fork({ entryId: messages[0]?.entryId ?? '' });
    expect([text, cancelled]).toEqual(['read notes.txt', false]);
    expect(agent.messages).toEqual([]);
    await agent.commands.setSessionName({ name: 'mine' });
    expect((await agent.commands.getState()).sessionName).toBe('mine');
    expect((await agent.commands.bash({ command: 'echo out' })).output).toBe('out\n');
    await expect(agent.commands.setModel({ provider: 'nobody', modelId: 'x' })).rejects.toMatchObject({
      code: 'MODEL_NOT_FOUND',
    });
    await expect(agent.commands.fork({} as { entryId: string })).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    // What was given out is nobody's but the caller's.
    const { commands } = await agent.commands.getCommands();
    commands.length = 0;
    expect(Array.isArray((await agent.commands.getCommands()).commands)).toBe(true);
  });

  it('runs tools of its host, and lets it steer and queue', async () => {
    const calls: unknown[] = [];
    await using llm = await startFakeLlm(
      { toolCalls: [{ id: 'a', name: 'lookup', args: { word: 'pi' } }] },
      { text: 'Steered.' },
      { text: 'And more.' },
    );
    fs.writeFileSync(`${sandbox.agentDir}/models.json`, JSON.stringify({ providers: fakeProviders(llm.url) }));
    const agent = await open({
      provider: 'fake',
      model: 'plain',
      customTools: [
        {
          name: 'lookup',
          description: 'Looks a word up',
          parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
          execute: async (args) => {
            calls.push(args);
            await agent.steer('shorter, please');
            await agent.followUp('and then?');
            return { content: [{ type: 'text', text: '3.14' }] };
          },
        },
      ],
    });
    await agent.prompt('What is pi?');
    expect(calls).toEqual([{ word: 'pi' }]);
    const said = agent.messages.filter(({ role }) => role === 'user').map((message) => JSON.stringify(message));
    expect(said).toEqual([
      expect.stringContaining('What is pi?'),
      expect.stringContaining('shorter, please'),
      expect.stringContaining('and then?'),
    ]);
  });

  it('loads extensions, answers their dialogs, and passes on what they show', async () => {
    fs.writeFileSync(`${sandbox.cwd}/asks.mjs`, ASKS);
    const notices: Library.Notice[] = [];
    const agent = await open({
      extensions: ['asks.mjs'],
      dialogs: { confirm: ({ title }) => title === 'Sure?' },
      onNotice: (notice) => notices.push(notice),
    });
    await agent.prompt('/ask');
    await agent.prompt('/cli');
    // What an extension starts as `pi` is the program, not its host.
    expect(notices).toMatchObject([{ method: 'notify', message: 'said true' }, { message: CLI }]);
    const { extensions } = await agent.commands.getExtensions();
    expect(extensions).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'asks', state: 'ready', tools: ['theirs'] })]),
    );
  });

  it('loads none when it is told so, and asks nobody where nobody answers', async () => {
    fs.mkdirSync(`${sandbox.agentDir}/extensions`);
    fs.writeFileSync(`${sandbox.agentDir}/extensions/asks.mjs`, ASKS);
    const without = await open({ extensions: false });
    expect((await without.commands.getCommands()).commands).toEqual([]);
    await without.dispose();
    const warnings: string[] = [];
    const agent = await open({ onWarning: (text) => warnings.push(text) });
    await agent.prompt('/ask');
    expect(warnings.join()).toMatch(/asked with ctx\.ui\.confirm/);
  });
});
