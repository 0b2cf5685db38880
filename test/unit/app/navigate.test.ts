import { describe, expect, it } from 'vitest';
import { type AgentHooks, NO_HOOKS, type TreeMove, type TreePreparation } from '../../../core/agent/hooks.js';
import { navigateTree } from '../../../core/app/navigate.js';
import type { AgentEvent } from '../../../core/protocol/events.js';
import { type Reply, scriptedAgent } from '../../support/scripted-agent.js';

/** An agent with two turns behind it, whose entries are `user answer user answer`. */
async function talked(hooks: Partial<AgentHooks>, script: Reply[] = []) {
  const scripted = scriptedAgent([{ text: 'one' }, { text: 'two' }, ...script]);
  await scripted.run('first');
  await scripted.run('second');
  const [user1, answer1, user2, answer2] = scripted.session.branch().map(({ id }) => id) as [string, string, string, string];
  const emitted: AgentEvent[] = [];
  const deps = {
    agent: scripted.agent,
    session: scripted.session,
    hooks: { ...NO_HOOKS, ...hooks },
    emit: (event: AgentEvent) => void emitted.push(event),
    maxTokens: 10_000,
  };
  return { ...scripted, deps, emitted, ids: { user1, answer1, user2, answer2 } };
}

describe('session_before_tree', () => {
  it('is told what would be left, whether or not it would be summarised', async () => {
    const asked: TreePreparation[] = [];
    const { deps, ids } = await talked({
      beforeTree: async ({ preparation }) => {
        asked.push(preparation);
        return {};
      },
    });
    await navigateTree(deps, ids.answer1, { label: 'here' });
    expect(asked).toMatchObject([
      {
        targetId: ids.answer1,
        oldLeafId: ids.answer2,
        commonAncestorId: ids.answer1,
        entriesToSummarize: [{ id: ids.user2 }, { id: ids.answer2 }],
        userWantsSummary: false,
        label: 'here',
      },
    ]);
  });

  it('calls the move off: nothing has moved, nobody is told', async () => {
    const moves: TreeMove[] = [];
    const { deps, ids, session, agent } = await talked({
      beforeTree: async () => ({ cancel: true }),
      treeMoved: async (move) => void moves.push(move),
    });
    expect(await navigateTree(deps, ids.answer1, { summarize: true })).toEqual({ cancelled: true, leafId: ids.answer2 });
    expect([session.leafId, moves, agent.isCompacting]).toEqual([ids.answer2, [], false]);
  });

  it('gives a summary that spares the model, when one is wanted', async () => {
    const moves: TreeMove[] = [];
    const summary = { summary: 'by the extension', details: { k: 1 } };
    const { deps, ids, session, requests } = await talked({
      beforeTree: async () => ({ summary }),
      treeMoved: async (move) => void moves.push(move),
    });
    await navigateTree(deps, ids.answer1, {});
    expect(session.leafId).toBe(ids.answer1);
    await navigateTree(deps, ids.answer2, {});
    const result = await navigateTree(deps, ids.answer1, { summarize: true });
    expect(result.summaryEntry).toMatchObject({ type: 'branch_summary', ...summary, fromHook: true, fromId: ids.answer2 });
    expect(requests).toHaveLength(2);
    expect(moves).toMatchObject([
      { newLeafId: ids.answer1, oldLeafId: ids.answer2 },
      { newLeafId: ids.answer2, oldLeafId: ids.answer1 },
      { newLeafId: result.summaryEntry?.id, oldLeafId: ids.answer2, fromExtension: true, summaryEntry: result.summaryEntry },
    ]);
    expect(moves[0]).not.toHaveProperty('summaryEntry');
  });

  it('leaves the summary to the model when it gives none', async () => {
    const { deps, ids } = await talked({ beforeTree: async () => ({}) }, [{ text: 'by the model' }]);
    const { summaryEntry } = await navigateTree(deps, ids.answer1, { summarize: true });
    expect(summaryEntry).toMatchObject({ fromHook: false, summary: expect.stringContaining('by the model') });
  });

  it('G31: an abort ends the wait for it, prompts are refused meanwhile, and nothing has moved', async () => {
    let ask = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    const { deps, ids, session, agent } = await talked({
      beforeTree: () => {
        ask();
        return new Promise(() => undefined);
      },
    });
    const refused = expect(navigateTree(deps, ids.answer1, {})).rejects.toMatchObject({ code: 'ABORTED' });
    await asked;
    await expect(agent.sendUserMessage('early')).rejects.toMatchObject({ code: 'COMPACTING' });
    await agent.abort();
    await refused;
    expect([session.leafId, agent.isCompacting]).toEqual([ids.answer2, false]);
  });
});
