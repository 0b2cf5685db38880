import { describe, expect, it } from 'vitest';
import { NO_HOOKS } from '../../../core/agent/hooks.js';
import type { AgentEvent } from '../../../core/protocol/events.js';
import type { AgentMessage } from '../../../core/protocol/messages.js';
import type { Tool } from '../../../core/protocol/tool.js';
import { MODEL, say, scriptedAgent } from '../../support/scripted-agent.js';

const note = (content: string): { customType: string; content: string; display: boolean; details: unknown } => ({
  customType: 'kit',
  content,
  display: true,
  details: { d: 1 },
});
const texts = (messages: readonly AgentMessage[]): string[] =>
  messages.map((message) => {
    const { content } = { content: '', ...message };
    return typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  });
const count = (events: AgentEvent[], type: string): number => events.filter((event) => event.type === type).length;

/** A tool that ends when it is let go. */
function gate(): { tool: Tool; open: () => void; entered: Promise<void> } {
  let open = (): void => undefined;
  let enter = (): void => undefined;
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const tool: Tool = {
    name: 'wait',
    description: 'Waits',
    parameters: { type: 'object' },
    execute: async () => {
      enter();
      await opened;
      return { content: [{ type: 'text', text: 'waited' }] };
    },
  };
  return { tool, open, entered };
}
const callWait = { calls: [{ id: 'w', name: 'wait' }] };

describe('a message of an extension', () => {
  it('is said at once when the agent is idle, and starts nothing', async () => {
    const { agent, events, session, requests, run } = scriptedAgent([{ text: 'ok' }]);
    const said = agent.sendCustomMessage(note('a'));
    expect(session.contextMessages()).toMatchObject([{ role: 'custom', ...note('a') }]);
    await said;
    expect(session.branch()).toMatchObject([{ type: 'custom_message', ...note('a') }]);
    expect(events.map(({ type }) => type)).toEqual(['message_start', 'message_end']);
    expect(agent.isIdle).toBe(true);
    await run('go');
    expect(texts(requests[0]?.context.messages ?? [])).toEqual(['a', 'go']);
  });

  it('starts a run without a message of the user when it wants an answer; the run settles once', async () => {
    const starts: unknown[] = [];
    const { agent, events, session } = scriptedAgent([{ text: 'ok' }], {
      hooks: { ...NO_HOOKS, beforeAgentStart: (start) => void starts.push(start) as undefined },
    });
    const sent = agent.sendCustomMessage(note('wake up'), { triggerTurn: true });
    expect(agent.isIdle).toBe(false);
    await sent;
    expect(agent.isRunning).toBe(true);
    await agent.whenIdle();
    expect(session.contextMessages().map(({ role }) => role)).toEqual(['custom', 'assistant']);
    expect([count(events, 'agent_start'), count(events, 'agent_end'), count(events, 'agent_settled')]).toEqual([1, 1, 1]);
    expect(events.find((event) => event.type === 'agent_end')).toMatchObject({ messages: [{ role: 'custom' }, {}] });
    // Nobody prompted.
    expect(starts).toEqual([]);
  });

  it.each([
    [undefined, ['go', '', 'waited', 'late'], 2],
    ['steer', ['go', '', 'waited', 'late'], 2],
    ['followUp', ['go', '', 'waited', 'first', 'late'], 3],
  ] as const)('during a run is queued as %s', async (deliverAs, last, total) => {
    const { tool, open, entered } = gate();
    const { agent, requests, session, events } = scriptedAgent([callWait, { text: 'first' }, { text: 'second' }], {
      tools: [tool],
    });
    const { begin } = await agent.prompt(say('go'), undefined);
    begin?.();
    await entered;
    await agent.sendCustomMessage(note('late'), { deliverAs, triggerTurn: true });
    expect(session.contextMessages().some(({ role }) => role === 'custom')).toBe(false);
    open();
    await agent.whenIdle();
    expect(requests).toHaveLength(total);
    expect(texts(requests.at(-1)?.context.messages ?? [])).toEqual(last);
    expect([count(events, 'queue_update'), count(events, 'agent_settled')]).toEqual([0, 1]);
  });

  it('for the next turn waits for a prompt, whatever else is said, and comes after it', async () => {
    const { agent, run, requests, events } = scriptedAgent([{ text: 'x' }, { text: 'y' }, { text: 'z' }]);
    await agent.sendCustomMessage(note('kept'), { deliverAs: 'nextTurn', triggerTurn: true });
    expect([events, agent.queues.size]).toEqual([[], 0]);
    await agent.sendCustomMessage(note('wake'), { triggerTurn: true });
    await agent.whenIdle();
    expect(texts(requests[0]?.context.messages ?? [])).toEqual(['wake']);
    await run('now');
    expect(texts(requests[1]?.context.messages ?? [])).toEqual(['wake', 'x', 'now', 'kept']);
    await run('again');
    expect(texts(requests[2]?.context.messages ?? []).filter((text) => text === 'kept')).toHaveLength(1);
  });

  it('sent by whoever hears of the end of a run goes on in another run, before the agent settles', async () => {
    let sent = false;
    const scripted = scriptedAgent([{ text: 'one' }, { text: 'two' }], {
      listen: async (event) => {
        if (event.type !== 'agent_end' || sent) return;
        sent = true;
        await scripted.agent.sendCustomMessage(note('check again'), { triggerTurn: true, deliverAs: 'followUp' });
      },
    });
    await scripted.run('go');
    expect(texts(scripted.requests[1]?.context.messages ?? [])).toEqual(['go', 'one', 'check again']);
    expect([count(scripted.events, 'agent_end'), count(scripted.events, 'agent_settled')]).toEqual([2, 1]);
  });

  it('may wake the agent from within agent_settled: that is another run, which settles by itself', async () => {
    let sent: Promise<void> | undefined;
    const scripted = scriptedAgent([{ text: 'one' }, { text: 'two' }], {
      listen: (event) => {
        if (event.type !== 'agent_settled' || sent) return;
        expect(scripted.agent.isIdle).toBe(true);
        sent = scripted.agent.sendCustomMessage(note('once more'), { triggerTurn: true });
      },
    });
    await scripted.run('go');
    await scripted.agent.whenIdle();
    expect(count(scripted.events, 'agent_settled')).toBe(2);
    expect(scripted.requests).toHaveLength(2);
  });

  it('that can start no run is refused with a code, and is not said', async () => {
    const { agent, events, models } = scriptedAgent([]);
    models.restore(undefined, undefined);
    await expect(agent.sendCustomMessage(note('x'), { triggerTurn: true })).rejects.toMatchObject({ code: 'NO_MODEL' });
    await expect(agent.sendUserMessage('x')).rejects.toMatchObject({ code: 'NO_MODEL' });
    expect(events).toEqual([]);
    expect(agent.isIdle).toBe(true);
  });

  it('is said in the order in which it was sent, also while another one is about to start a run', async () => {
    const { agent, session, events } = scriptedAgent([{ text: 'ok' }, { text: 'ok' }, { text: 'ok' }]);
    await Promise.all([
      agent.sendCustomMessage(note('one'), { triggerTurn: true }),
      agent.sendCustomMessage(note('two')),
      agent.sendCustomMessage(note('three'), { triggerTurn: true }),
    ]);
    await agent.whenIdle();
    expect(texts(session.contextMessages()).filter((text) => text !== 'ok')).toEqual(['one', 'two', 'three']);
    expect(count(events, 'agent_settled')).toBe(1);
  });

  it('may be changed by message_end; a prompt that comes meanwhile is said after it', async () => {
    let answer = (): void => undefined;
    const { agent, session } = scriptedAgent([{ text: 'ok' }], {
      hooks: {
        ...NO_HOOKS,
        messageEnd: (message) =>
          message.role !== 'custom' || message.content !== 'a'
            ? undefined
            : new Promise((resolve) => {
                answer = () => resolve({ ...message, content: 'changed' });
              }),
      },
    });
    const first = agent.sendCustomMessage(note('a'));
    const second = agent.sendCustomMessage(note('b'));
    const { begin } = await agent.prompt(say('go'), undefined);
    begin?.();
    expect(session.contextMessages()).toEqual([]);
    answer();
    await Promise.all([first, second, agent.whenIdle()]);
    expect(texts(session.contextMessages())).toEqual(['changed', 'b', 'go', 'ok']);
  });
});

describe("a user's message that code sends", () => {
  it('starts a run when the agent is idle, and counts as a prompt', async () => {
    const prompts: string[] = [];
    const { agent, session } = scriptedAgent([{ text: 'ok' }], {
      hooks: { ...NO_HOOKS, beforeAgentStart: ({ prompt }) => void prompts.push(prompt) as undefined },
    });
    expect(await agent.sendUserMessage('typed by code')).toEqual({ disposition: 'started' });
    await agent.whenIdle();
    expect(prompts).toEqual(['typed by code']);
    expect(session.contextMessages()).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'typed by code' }] },
      { role: 'assistant' },
    ]);
  });

  it('during a run is queued as it says, and refused when it does not say', async () => {
    const { tool, open, entered } = gate();
    const { agent, events, requests } = scriptedAgent([callWait, { text: 'a' }], { tools: [tool] });
    const { begin } = await agent.prompt(say('go'), undefined);
    begin?.();
    await entered;
    await expect(agent.sendUserMessage('x')).rejects.toMatchObject({ code: 'AGENT_BUSY' });
    expect(await agent.sendUserMessage('late word', { deliverAs: 'steer' })).toEqual({ disposition: 'queued' });
    expect(events.at(-1)).toEqual({ type: 'queue_update', steering: ['late word'], followUp: [] });
    open();
    await agent.whenIdle();
    expect(texts(requests[1]?.context.messages ?? [])).toEqual(['go', '', 'waited', 'late word']);
  });
});

describe('what an extension sees of the agent', () => {
  it('is a signal that fires with the abort of the run, and none when there is no run', async () => {
    const { agent, seen } = scriptedAgent([{ hang: true }]);
    expect(agent.signal).toBeUndefined();
    const { begin } = await agent.prompt(say('go'), undefined);
    begin?.();
    const { signal } = agent;
    await seen(({ type }) => type === 'message_update');
    expect([signal?.aborted, agent.isIdle]).toEqual([false, false]);
    await agent.abort();
    expect([signal?.aborted, agent.signal, agent.isIdle]).toEqual([true, undefined, true]);
  });

  it('is the model and its level as they change, the level first when a model brings another one', () => {
    const seen: unknown[] = [];
    const thinker = { ...MODEL, id: 'thinker', reasoning: true };
    const { models } = scriptedAgent([], {
      onModelChange: (change) =>
        void seen.push(
          change.type === 'model_select'
            ? [change.model.id, change.previousModel?.id, change.source]
            : [change.level, change.previousLevel],
        ),
    });
    models.use(thinker, 'high');
    models.use(thinker);
    models.setLevel('high');
    models.setLevel('low');
    models.use(MODEL, undefined, 'cycle');
    expect(seen).toEqual([
      ['high', 'off'],
      ['thinker', 'scripted', 'set'],
      ['low', 'high'],
      ['off', 'low'],
      ['scripted', 'thinker', 'cycle'],
    ]);
  });
});

describe("a client's shell command", () => {
  const bash = { excludeFromContext: true, onOutput: () => undefined };

  it('is shown to the hook, which may answer for it', async () => {
    const asked: unknown[] = [];
    const result = { output: 'from the extension', exitCode: 3, cancelled: false, truncated: false };
    const { agent, session } = scriptedAgent([], {
      cwd: '/somewhere',
      runShell: () => Promise.reject(new Error('the shell ran')),
      hooks: {
        ...NO_HOOKS,
        userBash: async (command) => {
          asked.push(command);
          return { result };
        },
      },
    });
    expect(await agent.bash('uptime', bash)).toEqual(result);
    expect(asked).toEqual([{ command: 'uptime', excludeFromContext: true, cwd: '/somewhere' }]);
    expect(session.contextMessages()).toMatchObject([{ role: 'bashExecution', command: 'uptime', ...result }]);
  });

  it('runs in the shell the hook gives, or in our own', async () => {
    const done = (output: string) => async () => ({ output, exitCode: 0, cancelled: false, truncated: false });
    const { agent } = scriptedAgent([], {
      runShell: done('local'),
      hooks: { ...NO_HOOKS, userBash: async ({ command }) => (command === 'far' ? { run: done('remote') } : undefined) },
    });
    expect([(await agent.bash('far', bash)).output, (await agent.bash('near', bash)).output]).toEqual(['remote', 'local']);
  });
});
