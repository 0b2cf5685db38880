import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../core/protocol/events.js';
import { type Reply, type ScriptedAgent, say, scriptedAgent } from '../../support/scripted-agent.js';

const LONG = 'x'.repeat(4000);
const OVERFLOW: Reply = { failure: { kind: 'overflow' }, error: '400 prompt is too long' };
const types = (events: AgentEvent[]): string[] => events.map(({ type }) => type);
const ends = (events: AgentEvent[]): AgentEvent[] => events.filter(({ type }) => type === 'compaction_end');

/** An agent with two long turns behind it. */
async function grown(script: Reply[]): Promise<ScriptedAgent> {
  const scripted = scriptedAgent([{ text: 'one' }, { text: 'two' }, ...script]);
  await scripted.run(`first ${LONG}`);
  await scripted.run(`second ${LONG}`);
  scripted.events.length = 0;
  return scripted;
}

describe('compaction', () => {
  it('G29: a context that does not fit after it was compacted ends the run with a clear error instead of trying on', async () => {
    const { run, events, requests } = await grown([OVERFLOW, { text: 'SUMMARY' }, OVERFLOW, { text: 'never' }]);
    const before = requests.length;
    await run('third');
    expect(requests.length - before).toBe(3);
    expect(ends(events)).toMatchObject([
      { reason: 'overflow', willRetry: true, result: { summary: expect.stringContaining('SUMMARY') } },
      { reason: 'overflow', willRetry: false, result: null, errorMessage: expect.stringContaining('too large') },
    ]);
    expect(events.at(-1)).toEqual({ type: 'agent_settled' });
  });

  it('G29: an abort reaches a compaction of the agent and one of a client', async () => {
    const automatic = await grown([OVERFLOW, { hang: true }]);
    const { begin } = await automatic.agent.prompt(say('third'), undefined);
    begin?.();
    await automatic.seen(({ type }) => type === 'compaction_start');
    await automatic.agent.abort();
    expect(ends(automatic.events)).toMatchObject([{ aborted: true, result: null }]);
    expect(automatic.session.contextMessages().at(-1)).toMatchObject({ role: 'assistant', stopReason: 'error' });

    const manual = await grown([{ hang: true }]);
    const compaction = manual.agent.compact(undefined);
    const refused = expect(compaction).rejects.toMatchObject({ code: 'ABORTED' });
    await manual.seen(({ type }) => type === 'compaction_start');
    expect(manual.agent.isCompacting).toBe(true);
    await manual.agent.abort();
    await refused;
    expect(manual.agent.isCompacting).toBe(false);
    expect(manual.session.contextMessages()[0]).toMatchObject({ role: 'user' });
  });

  it('G29: usage from before the boundary never counts', async () => {
    const { agent, session } = await grown([{ text: 'SUMMARY' }]);
    expect(session.contextTokens()).toBeGreaterThan(0);
    await agent.compact(undefined);
    expect(session.contextTokens()).toBeNull();
  });

  it('refuses prompts meanwhile, and takes them afterwards', async () => {
    const { agent, seen, run } = await grown([{ text: 'SUMMARY' }, { text: 'fine' }]);
    const compaction = agent.compact(undefined);
    await expect(agent.prompt(say('early'), undefined)).rejects.toMatchObject({ code: 'COMPACTING' });
    await expect(agent.compact(undefined)).rejects.toMatchObject({ code: 'COMPACTING' });
    await compaction;
    await seen(({ type }) => type === 'compaction_end');
    await run('later');
  });

  it('stops a run that is on and leaves what is queued in the queue', async () => {
    const scripted = await grown([{ hang: true }, { text: 'SUMMARY' }]);
    const { begin } = await scripted.agent.prompt(say('third'), undefined);
    begin?.();
    await scripted.seen(({ type }) => type === 'message_update');
    scripted.agent.queue('followUp', say('later'));
    await scripted.agent.compact(undefined);
    expect(types(scripted.events).filter((type) => type === 'agent_settled' || type.startsWith('compaction'))).toEqual([
      'agent_settled',
      'compaction_start',
      'compaction_end',
    ]);
    expect(scripted.agent.queues.size).toBe(1);
  });

  it('keeps the history when the summary is empty or the model fails', async () => {
    const { agent, events, session } = await grown([{ text: ' ' }, { failure: { kind: 'fatal' }, error: '401 no' }]);
    await expect(agent.compact(undefined)).rejects.toMatchObject({ code: 'EMPTY_SUMMARY' });
    await expect(agent.compact(undefined)).rejects.toMatchObject({ code: 'SUMMARY_FAILED', message: '401 no' });
    expect(ends(events)).toMatchObject([
      { result: null, errorMessage: expect.any(String) },
      { result: null, errorMessage: 'Compaction failed: 401 no' },
    ]);
    expect(session.contextMessages()).toHaveLength(4);
  });
});
