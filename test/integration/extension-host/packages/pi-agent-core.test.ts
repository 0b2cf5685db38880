import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentEvent, AgentTool } from '../../../../core/extension-host/packages/pi-agent-core/types.js';
import {
  Agent,
  agentLoop,
  agentLoopContinue,
  setDefaultStreamFn,
} from '../../../../core/extension-host/packages/pi-agent-core.js';
import { contentText, streamSimple, Type } from '../../../../core/extension-host/packages/pi-ai.js';
import { fakeModel, KEY, user } from '../../../support/fake-llm/ask.js';
import { type FakeLlm, startFakeLlm } from '../../../support/fake-llm/server.js';

let llm: FakeLlm;
beforeEach(async () => {
  llm = await startFakeLlm();
});
afterEach(async () => {
  await llm[Symbol.asyncDispose]();
});

const add: AgentTool = {
  name: 'add',
  description: 'adds',
  parameters: Type.Object({ a: Type.Number(), b: Type.Number() }),
  execute: (_id, { a, b }, _signal, onUpdate) => {
    onUpdate({ content: [{ type: 'text', text: 'adding' }] });
    return { content: [{ type: 'text', text: String(Number(a) + Number(b)) }], details: { a, b } };
  },
};
const newAgent = (options: ConstructorParameters<typeof Agent>[0] = {}): Agent =>
  new Agent({
    initialState: { systemPrompt: 'Be brief.', model: fakeModel('openai-completions', llm.url), tools: [add] },
    getApiKey: () => KEY,
    ...options,
  });
const texts = (agent: Agent): string[] =>
  agent.state.messages.map((message) => `${message.role}: ${'content' in message ? contentText(message.content) : ''}`);

describe('an agent', () => {
  test('says a prompt, runs the tools the model asks for, and tells every step in order', async () => {
    llm.push({ toolCalls: [{ id: 'c1', name: 'add', args: { a: '1', b: 2 } }] }, { text: 'It is 3' });
    const agent = newAgent();
    const seen: string[] = [];
    agent.subscribe(({ type }) => {
      if (type !== 'message_update') seen.push(type);
    });
    await agent.prompt('What is 1 + 2?');
    expect(seen).toEqual(
      [
        'agent_start turn_start message_start message_end message_start message_end',
        'tool_execution_start tool_execution_update tool_execution_end message_start message_end turn_end',
        'turn_start message_start message_end turn_end agent_end',
      ]
        .join(' ')
        .split(' '),
    );
    expect(texts(agent)).toEqual(['user: What is 1 + 2?', 'assistant: ', 'toolResult: 3', 'assistant: It is 3']);
    expect(agent.state).toMatchObject({ isStreaming: false, streamingMessage: undefined, errorMessage: undefined });
    expect(llm.requests[0]?.raw).toContain('Be brief.');
  });

  test('listeners are awaited, and the end of the run waits for those of its last event', async () => {
    llm.push({ text: 'done' });
    const agent = newAgent();
    const order: string[] = [];
    const unsubscribe = agent.subscribe(async ({ type }, signal) => {
      if (type !== 'agent_end') return;
      expect(signal).toBe(agent.signal);
      expect(agent.state.isStreaming).toBe(true);
      await new Promise((resolve) => setImmediate(resolve));
      order.push('listener');
    });
    const idle = agent.prompt('x').then(() => order.push('prompt'));
    await agent.waitForIdle();
    await idle;
    expect(order).toEqual(['listener', 'prompt']);
    unsubscribe();
    llm.push({ text: 'again' });
    await agent.prompt('y');
    expect(order).toEqual(['listener', 'prompt']);
  });

  test('hooks see validated arguments, may block a call, change a result and stop the run', async () => {
    llm.push({
      toolCalls: [
        { id: 'c1', name: 'add', args: { a: 1, b: 2 } },
        { id: 'c2', name: 'add', args: { a: 5, b: 5 } },
        { id: 'c3', name: 'add', args: { a: 'x' } },
      ],
    });
    const agent = newAgent({
      beforeToolCall: ({ args }) => (args.a === 5 ? { block: true, reason: 'no fives' } : undefined),
      afterToolCall: ({ result }) => ({ details: { ...(result.details as object), audited: true } }),
      shouldStopAfterTurn: ({ toolResults }) => toolResults.length === 3,
    });
    await agent.prompt('go');
    const results = agent.state.messages.filter((message) => message.role === 'toolResult');
    expect(results).toMatchObject([
      { toolCallId: 'c1', isError: false, details: { a: 1, b: 2, audited: true } },
      { toolCallId: 'c2', isError: true, content: [{ text: 'no fives' }] },
      { toolCallId: 'c3', isError: true, content: [{ text: expect.stringContaining('Validation failed for tool "add"') }] },
    ]);
    expect(llm.requests).toHaveLength(1);
  });

  test('a batch of calls ends the run when every result asks for it', async () => {
    llm.push({ toolCalls: [{ id: 'c1', name: 'stop', args: {} }] });
    const stop: AgentTool = {
      name: 'stop',
      description: 'stops',
      parameters: Type.Object({}),
      execute: () => ({ content: [], terminate: true }),
    };
    const agent = newAgent();
    agent.state.tools = [stop];
    await agent.prompt('go');
    expect(llm.requests).toHaveLength(1);
  });

  test('one tool that wants to be alone makes the whole batch go one by one; else calls run side by side', async () => {
    const calls = [
      { id: 'c1', name: 'wait', args: {} },
      { id: 'c2', name: 'wait', args: {} },
    ];
    for (const executionMode of ['parallel', 'sequential'] as const) {
      let most = 0;
      let running = 0;
      const wait: AgentTool = {
        name: 'wait',
        description: 'waits',
        parameters: Type.Object({}),
        executionMode,
        execute: async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
          running -= 1;
          return { content: [] };
        },
      };
      llm.push({ toolCalls: calls }, { text: 'ok' });
      const agent = newAgent();
      agent.state.tools = [wait];
      await agent.prompt('go');
      expect(most).toBe(executionMode === 'parallel' ? 2 : 1);
    }
  });

  test('steering is said before the next answer, a follow-up when the agent would stop', async () => {
    llm.push({ toolCalls: [{ id: 'c1', name: 'add', args: { a: 1, b: 1 } }] }, { text: 'two' }, { text: 'bye' });
    const agent = newAgent();
    agent.subscribe(({ type }) => {
      if (type !== 'tool_execution_start') return;
      agent.followUp(user('later'));
      agent.steer(user('now'));
      expect(agent.hasQueuedMessages()).toBe(true);
    });
    await agent.prompt('go');
    expect(texts(agent)).toEqual([
      'user: go',
      'assistant: ',
      'toolResult: 2',
      'user: now',
      'assistant: two',
      'user: later',
      'assistant: bye',
    ]);
  });

  test('abort ends the answer and the run, and the agent can be asked again', async () => {
    llm.push({ text: 'so far', hang: true }, { text: 'fine' });
    const agent = newAgent();
    agent.subscribe((event) => {
      if (event.type === 'message_update') agent.abort();
    });
    await agent.prompt('go');
    expect(agent.state.messages.at(-1)).toMatchObject({ role: 'assistant', stopReason: 'aborted' });
    expect(agent.state.errorMessage).toBeDefined();
    await agent.prompt('again');
    expect(texts(agent).at(-1)).toBe('assistant: fine');
    expect(agent.state.errorMessage).toBeUndefined();
  });

  test('a second prompt while one is on is refused; continue() needs something to answer', async () => {
    llm.push({ text: 'one' });
    const agent = newAgent();
    await expect(agent.continue()).rejects.toThrow('there are no messages');
    const first = agent.prompt('x');
    await expect(agent.prompt('y')).rejects.toThrow('still at work');
    await first;
    await expect(agent.continue()).rejects.toThrow('the answer of a model');
    agent.reset();
    agent.state.messages = [user('asked before')];
    llm.push({ text: 'answered' });
    await agent.continue();
    expect(texts(agent)).toEqual(['user: asked before', 'assistant: answered']);
  });

  test('what a hook throws ends the run with an answer that says so', async () => {
    const agent = newAgent({
      transformContext: () => {
        throw new Error('no context');
      },
    });
    const types: string[] = [];
    agent.subscribe(({ type }) => {
      types.push(type);
    });
    await agent.prompt('x');
    expect(agent.state).toMatchObject({ errorMessage: 'no context', isStreaming: false });
    expect(types.at(-1)).toBe('agent_end');
  });

  test('messages of an extension are kept but not sent, unless it turns them into others', async () => {
    llm.push({ text: 'ok' }, { text: 'ok' });
    const note = { role: 'note', text: 'SECRET NOTE', timestamp: 1 };
    const agent = newAgent();
    agent.state.messages = [note];
    await agent.prompt('x');
    agent.convertToLlm = (messages) =>
      messages.flatMap((message) => (message.role === 'note' ? [user('TURNED NOTE')] : (message as ReturnType<typeof user>)));
    await agent.prompt('y');
    expect(llm.requests[0]?.raw).not.toContain('NOTE');
    expect(llm.requests[1]?.raw).toContain('TURNED NOTE');
    expect(agent.state.messages[0]).toBe(note);
  });
});

describe('the loop without an agent', () => {
  const context = () => ({ systemPrompt: '', messages: [], tools: [add] });

  test('streams its events and resolves to what was said, leaving the context as it was', async () => {
    llm.push({ toolCalls: [{ id: 'c1', name: 'add', args: { a: 1, b: 2 } }] }, { text: '3' });
    const given = context();
    const loop = agentLoop([user('x')], given, { model: fakeModel('openai-completions', llm.url), apiKey: KEY });
    const events: AgentEvent[] = [];
    for await (const event of loop) events.push(event);
    expect(events.at(-1)?.type).toBe('agent_end');
    expect((await loop.result()).map(({ role }) => role)).toEqual(['user', 'assistant', 'toolResult', 'assistant']);
    expect(given.messages).toEqual([]);
  });

  test('a failure of the stream function is an answer too', async () => {
    setDefaultStreamFn(() => {
      throw new Error('no stream');
    });
    const loop = agentLoop([user('x')], context(), { model: fakeModel('openai-completions', llm.url) });
    expect(await loop.result()).toMatchObject([{ role: 'assistant', errorMessage: 'no stream' }]);
    setDefaultStreamFn(streamSimple);
    expect(() => agentLoopContinue(context(), { model: fakeModel('openai-completions', llm.url) })).toThrow('Cannot continue');
  });
});
