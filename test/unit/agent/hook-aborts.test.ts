import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AgentHooks, NO_HOOKS } from '../../../core/agent/hooks.js';
import { ABORT_GRACE_MS } from '../../../core/agent/patience.js';
import type { AgentEvent } from '../../../core/protocol/events.js';
import type { Tool } from '../../../core/protocol/tool.js';
import { type Reply, type ScriptedAgent, say, scriptedAgent } from '../../support/scripted-agent.js';

const LONG = 'x'.repeat(4000);
let executed = 0;
const echo: Tool = {
  name: 'echo',
  description: 'Says what it is told',
  parameters: { type: 'object' },
  execute: async () => {
    executed += 1;
    return { content: [{ type: 'text', text: 'said' }] };
  },
};
const toolRun = (): Reply[] => [{ calls: [{ id: 'c', name: 'echo' }] }, { text: 'done' }];
const forever = new Promise<never>(() => undefined);

/** Hooks of which one never answers, and a promise that resolves when it is asked. */
function hanging(name: Exclude<keyof AgentHooks, 'mayChangeMessages'>): { hooks: AgentHooks; asked: Promise<void> } {
  let tell = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const hang = (): Promise<never> => {
    tell();
    return forever;
  };
  return { hooks: { ...NO_HOOKS, [name]: hang }, asked };
}

async function begin({ agent }: ScriptedAgent, text = 'go'): Promise<void> {
  const accepted = await agent.prompt(say(text), undefined);
  accepted.begin?.();
}

const settled = (events: AgentEvent[]): AgentEvent[] => events.filter(({ type }) => type === 'agent_settled');

beforeEach(() => {
  executed = 0;
  // The clock stands still unless a test moves it: what must be prompt can not lean on a deadline.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => vi.useRealTimers());

describe('G31: an abort', () => {
  it.each(['beforeAgentStart', 'context', 'beforeProviderHeaders', 'beforeProviderRequest', 'afterProviderResponse'] as const)(
    'is prompt while %s hangs; the run is told to its end and stored whole',
    async (name) => {
      const { hooks, asked } = hanging(name);
      const scripted = scriptedAgent([{ text: 'never' }], { hooks });
      await begin(scripted);
      await asked;
      await scripted.agent.abort();
      expect(settled(scripted.events)).toEqual([{ type: 'agent_settled', aborted: true }]);
      expect(scripted.session.contextMessages()).toMatchObject([
        { role: 'user', content: [{ text: 'go' }] },
        { role: 'assistant', stopReason: 'aborted' },
      ]);
    },
  );

  it('is prompt while toolCall hangs; neither the call nor its siblings run, and each has its result', async () => {
    const { hooks, asked } = hanging('toolCall');
    const calls = ['a', 'b'].map((id) => ({ id, name: 'echo' }));
    const scripted = scriptedAgent([{ calls }, { text: 'never' }], { hooks, tools: [echo] });
    await begin(scripted);
    await asked;
    await scripted.agent.abort();
    expect(executed).toBe(0);
    expect(scripted.requests).toHaveLength(1);
    expect(scripted.session.contextMessages().filter(({ role }) => role === 'toolResult')).toMatchObject([
      { toolCallId: 'a', isError: true },
      { toolCallId: 'b', isError: true },
    ]);
    expect(settled(scripted.events)).toHaveLength(1);
  });

  it.each(['messageEnd', 'toolResult'] as const)('leaves %s a moment for its last word, and not a second one', async (name) => {
    const { hooks, asked } = hanging(name);
    const scripted = scriptedAgent(toolRun(), { hooks, tools: [echo] });
    await begin(scripted);
    await asked;
    const quiet = scripted.agent.abort();
    await vi.advanceTimersByTimeAsync(ABORT_GRACE_MS - 1);
    expect(settled(scripted.events)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await quiet;
    expect(settled(scripted.events)).toEqual([{ type: 'agent_settled', aborted: true }]);
    expect(scripted.session.contextMessages().at(-1)).toMatchObject({ role: 'assistant', stopReason: 'aborted' });
  });

  it('takes the last word of who answers in time', async () => {
    let answer = (): void => undefined;
    const scripted = scriptedAgent([{ hang: true }], {
      hooks: {
        ...NO_HOOKS,
        messageEnd: (message) =>
          message.role !== 'assistant'
            ? undefined
            : new Promise((resolve) => {
                answer = () => resolve({ ...message, errorMessage: 'noted' });
              }),
      },
    });
    await begin(scripted);
    await scripted.seen(({ type }) => type === 'message_update');
    const quiet = scripted.agent.abort();
    await vi.advanceTimersByTimeAsync(1);
    answer();
    await quiet;
    expect(scripted.session.contextMessages().at(-1)).toMatchObject({ stopReason: 'aborted', errorMessage: 'noted' });
  });

  it.each(['agent_start', 'turn_start', 'message_start', 'message_end', 'turn_end', 'agent_end'] as const)(
    'does not wait for ever for a listener of %s',
    async (type) => {
      const scripted = scriptedAgent([{ text: 'x' }], { listen: (event) => (event.type === type ? forever : undefined) });
      await begin(scripted);
      await scripted.seen((event) => event.type === type);
      const quiet = scripted.agent.abort();
      await vi.advanceTimersByTimeAsync(ABORT_GRACE_MS);
      await quiet;
      expect(settled(scripted.events)).toHaveLength(1);
    },
  );

  it('starts what is queued afterwards with new patience', async () => {
    const { hooks, asked } = hanging('context');
    let asks = 0;
    const scripted = scriptedAgent([{ text: 'second' }], {
      hooks: { ...NO_HOOKS, context: (messages) => (asks++ === 0 ? hooks.context(messages) : undefined) },
    });
    await begin(scripted);
    await asked;
    scripted.agent.queue('steering', say('next'));
    await scripted.agent.abort();
    expect(scripted.session.contextMessages().at(-1)).toMatchObject({ content: [{ text: 'second' }] });
    expect(settled(scripted.events)).toEqual([{ type: 'agent_settled' }]);
  });

  it('is prompt while beforeCompact hangs, for a compaction of the agent and one of a client', async () => {
    const automatic = hanging('beforeCompact');
    const overflow: Reply = { failure: { kind: 'overflow' }, error: '400 too long' };
    const scripted = scriptedAgent([{ text: 'one' }, { text: 'two' }, overflow], { hooks: automatic.hooks });
    await scripted.run(`first ${LONG}`);
    await scripted.run(`second ${LONG}`);
    await begin(scripted, 'third');
    await automatic.asked;
    await scripted.agent.abort();
    const refused = expect(scripted.agent.compact(undefined)).rejects.toMatchObject({ code: 'ABORTED' });
    await scripted.seen((event) => event.type === 'compaction_start' && event.reason === 'manual');
    await scripted.agent.abort();
    await refused;
    expect(scripted.events.filter(({ type }) => type === 'compaction_end')).toMatchObject([
      { reason: 'overflow', aborted: true },
      { reason: 'manual', aborted: true },
    ]);
    expect(scripted.agent.isCompacting).toBe(false);
  });
});

describe('a shell command of a client', () => {
  const run = async (hooks: AgentHooks): Promise<ScriptedAgent & { result: Promise<unknown> }> => {
    const scripted = scriptedAgent([], { hooks });
    const result = scripted.agent.bash('uptime', { excludeFromContext: false, onOutput: () => undefined });
    return { ...scripted, result };
  };

  it('is cancelled at once while userBash hangs', async () => {
    const { hooks, asked } = hanging('userBash');
    const { agent, result, session } = await run(hooks);
    await asked;
    agent.abortBash();
    expect(await result).toEqual({ output: '', cancelled: true, truncated: false });
    expect(session.contextMessages()).toMatchObject([{ role: 'bashExecution', command: 'uptime', cancelled: true }]);
  });

  it('is cancelled a moment later when the shell of an extension does not stop', async () => {
    const { agent, result } = await run({ ...NO_HOOKS, userBash: async () => ({ run: () => forever }) });
    await vi.advanceTimersByTimeAsync(0);
    agent.abortBash();
    await vi.advanceTimersByTimeAsync(ABORT_GRACE_MS);
    expect(await result).toMatchObject({ cancelled: true });
  });
});
