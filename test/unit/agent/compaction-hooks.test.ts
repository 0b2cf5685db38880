import { describe, expect, it } from 'vitest';
import { type AgentHooks, type CompactionNotice, type CompactionQuestion, NO_HOOKS } from '../../../core/agent/hooks.js';
import { type Reply, type ScriptedAgent, scriptedAgent } from '../../support/scripted-agent.js';

const LONG = 'x'.repeat(4000);
const OVERFLOW: Reply = { failure: { kind: 'overflow' }, error: '400 prompt is too long' };

/** An agent with two long turns behind it. */
async function grown(script: Reply[], hooks: Partial<AgentHooks>): Promise<ScriptedAgent> {
  const scripted = scriptedAgent([{ text: 'one' }, { text: 'two' }, ...script], { hooks: { ...NO_HOOKS, ...hooks } });
  await scripted.run(`first ${LONG}`);
  await scripted.run(`second ${LONG}`);
  scripted.events.length = 0;
  scripted.requests.length = 0;
  return scripted;
}

const given =
  (change: object = {}): AgentHooks['beforeCompact'] =>
  async ({ preparation: { firstKeptEntryId, tokensBefore } }) => ({
    compaction: { summary: 'FROM THE EXTENSION', firstKeptEntryId, tokensBefore, details: { by: 'me' }, ...change },
  });

describe('session_before_compact', () => {
  it('is told what would be compacted', async () => {
    const questions: CompactionQuestion[] = [];
    const { agent, session } = await grown([{ text: 'SUMMARY' }], {
      beforeCompact: async (question) => {
        questions.push(question);
        expect(question.branchEntries()).toEqual(session.branch());
        return {};
      },
    });
    const result = await agent.compact('be short');
    expect(questions).toMatchObject([
      {
        reason: 'manual',
        willRetry: false,
        customInstructions: 'be short',
        preparation: {
          firstKeptEntryId: result.firstKeptEntryId,
          tokensBefore: result.tokensBefore,
          isSplitTurn: expect.any(Boolean),
          fileOps: { readFiles: [], modifiedFiles: [] },
          settings: { reserveTokens: 1000, keepRecentTokens: 500 },
        },
      },
    ]);
    const { messagesToSummarize = [], turnPrefixMessages = [] } = questions[0]?.preparation ?? {};
    expect([...messagesToSummarize, ...turnPrefixMessages][0]).toMatchObject({ content: [{ text: `first ${LONG}` }] });
  });

  it('gives a compaction that spares the model', async () => {
    const { agent, requests, session, events } = await grown([], { beforeCompact: given() });
    expect(await agent.compact(undefined)).toMatchObject({ summary: 'FROM THE EXTENSION', details: { by: 'me' } });
    expect(requests).toEqual([]);
    expect(session.branch().at(-1)).toMatchObject({ type: 'compaction', summary: 'FROM THE EXTENSION', fromHook: true });
    expect(session.contextMessages()[0]).toMatchObject({ role: 'compactionSummary', summary: 'FROM THE EXTENSION' });
    expect(events.at(-1)).toMatchObject({ type: 'compaction_end', aborted: false, result: { summary: 'FROM THE EXTENSION' } });
  });

  it('calls it off: the command fails, and nothing is said to have gone wrong', async () => {
    const notices: CompactionNotice[] = [];
    const { agent, requests, session, events } = await grown([], {
      beforeCompact: async () => ({ cancel: true }),
      compacted: async (notice) => void notices.push(notice),
    });
    await expect(agent.compact(undefined)).rejects.toMatchObject({ code: 'COMPACTION_CANCELLED' });
    expect(events.at(-1)).toEqual({ type: 'compaction_end', reason: 'manual', result: null, aborted: true, willRetry: false });
    expect([requests, notices]).toEqual([[], []]);
    expect(session.contextMessages()).toHaveLength(4);
    expect(agent.isCompacting).toBe(false);
  });

  it('can not keep from an entry that is not there', async () => {
    const { agent, session } = await grown([], { beforeCompact: given({ firstKeptEntryId: 'nowhere' }) });
    await expect(agent.compact(undefined)).rejects.toMatchObject({ code: 'COMPACTION_REFUSED' });
    expect(session.contextMessages()).toHaveLength(4);
  });

  it('counts what the extension says to have spent', async () => {
    const usage = {
      input: 1,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.25 },
    };
    const { agent, session } = await grown([], { beforeCompact: given({ usage }) });
    expect(await agent.compact(undefined)).toMatchObject({ usage });
    expect(session.stats().cost).toBe(0.25);
  });

  it('serves the compaction of a request that did not fit; called off, its failed answer stays the last word', async () => {
    const helped = await grown([OVERFLOW, { text: 'fits' }], { beforeCompact: given() });
    await helped.run('third');
    expect(helped.session.contextMessages().at(-1)).toMatchObject({ content: [{ text: 'fits' }] });

    const refused = await grown([OVERFLOW], { beforeCompact: async () => ({ cancel: true }) });
    await refused.run('third');
    expect(refused.session.contextMessages().at(-1)).toMatchObject({ stopReason: 'error' });
    expect(refused.events.at(-1)).toEqual({ type: 'agent_settled' });
  });
});

describe('session_compact', () => {
  it('is told of each compaction, when prompts are taken again', async () => {
    const notices: [CompactionNotice, boolean][] = [];
    const scripted: ScriptedAgent = await grown(
      [{ text: 'SUMMARY' }, { text: 'three' }, OVERFLOW, { text: 'SUMMARY' }, { text: 'four' }],
      {
        compacted: async (notice) => void notices.push([notice, scripted.agent.isCompacting]),
      },
    );
    await scripted.agent.compact(undefined);
    await scripted.run(`third ${LONG}`);
    await scripted.run('fourth');
    expect(notices).toMatchObject([
      [{ reason: 'manual', willRetry: false, fromExtension: false, compactionEntry: { type: 'compaction' } }, false],
      [{ reason: 'overflow', willRetry: true, fromExtension: false }, false],
    ]);
  });

  it('knows whether an extension wrote it', async () => {
    const notices: CompactionNotice[] = [];
    const { agent } = await grown([], { beforeCompact: given(), compacted: async (notice) => void notices.push(notice) });
    await agent.compact(undefined);
    expect(notices).toMatchObject([{ fromExtension: true, compactionEntry: { fromHook: true } }]);
  });
});
