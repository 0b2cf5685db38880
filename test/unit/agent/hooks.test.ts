import { describe, expect, it } from 'vitest';
import { type AgentHooks, type AgentStart, NO_HOOKS } from '../../../core/agent/hooks.js';
import type { AgentEvent } from '../../../core/protocol/events.js';
import type { AgentMessage } from '../../../core/protocol/messages.js';
import type { Tool } from '../../../core/protocol/tool.js';
import { say, scriptedAgent } from '../../support/scripted-agent.js';

const echo: Tool = {
  name: 'echo',
  description: 'Says what it is told',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: async ({ text }, { onUpdate }) => {
    onUpdate({ content: [{ type: 'text', text: 'half' }] });
    return { content: [{ type: 'text', text: String(text) }] };
  },
};
const toolRun = (): Parameters<typeof scriptedAgent>[0] => [
  { calls: [{ id: 'c', name: 'echo', args: { text: 'hi' } }] },
  { text: 'done' },
];
/** The text of a message, whatever its role. */
const textOf = (message: AgentMessage): string => {
  const { content } = { content: '', ...message };
  return typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
};

/** Hooks that listen to everything, change nothing, and write down when they are asked. */
function listening(seen: string[]): AgentHooks {
  const heard = <T>(name: string, answer: T): Promise<T> => {
    seen.push(name);
    return Promise.resolve(answer);
  };
  return {
    beforeAgentStart: () => heard('before_agent_start', { messages: [] }),
    context: (messages) => heard('context', messages),
    beforeProviderHeaders: (headers) => heard('before_provider_headers', headers),
    beforeProviderRequest: (payload) => heard('before_provider_request', payload()),
    afterProviderResponse: () => heard('after_provider_response', undefined),
    mayChangeMessages: () => true,
    messageEnd: (message) => heard(`message_end? ${message.role}`, message),
    toolCall: ({ input }) => heard('tool_call', { input }),
    toolResult: ({ content, isError }) => heard('tool_result', { content, isError }),
    userBash: () => heard('user_bash', undefined),
    beforeCompact: () => heard('session_before_compact', {}),
    compacted: () => heard('session_compact', undefined),
    beforeTree: () => heard('session_before_tree', {}),
    treeMoved: () => heard('session_tree', undefined),
  };
}

const nameOf = (event: AgentEvent): string =>
  event.type === 'message_start' || event.type === 'message_end' ? `${event.type} ${event.message.role}` : event.type;

describe('hooks of a run', () => {
  it('are asked in the documented order', async () => {
    const seen: string[] = [];
    const { run } = scriptedAgent(toolRun(), {
      tools: [echo],
      hooks: listening(seen),
      listen: (event) => void seen.push(nameOf(event)),
    });
    await run('go');
    const request = ['context', 'before_provider_headers', 'before_provider_request', 'after_provider_response'];
    const message = (role: string): string[] => [`message_start ${role}`, `message_end? ${role}`, `message_end ${role}`];
    expect(seen).toEqual([
      'before_agent_start',
      'agent_start',
      'turn_start',
      ...message('user'),
      ...request,
      ...message('assistant'),
      'tool_execution_start',
      'tool_call',
      'tool_execution_update',
      'tool_result',
      'tool_execution_end',
      ...message('toolResult'),
      'turn_end',
      'turn_start',
      ...request,
      ...message('assistant'),
      'turn_end',
      'agent_end',
      'agent_settled',
    ]);
  });

  it('that answer with undefined cost not one turn of the event loop', async () => {
    const { run } = scriptedAgent([{ text: 'done' }], { hooks: { ...NO_HOOKS } });
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    await run('go');
    expect(turned).toBe(false);
  });

  it('change nothing when they fail', async () => {
    const broken = (): Promise<never> => Promise.reject(new Error('broken'));
    const { run, requests, events } = scriptedAgent(toolRun(), {
      tools: [echo],
      hooks: {
        ...NO_HOOKS,
        beforeAgentStart: broken,
        context: broken,
        beforeProviderHeaders: broken,
        beforeProviderRequest: broken,
        afterProviderResponse: broken,
        messageEnd: broken,
        toolResult: broken,
      },
    });
    await run('go');
    expect(requests.at(-1)?.context.messages.map(textOf)).toEqual(['go', '', 'hi']);
    expect(events.findLast((event) => event.type === 'message_end')).toMatchObject({ message: { content: [{ text: 'done' }] } });
  });
});

describe('before_agent_start', () => {
  it('gets the prompt, its images and the system prompt, once per prompt, retries included', async () => {
    const starts: AgentStart[] = [];
    const image = { type: 'image' as const, data: 'AA==', mimeType: 'image/png' };
    const overloaded = { failure: { kind: 'transient' as const }, error: '529' };
    const { agent } = scriptedAgent([overloaded, { text: 'ok' }], {
      hooks: {
        ...NO_HOOKS,
        beforeAgentStart: async (start) => {
          starts.push(start);
          return { messages: [] };
        },
      },
    });
    const { begin } = await agent.prompt({ ...say('look'), content: [{ type: 'text', text: 'look' }, image] }, undefined);
    begin?.();
    await agent.whenIdle();
    expect(starts).toEqual([{ prompt: 'look', images: [image], systemPrompt: 'system' }]);
  });

  it('adds messages after the prompt, in the session and for the model', async () => {
    const messages = ['a', 'b'].map((content) => ({ customType: 'note', content, display: true, details: { content } }));
    const { run, session, requests, events } = scriptedAgent([{ text: 'ok' }], {
      hooks: { ...NO_HOOKS, beforeAgentStart: async () => ({ messages }) },
    });
    await run('go');
    expect(session.contextMessages().map(textOf)).toEqual(['go', 'a', 'b', 'ok']);
    expect(session.branch().filter(({ type }) => type === 'custom_message')).toMatchObject(messages);
    expect(requests[0]?.context.messages.map(textOf)).toEqual(['go', 'a', 'b']);
    expect(events.flatMap((event) => (event.type === 'message_end' ? [event.message.role] : []))).toEqual([
      'user',
      'custom',
      'custom',
      'assistant',
    ]);
    expect(events.find((event) => event.type === 'agent_end')).toMatchObject({ messages: { length: 4 } });
  });

  it('replaces the system prompt in all requests of the run, retries included, and in no other', async () => {
    const overloaded = { failure: { kind: 'transient' as const }, error: '529' };
    const during: unknown[] = [];
    const { run, requests, agent } = scriptedAgent([...toolRun().slice(0, 1), overloaded, { text: 'ok' }, { text: 'next' }], {
      tools: [echo],
      hooks: {
        ...NO_HOOKS,
        beforeAgentStart: async ({ prompt }) =>
          prompt === 'go' ? { messages: [], systemPrompt: 'ONLY THIS' } : { messages: [] },
      },
      listen: (event) => void (event.type === 'turn_start' && during.push(agent.runSystemPrompt)),
    });
    await run('go');
    expect(agent.runSystemPrompt).toBeUndefined();
    await run('again');
    const prompts = requests.map(({ context }) => context.systemPrompt);
    expect(prompts).toEqual(['ONLY THIS', 'ONLY THIS', 'ONLY THIS', 'system']);
    expect(during).toEqual(['ONLY THIS', 'ONLY THIS', 'ONLY THIS', undefined]);
  });
});

describe('hooks of a request', () => {
  it('context changes what is sent and not what is stored', async () => {
    const { run, requests, session } = scriptedAgent([{ text: 'ok' }, { text: 'ok' }], {
      hooks: { ...NO_HOOKS, context: async (messages) => [...messages.filter((m) => textOf(m) !== 'secret'), say('added')] },
    });
    await run('secret');
    await run('open');
    expect(requests.map(({ context }) => context.messages.map(textOf))).toEqual([
      ['added'],
      [expect.any(String), 'ok', 'open', 'added'],
    ]);
    expect(session.contextMessages().map(textOf)).toEqual(['secret', 'ok', 'open', 'ok']);
  });

  it('headers are replaced as a whole; null is passed on', async () => {
    const given: unknown[] = [];
    const { run, requests } = scriptedAgent([{ text: 'ok' }], {
      hooks: {
        ...NO_HOOKS,
        beforeProviderHeaders: async (headers) => {
          given.push(headers);
          return { 'x-a': '1', 'user-agent': null };
        },
      },
    });
    await run('go');
    expect(given).toEqual([{}]);
    expect(requests[0]?.options.headers).toEqual({ 'x-a': '1', 'user-agent': null });
  });

  it('the payload is replaced by what the hook gives, and the response is told', async () => {
    const told: unknown[] = [];
    const { run, requests } = scriptedAgent([{ text: 'ok' }], {
      hooks: {
        ...NO_HOOKS,
        beforeProviderRequest: async (payload) => ({ ...(payload() as object), extra: 1 }),
        afterProviderResponse: async (response) => void told.push(response),
      },
    });
    await run('go');
    expect(await requests[0]?.options.onPayload?.(() => ({ body: 0 }))).toEqual({ body: 0, extra: 1 });
    expect(told).toEqual([{ status: 200, headers: { 'x-scripted': 'yes' } }]);
  });

  it('hold for the requests of a compaction too', async () => {
    const { agent, run, requests } = scriptedAgent([{ text: 'one' }, { text: 'two' }, { text: 'SUMMARY' }], {
      hooks: { ...NO_HOOKS, beforeProviderHeaders: async () => ({ 'x-gateway': 'key' }) },
    });
    await run('x'.repeat(4000));
    await run('y'.repeat(4000));
    await agent.compact(undefined);
    expect(requests.at(-1)?.options.headers).toEqual({ 'x-gateway': 'key' });
  });
});

describe('message_end', () => {
  const upper = async (message: AgentMessage): Promise<AgentMessage> =>
    message.role === 'assistant' || message.role === 'toolResult'
      ? ({ ...message, content: [{ type: 'text', text: `${message.role} rewritten` }] } as AgentMessage)
      : message;

  it('replaces an answer in its event, in the session and in the next request', async () => {
    const { run, events, session, requests } = scriptedAgent([{ text: 'first wording' }, { text: 'x' }], {
      hooks: { ...NO_HOOKS, messageEnd: upper },
    });
    await run('go');
    await run('more');
    expect(events.find((event) => event.type === 'turn_end')).toMatchObject({
      message: { content: [{ text: 'assistant rewritten' }] },
    });
    expect(session.contextMessages().map(textOf)).toEqual(['go', 'assistant rewritten', 'more', 'assistant rewritten']);
    expect(requests[1]?.context.messages.map(textOf)).toEqual(['go', 'assistant rewritten', 'more']);
  });

  it('runs the calls of the answer as it was changed', async () => {
    const { run, events } = scriptedAgent(toolRun(), {
      tools: [echo],
      hooks: {
        ...NO_HOOKS,
        messageEnd: async (message) =>
          message.role === 'assistant' && message.stopReason === 'toolUse'
            ? { ...message, content: [{ type: 'toolCall', id: 'c', name: 'echo', arguments: { text: 'changed' } }] }
            : message,
      },
    });
    await run('go');
    expect(events.find((event) => event.type === 'tool_execution_end')).toMatchObject({
      result: { content: [{ text: 'changed' }] },
    });
  });

  it('replaces a tool result that is stored when it is announced', async () => {
    const calls = ['a', 'b'].map((id) => ({ id, name: 'echo', args: { text: id } }));
    const { run, session, events } = scriptedAgent([{ calls }, { text: 'x' }], {
      tools: [echo],
      hooks: {
        ...NO_HOOKS,
        mayChangeMessages: () => true,
        messageEnd: async (message) => (message.role === 'toolResult' ? upper(message) : message),
      },
    });
    await run('go');
    const stored = session.contextMessages().filter(({ role }) => role === 'toolResult');
    expect(stored).toMatchObject([
      { toolCallId: 'a', content: [{ text: 'toolResult rewritten' }] },
      { toolCallId: 'b', content: [{ text: 'toolResult rewritten' }] },
    ]);
    expect(events.find((event) => event.type === 'turn_end')).toMatchObject({ toolResults: stored });
  });

  it('does not change who speaks', async () => {
    const { run, session } = scriptedAgent([{ text: 'original' }], {
      hooks: {
        ...NO_HOOKS,
        messageEnd: async () => ({ role: 'custom', customType: 'x', content: 'no', display: true, timestamp: 1 }),
      },
    });
    await run('go');
    expect(session.contextMessages()).toMatchObject([{ role: 'user' }, { role: 'assistant', content: [{ text: 'original' }] }]);
  });
});

describe('listeners that take their time', () => {
  const STATIONS = [
    'agent_start',
    'turn_start',
    'message_start',
    'message_end',
    'tool_execution_start',
    'tool_execution_end',
    'turn_end',
    'agent_end',
  ] as const;

  it.each(STATIONS)('hold the run up at %s', async (station) => {
    let release = (): void => undefined;
    let heldUp = false;
    const { agent, events, seen } = scriptedAgent(toolRun(), {
      tools: [echo],
      listen: (event) => {
        if (event.type !== station || heldUp) return undefined;
        heldUp = true;
        return new Promise<void>((resolve) => {
          release = resolve;
        });
      },
    });
    const { begin } = await agent.prompt(say('go'), undefined);
    begin?.();
    await seen(({ type }) => type === station);
    await new Promise((resolve) => setImmediate(resolve));
    expect(events.at(-1)?.type).toBe(station);
    release();
    await agent.whenIdle();
    expect(events.at(-1)).toEqual({ type: 'agent_settled' });
  });

  it.each(['message_update', 'tool_execution_update', 'agent_settled'] as const)('do not hold it up at %s', async (type) => {
    const { run, events } = scriptedAgent(toolRun(), {
      tools: [echo],
      listen: (event) => (event.type === type ? new Promise<void>(() => undefined) : undefined),
    });
    await run('go');
    expect(events.at(-1)?.type).toBe('agent_settled');
  });
});
