import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../core/protocol/events.js';
import type { Tool } from '../../../core/protocol/tool.js';
import { say, scriptedAgent } from '../../support/scripted-agent.js';

const types = (events: AgentEvent[]): string[] => events.map((event) => event.type);
const count = (events: AgentEvent[], type: string): number => events.filter((event) => event.type === type).length;
const roles = (messages: readonly { role: string }[]): string[] => messages.map(({ role }) => role);

const noParameters = { type: 'object', properties: {} };
const echo: Tool = {
  name: 'echo',
  description: 'Says what it is told',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: async ({ text }) => ({ content: [{ type: 'text', text: String(text) }] }),
};
/** A tool that waits for its abort and then ends. */
const waits: Tool = {
  name: 'waits',
  description: 'Waits',
  parameters: noParameters,
  execute: (_args, { signal }) =>
    new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve({ content: [{ type: 'text', text: 'stopped' }], isError: true })),
    ),
};

describe('a run', () => {
  it('sends its events in the order of the protocol', async () => {
    const { run, events } = scriptedAgent([{ calls: [{ id: 'c', name: 'echo', args: { text: 'hi' } }] }, { text: 'done' }], {
      tools: [echo],
    });
    await run('go');
    expect(types(events)).toEqual([
      'agent_start',
      'turn_start',
      'message_start',
      'message_end',
      'message_start',
      'message_end',
      'tool_execution_start',
      'tool_execution_end',
      'message_start',
      'message_end',
      'turn_end',
      'turn_start',
      'message_start',
      'message_end',
      'turn_end',
      'agent_end',
      'agent_settled',
    ]);
  });

  it('starts all calls in their order, lets them run side by side, and gives results in the order of the calls', async () => {
    let releaseSlow = (): void => undefined;
    const slow: Tool = {
      ...echo,
      name: 'slow',
      execute: async () => {
        await new Promise<void>((resolve) => {
          releaseSlow = resolve;
        });
        return { content: [{ type: 'text', text: 'slow' }] };
      },
    };
    const quick: Tool = {
      ...echo,
      name: 'quick',
      execute: async () => {
        queueMicrotask(() => releaseSlow());
        return { content: [{ type: 'text', text: 'quick' }] };
      },
    };
    const args = { text: '' };
    const { run, events, session } = scriptedAgent(
      [
        {
          calls: [
            { id: 'a', name: 'slow', args },
            { id: 'b', name: 'quick', args },
          ],
        },
        { text: 'done' },
      ],
      { tools: [slow, quick] },
    );
    await run('go');
    const ids = (type: string): unknown[] =>
      events.flatMap((event) => (event.type === type && 'toolCallId' in event ? [event.toolCallId] : []));
    expect(ids('tool_execution_start')).toEqual(['a', 'b']);
    expect(ids('tool_execution_end')).toEqual(['b', 'a']);
    const turn = events.find((event) => event.type === 'turn_end');
    expect(turn?.toolResults.map((result) => result.toolCallId)).toEqual(['a', 'b']);
    // G28 asks for results on disk as they come.
    const stored = session.contextMessages().flatMap((message) => (message.role === 'toolResult' ? [message.toolCallId] : []));
    expect(stored).toEqual(['b', 'a']);
  });

  it('runs a batch one by one when a tool of it is sequential', async () => {
    let running = 0;
    let most = 0;
    const alone: Tool = {
      ...echo,
      executionMode: 'sequential',
      execute: async () => {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
        return { content: [] };
      },
    };
    const { run } = scriptedAgent(
      [{ calls: ['a', 'b', 'c'].map((id) => ({ id, name: 'echo', args: { text: '' } })) }, { text: 'done' }],
      { tools: [alone] },
    );
    await run('go');
    expect(most).toBe(1);
  });

  it.each([
    ['an unknown tool', { id: 'c', name: 'nothing' }, /Tool nothing not found/],
    ['arguments its schema refuses', { id: 'c', name: 'echo', args: {} }, /text/],
  ])('answers %s with an error result and goes on', async (_what, call, error) => {
    const { run, events, requests } = scriptedAgent([{ calls: [call] }, { text: 'ok' }], { tools: [echo] });
    await run('go');
    const end = events.find((event) => event.type === 'tool_execution_end');
    expect(end).toMatchObject({ isError: true, result: { content: [{ text: expect.stringMatching(error) }] } });
    expect(requests).toHaveLength(2);
  });

  it('ends after a batch in which every call asks for it', async () => {
    const last: Tool = { ...echo, execute: async () => ({ content: [], terminate: true }) };
    const { run, requests } = scriptedAgent([{ calls: [{ id: 'c', name: 'echo', args: { text: '' } }] }], { tools: [last] });
    await run('go');
    expect(requests).toHaveLength(1);
  });

  it('does not run the calls of an answer that was cut', async () => {
    let ran = false;
    const spy: Tool = {
      ...echo,
      execute: async () => {
        ran = true;
        return { content: [] };
      },
    };
    const { run, events } = scriptedAgent(
      [{ calls: [{ id: 'c', name: 'echo', args: { text: '' } }], stopReason: 'length' }, { text: 'ok' }],
      { tools: [spy] },
    );
    await run('go');
    expect(ran).toBe(false);
    expect(events.find((event) => event.type === 'tool_execution_end')).toMatchObject({ isError: true });
  });
});

describe('settling', () => {
  const failingWrite = (after: number): Parameters<typeof scriptedAgent>[1] => {
    const { session } = scriptedAgent([]);
    let left = after;
    return {
      session: () => ({
        id: session.id,
        get leafId() {
          return session.leafId;
        },
        claim: () => session.claim(),
        branch: () => session.branch(),
        parentOf: (id) => session.parentOf(id),
        setLeaf: (id) => session.setLeaf(id),
        contextMessages: () => session.contextMessages(),
        contextTokens: () => session.contextTokens(),
        estimateContext: () => session.estimateContext(),
        planCompaction: (tokens) => session.planCompaction(tokens),
        append(entry) {
          if (left === 0) throw new Error('disk full');
          left -= 1;
          return session.append(entry);
        },
      }),
    };
  };

  it.each([
    ['a refused request', [{ failure: { kind: 'fatal' } as const, error: '400 no' }], {}],
    ['a stream that throws', [{ throws: new Error('boom') }], {}],
    ['a stream that throws no error', [{ throws: null }], {}],
    ['a user message that can not be stored', [{ text: 'x' }], failingWrite(0)],
    ['an answer that can not be stored', [{ text: 'x' }], failingWrite(1)],
    [
      'a tool result that can not be stored',
      [{ calls: [{ id: 'c', name: 'echo', args: { text: '' } }] }],
      { ...failingWrite(2), tools: [echo] },
    ],
  ])('G5: exactly one agent_settled, as the last event, after %s', async (_what, script, overrides) => {
    const { run, events, agent } = scriptedAgent(script, overrides);
    await run('go');
    expect(count(events, 'agent_settled')).toBe(1);
    expect(events.at(-1)?.type).toBe('agent_settled');
    expect(count(events, 'agent_start')).toBe(count(events, 'agent_end'));
    expect(count(events, 'turn_start')).toBe(count(events, 'turn_end'));
    expect(agent.isRunning).toBe(false);
  });

  it('G5: says nothing before the acceptance was answered', async () => {
    const { agent, events } = scriptedAgent([{ text: 'x' }]);
    const { begin } = await agent.prompt(say('go'), undefined);
    await Promise.resolve();
    expect(events).toEqual([]);
    expect(agent.isRunning).toBe(true);
    begin?.();
    await agent.whenIdle();
    expect(count(events, 'agent_settled')).toBe(1);
  });

  it('refuses a second prompt while one is accepted or running, unless it may be queued', async () => {
    const { agent, requests } = scriptedAgent([{ text: 'x' }, { text: 'y' }]);
    const { begin } = await agent.prompt(say('one'), undefined);
    await expect(agent.prompt(say('two'), undefined)).rejects.toMatchObject({ code: 'AGENT_BUSY' });
    expect(await agent.prompt(say('three'), 'followUp')).toEqual({ disposition: 'queued' });
    begin?.();
    await agent.whenIdle();
    expect(requests).toHaveLength(2);
  });
});

describe('retry', () => {
  const overloaded = { failure: { kind: 'transient' } as const, error: '529 overloaded' };

  it('asks again without the failed answer, and says how it went', async () => {
    const { run, events, requests, session } = scriptedAgent([overloaded, overloaded, { text: 'ok' }]);
    await run('go');
    expect(requests.map(({ context }) => context.messages.length)).toEqual([1, 1, 1]);
    expect(roles(session.contextMessages())).toEqual(['user', 'assistant']);
    const told = events.filter((event) => event.type.startsWith('auto_retry') || event.type === 'agent_end');
    expect(told).toMatchObject([
      { type: 'agent_end', willRetry: true },
      { type: 'auto_retry_start', attempt: 1, maxAttempts: 2, delayMs: 1, errorMessage: '529 overloaded' },
      { type: 'agent_end', willRetry: true },
      { type: 'auto_retry_start', attempt: 2, delayMs: 2 },
      { type: 'auto_retry_end', success: true, attempt: 2 },
      { type: 'agent_end', willRetry: false },
    ]);
  });

  it('leaves in the branch what somebody added after the failed answer', async () => {
    const scripted = scriptedAgent([overloaded, { text: 'ok' }], {
      listen: (event) => {
        if (event.type === 'agent_end' && event.willRetry)
          scripted.session.append({ type: 'custom', customType: 'state', data: 1 });
      },
    });
    await scripted.run('go');
    expect(scripted.session.branch().map(({ type }) => type)).toEqual(['message', 'message', 'custom', 'message']);
    expect(scripted.requests.map(({ context }) => roles(context.messages))).toEqual([['user'], ['user']]);
  });

  it('gives up after the last attempt, and the last failed answer stays', async () => {
    const { run, events, session } = scriptedAgent([overloaded, overloaded, overloaded]);
    await run('go');
    expect(events.find((event) => event.type === 'auto_retry_end')).toMatchObject({
      success: false,
      attempt: 2,
      finalError: '529 overloaded',
    });
    expect(roles(session.contextMessages())).toEqual(['user', 'assistant']);
  });

  it('G30: a message queued during the wait is delivered once, with the retried request', async () => {
    const slow = { enabled: true, maxRetries: 2, baseDelayMs: 20, maxDelayMs: 60_000 };
    const { agent, events, requests, seen } = scriptedAgent([overloaded, { text: 'ok' }], {
      settings: {
        steeringMode: 'all',
        followUpMode: 'all',
        retry: slow,
        thinkingBudgets: {},
        streamIdleTimeoutMs: 1000,
        compaction: { reserveTokens: 1000, keepRecentTokens: 500 },
      },
    });
    const { begin } = await agent.prompt(say('go'), undefined);
    begin?.();
    await seen((event) => event.type === 'auto_retry_start');
    agent.queue('steering', say('also'));
    await agent.whenIdle();
    expect(requests.at(-1)?.context.messages).toMatchObject([{ role: 'user' }, { role: 'user', content: [{ text: 'also' }] }]);
    expect(events.filter((event) => event.type === 'message_end' && event.message.role === 'user')).toHaveLength(2);
  });
});

describe('abort', () => {
  it('G31: reaches the stream; what had arrived is kept', async () => {
    const { agent, events, seen, session } = scriptedAgent([{ hang: true }]);
    const { begin } = await agent.prompt(say('go'), undefined);
    begin?.();
    await seen((event) => event.type === 'message_update');
    await agent.abort();
    expect(events.at(-1)).toEqual({ type: 'agent_settled', aborted: true });
    expect(session.contextMessages().at(-1)).toMatchObject({ stopReason: 'aborted', content: [{ text: 'partial' }] });
  });

  it('G31: reaches tools, asks no model again, and every call has its result', async () => {
    const { agent, events, seen, requests, session } = scriptedAgent(
      [
        {
          calls: [
            { id: 'a', name: 'waits' },
            { id: 'b', name: 'waits' },
          ],
        },
        { text: 'no' },
      ],
      { tools: [waits] },
    );
    const { begin } = await agent.prompt(say('go'), undefined);
    begin?.();
    await seen((event) => event.type === 'tool_execution_start' && event.toolCallId === 'b');
    await agent.abort();
    expect(requests).toHaveLength(1);
    expect(roles(session.contextMessages())).toEqual(['user', 'assistant', 'toolResult', 'toolResult', 'assistant']);
    expect(events.find((event) => event.type === 'agent_end')?.messages.at(-1)).toMatchObject({ stopReason: 'aborted' });
  });

  it('G31: ends the wait for a retry at once', async () => {
    const { agent, events, seen } = scriptedAgent([{ failure: { kind: 'transient', retryAfterMs: 50_000 }, error: '429 wait' }]);
    const { begin } = await agent.prompt(say('go'), undefined);
    begin?.();
    await seen((event) => event.type === 'auto_retry_start');
    await agent.abort();
    expect(types(events).slice(-2)).toEqual(['auto_retry_end', 'agent_settled']);
    expect(events.at(-2)).toMatchObject({ success: false, finalError: 'Retry cancelled' });
  });

  it('G31: an abort between acceptance and begin stops the run before any request', async () => {
    const { agent, requests, events } = scriptedAgent([{ text: 'no' }]);
    const { begin } = await agent.prompt(say('go'), undefined);
    const quiet = agent.abort();
    begin?.();
    await quiet;
    expect(requests).toHaveLength(0);
    expect(events.at(-1)).toEqual({ type: 'agent_settled', aborted: true });
  });

  it('G30: what was queued is said once, in order, in a run of its own after the abort', async () => {
    const { agent, events, seen, requests } = scriptedAgent([{ hang: true }, { text: 'a' }, { text: 'b' }]);
    const { begin } = await agent.prompt(say('go'), undefined);
    begin?.();
    await seen((event) => event.type === 'message_update');
    agent.queue('followUp', say('later'));
    agent.queue('steering', say('now'));
    await agent.abort();
    const said = events.flatMap((event) =>
      event.type === 'message_end' && event.message.role === 'user' ? [event.message.content] : [],
    );
    expect(said).toMatchObject([[{ text: 'go' }], [{ text: 'now' }], [{ text: 'later' }]]);
    expect(requests).toHaveLength(3);
    expect(count(events, 'agent_settled')).toBe(1);
    expect(agent.queues.size).toBe(0);
  });

  it('twice, or with nothing running, does no harm', async () => {
    const { agent, seen, events } = scriptedAgent([{ hang: true }]);
    await agent.abort();
    const { begin } = await agent.prompt(say('go'), undefined);
    begin?.();
    await seen((event) => event.type === 'message_update');
    await Promise.all([agent.abort(), agent.abort()]);
    expect(count(events, 'agent_settled')).toBe(1);
  });
});

describe('a budget', () => {
  it('G33: stops before the turn that would go over the limit, with a clear error, and every call has its result', async () => {
    const script = Array.from({ length: 5 }, (_, index) => ({ calls: [{ id: `c${index}`, name: 'echo', args: { text: 'x' } }] }));
    const { run, requests, events, session } = scriptedAgent(script, { tools: [echo], budget: { maxTurns: 2 } });
    await run('go');
    expect(requests).toHaveLength(2);
    expect(roles(session.contextMessages())).toEqual(['user', 'assistant', 'toolResult', 'assistant', 'toolResult', 'assistant']);
    expect(session.contextMessages().at(-1)).toMatchObject({
      stopReason: 'error',
      errorMessage: expect.stringContaining('--max-turns'),
    });
    expect(count(events, 'agent_settled')).toBe(1);
  });

  it('G33: counts what tools report to have spent', async () => {
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 };
    const spender: Tool = {
      ...echo,
      execute: async () => ({ content: [], usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost } }),
    };
    const { run, requests } = scriptedAgent([{ calls: [{ id: 'a', name: 'echo', args: { text: 'x' } }] }, { text: 'never' }], {
      tools: [spender],
      budget: { maxCost: 0.5 },
    });
    await run('go');
    expect(requests).toHaveLength(1);
  });
});
