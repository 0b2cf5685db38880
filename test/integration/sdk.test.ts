import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type * as Library from '../../core/sdk.js';
import { createSandbox, type Sandbox } from '../support/pi-process.js';

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
