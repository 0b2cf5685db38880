import { describe, expect, it } from 'vitest';
import { type AgentHooks, NO_HOOKS, type ToolResultQuestion } from '../../../core/agent/hooks.js';
import type { AgentEvent } from '../../../core/protocol/events.js';
import type { Tool } from '../../../core/protocol/tool.js';
import { scriptedAgent } from '../../support/scripted-agent.js';

const ran: unknown[] = [];
const echo: Tool = {
  name: 'echo',
  description: 'Says what it is told',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: async (args) => {
    ran.push(args);
    return { content: [{ type: 'text', text: `said ${String(args.text)}` }], details: { by: 'tool' } };
  },
};
const broken: Tool = {
  ...echo,
  name: 'broken',
  execute: () => Promise.reject(new Error('broken')),
};

async function runWith(hooks: Partial<AgentHooks>, calls = [{ id: 'c', name: 'echo', args: { text: 'hi' } as object }]) {
  ran.length = 0;
  const scripted = scriptedAgent([{ calls: calls as never }, { text: 'done' }], {
    tools: [echo, broken],
    hooks: { ...NO_HOOKS, ...hooks },
  });
  await scripted.run('go');
  const ends = scripted.events.filter((event: AgentEvent) => event.type === 'tool_execution_end');
  const stored = scripted.session.contextMessages().filter(({ role }) => role === 'toolResult');
  return { ...scripted, ends, stored };
}

describe('tool_call', () => {
  it('changes the input that runs, which is not checked again', async () => {
    const input = { text: 42, extra: true };
    const { ends } = await runWith({ toolCall: async () => ({ input }) });
    expect(ran).toEqual([input]);
    expect(ends).toMatchObject([{ isError: false, result: { content: [{ text: 'said 42' }] } }]);
  });

  it('sees the input repaired and checked, and is not asked about calls that can not run', async () => {
    const asked: unknown[] = [];
    await runWith(
      {
        toolCall: async ({ toolCallId, input }) => {
          asked.push([toolCallId, input]);
          return { input };
        },
      },
      [
        { id: 'unknown', name: 'nothing', args: {} },
        { id: 'invalid', name: 'echo', args: {} },
        { id: 'number', name: 'echo', args: { text: 7 } },
      ],
    );
    expect(asked).toEqual([['number', { text: '7' }]]);
  });

  it('blocks a call: its reason is the error result, the siblings run', async () => {
    const { ends, stored, requests } = await runWith(
      { toolCall: async ({ toolCallId, input }) => (toolCallId === 'a' ? { input, blocked: 'forbidden' } : { input }) },
      ['a', 'b'].map((id) => ({ id, name: 'echo', args: { text: id } })),
    );
    expect(ran).toEqual([{ text: 'b' }]);
    expect(ends).toMatchObject([
      { toolCallId: 'a', isError: true, result: { content: [{ text: 'forbidden' }] } },
      { toolCallId: 'b', isError: false },
    ]);
    expect(stored).toMatchObject([{ toolCallId: 'a', isError: true }, { toolCallId: 'b' }]);
    expect(requests).toHaveLength(2);
  });

  it('G12: fails closed', async () => {
    const { ends } = await runWith({ toolCall: () => Promise.reject(new Error('gate broke')) });
    expect(ran).toEqual([]);
    expect(ends).toMatchObject([{ isError: true, result: { content: [{ text: 'gate broke' }] } }]);
  });

  it('is asked one call after the other, before any of them runs, with the answer already stored', async () => {
    const order: string[] = [];
    let inside = 0;
    const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'echo', args: { text: id } }));
    const scripted = scriptedAgent([{ calls }, { text: 'done' }], {
      tools: [
        {
          ...echo,
          execute: async ({ text }) => {
            order.push(`run ${String(text)}`);
            return { content: [] };
          },
        },
      ],
      hooks: {
        ...NO_HOOKS,
        toolCall: async ({ toolCallId, input }) => {
          expect(scripted.session.contextMessages().at(-1)).toMatchObject({ role: 'assistant', stopReason: 'toolUse' });
          inside += 1;
          expect(inside).toBe(1);
          await Promise.resolve();
          inside -= 1;
          order.push(`ask ${toolCallId}`);
          return { input };
        },
      },
    });
    await scripted.run('go');
    expect(order).toEqual(['ask a', 'ask b', 'ask c', 'run a', 'run b', 'run c']);
  });
});

describe('tool_result', () => {
  it('changes the result in its event, in the session and for the model', async () => {
    const usage = {
      input: 7,
      output: 3,
      cacheRead: 0,
      cacheWrite: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    };
    const asked: ToolResultQuestion[] = [];
    const { ends, stored, requests } = await runWith({
      toolCall: async () => ({ input: { text: 'changed' } }),
      toolResult: async (result) => {
        asked.push(result);
        return { content: [{ type: 'text', text: 'redacted' }], details: { by: 'hook' }, usage, isError: true };
      },
    });
    expect(asked).toEqual([
      {
        toolCallId: 'c',
        toolName: 'echo',
        input: { text: 'changed' },
        content: [{ type: 'text', text: 'said changed' }],
        details: { by: 'tool' },
        isError: false,
      },
    ]);
    const changed = { content: [{ type: 'text', text: 'redacted' }], details: { by: 'hook' } };
    expect(ends).toMatchObject([{ isError: true, result: changed }]);
    expect(stored).toMatchObject([{ ...changed, isError: true, usage }]);
    expect(requests[1]?.context.messages.at(-1)).toMatchObject({ content: changed.content, isError: true });
  });

  it('is asked after a throw too, and may make it good', async () => {
    const { ends } = await runWith(
      {
        toolResult: async ({ content, isError }) => {
          expect([content, isError]).toEqual([[{ type: 'text', text: 'broken' }], true]);
          return { content, isError: false };
        },
      },
      [{ id: 'c', name: 'broken', args: { text: '' } }],
    );
    expect(ends).toMatchObject([{ isError: false }]);
  });

  it('is not asked about calls that never ran', async () => {
    const asked: unknown[] = [];
    await runWith(
      {
        toolCall: async ({ input }) => ({ input, blocked: 'no' }),
        toolResult: async (result) => {
          asked.push(result);
          return result;
        },
      },
      [
        { id: 'a', name: 'nothing', args: {} },
        { id: 'b', name: 'echo', args: { text: 'x' } },
      ],
    );
    expect(asked).toEqual([]);
  });

  it('leaves it to the tool whether the run ends', async () => {
    const { run, requests } = scriptedAgent([{ calls: [{ id: 'c', name: 'last' }] }], {
      tools: [{ ...echo, name: 'last', parameters: { type: 'object' }, execute: async () => ({ content: [], terminate: true }) }],
      hooks: { ...NO_HOOKS, toolResult: async ({ content, isError }) => ({ content, isError }) },
    });
    await run('go');
    expect(requests).toHaveLength(1);
  });
});
