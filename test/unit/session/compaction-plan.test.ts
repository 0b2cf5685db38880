import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentMessage, AssistantMessage } from '../../../core/protocol/messages.js';
import { type ContextItem, planCompaction } from '../../../core/session/compaction-plan.js';
import { estimateTokens } from '../../../core/session/context-tokens.js';

const usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const user = (tokens: number): AgentMessage => ({ role: 'user', content: 'u'.repeat(tokens * 4), timestamp: 1 });
const answer = (tokens: number, calls: { id: string; name: string; path?: string }[] = []): AssistantMessage => ({
  role: 'assistant',
  content: [
    { type: 'text', text: 'a'.repeat(tokens * 4) },
    ...calls.map(({ id, name, path }) => ({
      type: 'toolCall' as const,
      id,
      name,
      arguments: path === undefined ? {} : { path },
    })),
  ],
  api: 'x',
  provider: 'x',
  model: 'x',
  usage,
  stopReason: 'stop',
  timestamp: 1,
});
const result = (id: string, tokens: number): AgentMessage => ({
  role: 'toolResult',
  toolCallId: id,
  toolName: 'read',
  content: [{ type: 'text', text: 'r'.repeat(tokens * 4) }],
  isError: false,
  timestamp: 1,
});
const items = (...messages: AgentMessage[]): ContextItem[] => messages.map((message, index) => ({ id: `e${index}`, message }));
const plan = (
  list: ContextItem[],
  keep: number,
  more: Partial<Parameters<typeof planCompaction>[0]> = {},
): ReturnType<typeof planCompaction> =>
  planCompaction({ items: list, carried: [], previous: undefined, isFresh: false, tokensBefore: 1, ...more }, keep);

describe('where a compaction cuts', () => {
  it('keeps from the first message, counted from the end, at which enough is kept', () => {
    const list = items(user(100), answer(100), user(100), answer(100), user(100), answer(100));
    expect(plan(list, 150)).toMatchObject({ ok: true, plan: { firstKeptEntryId: 'e4', turnPrefix: [] } });
    expect(plan(list, 250)).toMatchObject({ ok: true, plan: { firstKeptEntryId: 'e3', messages: [{}, {}], turnPrefix: [{}] } });
  });

  it('refuses when everything would be kept, and when nothing was said since the last one', () => {
    expect(plan(items(user(10), answer(10)), 100)).toEqual({ ok: false, reason: 'TOO_SMALL' });
    expect(plan([], 100)).toEqual({ ok: false, reason: 'TOO_SMALL' });
    expect(plan(items(user(100)), 10, { isFresh: true })).toEqual({ ok: false, reason: 'ALREADY_COMPACTED' });
  });

  it('cuts a single long turn inside and keeps its question among what is summarised', () => {
    const list = items(user(10), answer(10, [{ id: 'c', name: 'read' }]), result('c', 500), answer(10));
    expect(plan(list, 100)).toMatchObject({ ok: true, plan: { firstKeptEntryId: 'e3' } });
    expect(plan(items(user(10), answer(10, [{ id: 'c', name: 'read' }]), result('c', 500)), 100)).toMatchObject({
      ok: true,
      plan: { firstKeptEntryId: 'e1' },
    });
  });

  it('lists files once, changed ones only as changed, those of the last summary included', () => {
    const list = items(
      user(10),
      answer(10, [
        { id: 'a', name: 'read', path: 'b.txt' },
        { id: 'b', name: 'read', path: 'a.txt' },
        { id: 'c', name: 'edit', path: 'b.txt' },
        { id: 'd', name: 'bash' },
      ]),
      result('a', 10),
      user(100),
      answer(100),
    );
    const previous = { summary: 's', details: { readFiles: ['old.txt'], modifiedFiles: ['c.txt'] } };
    expect(plan(list, 150, { previous })).toMatchObject({
      plan: { files: { readFiles: ['a.txt', 'old.txt'], modifiedFiles: ['b.txt', 'c.txt'] }, previousSummary: 's' },
    });
  });

  it('never keeps a tool result without its call, loses nothing, and keeps enough, whatever was said', () => {
    const turn = fc
      .record({
        question: fc.nat(200),
        steps: fc.array(fc.record({ calls: fc.nat(3), size: fc.nat(300) }), { maxLength: 4 }),
        end: fc.nat(200),
      })
      .map(({ question, steps, end }) => {
        const messages: AgentMessage[] = [user(question + 1)];
        for (const [index, { calls, size }] of steps.entries()) {
          const ids = Array.from({ length: calls + 1 }, (_, call) => `${index}-${call}`);
          messages.push(
            answer(
              1,
              ids.map((id) => ({ id, name: 'read', path: id })),
            ),
          );
          messages.push(...ids.map((id) => result(id, size)));
        }
        messages.push(answer(end + 1));
        return messages;
      });
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 8 }), fc.integer({ min: 1, max: 1500 }), (turns, keep) => {
        const list = items(...turns.flat());
        const planned = plan(list, keep);
        if (!planned.ok) return;
        const cut = list.findIndex(({ id }) => id === planned.plan.firstKeptEntryId);
        expect(list[cut]?.message.role).not.toBe('toolResult');
        expect([...planned.plan.messages, ...planned.plan.turnPrefix]).toEqual(list.slice(0, cut).map(({ message }) => message));
        const lastResult = list.findLastIndex(({ message }) => message.role !== 'toolResult');
        const kept = list.slice(Math.min(cut, lastResult)).reduce((sum, { message }) => sum + estimateTokens(message), 0);
        expect(kept).toBeGreaterThan(0);
        expect(planned.plan.messages.length + planned.plan.turnPrefix.length).toBeGreaterThan(0);
      }),
    );
  });
});
