import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SessionLog } from '../../../core/agent/ports.js';
import type { TreeNode } from '../../../core/protocol/commands/session.js';
import type { NewEntry } from '../../../core/protocol/entries.js';
import { createSession, type Session } from '../../../core/session/session.js';
import { answer, call, result, USAGE, user } from './builders.js';

const memory = (): Session => createSession({ cwd: '/work' });
const say = (session: Session, text: string): string => session.append({ type: 'message', message: user(text) }).id;
const reply = (session: Session, text: string, more = {}): string =>
  session.append({ type: 'message', message: answer(text, more) }).id;
const texts = (session: Session): string[] =>
  session.contextMessages().map((message) => {
    if ('summary' in message) return message.summary;
    if (!('content' in message)) return message.role;
    return typeof message.content === 'string'
      ? message.content
      : message.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('');
  });

test('a session is the log the agent writes to', () => {
  const log: SessionLog = memory();
  expect(log.append({ type: 'message', message: user('hi') })).toMatchObject({ type: 'message', parentId: null });
});

test('entries have eight hex digits, hang below the one before, and carry their fields in the order readers know', () => {
  const session = createSession({ cwd: '/work', now: () => new Date(0) });
  const first = session.append({ type: 'model_change', provider: 'p', modelId: 'm' });
  const second = session.append({ type: 'message', message: user('hi') });
  expect(first.id).toMatch(/^[0-9a-f]{8}$/);
  expect(second.parentId).toBe(first.id);
  expect(Object.keys(second)).toEqual(['type', 'id', 'parentId', 'timestamp', 'message']);
  expect(session.leafId).toBe(second.id);
  expect(JSON.stringify(session.header)).toMatch(
    /^\{"type":"session","version":3,"id":"[0-9a-f-]{36}","timestamp":"1970-01-01T00:00:00.000Z","cwd":"\/work"\}$/,
  );
});

test('a session in memory has no file and is never saved', () => {
  const session = memory();
  say(session, 'hi');
  expect([session.file, session.isSaved, session.entryCount, session.messageCount]).toEqual([undefined, false, 1, 1]);
  expect(JSON.parse(session.entriesJson().text)).toEqual(session.entries());
});

describe('the context', () => {
  test('the same stored message is the same object, however often it is asked for', () => {
    const session = memory();
    say(session, 'q');
    const [before] = session.contextMessages();
    reply(session, 'a');
    expect(session.contextMessages()[0]).toBe(before);
  });

  test('extension messages and branch summaries are in it; custom data, labels and names are not', () => {
    const session = memory();
    const id = say(session, 'q');
    session.append({ type: 'custom', customType: 'x', data: 1 });
    session.append({ type: 'label', targetId: id, label: 'here' });
    session.setName('n');
    session.append({ type: 'custom_message', customType: 'x', content: 'INJECTED', display: true });
    session.append({ type: 'branch_summary', fromId: id, summary: 'LEFT' });
    expect(texts(session)).toEqual(['q', 'INJECTED', 'LEFT']);
    expect(session.contextMessages().map(({ role }) => role)).toEqual(['user', 'custom', 'branchSummary']);
    expect(session.messageCount).toBe(3);
  });

  test('a compaction puts its summary first and keeps what it names', () => {
    const session = memory();
    say(session, 'q1');
    reply(session, 'a1');
    const kept = say(session, 'q2');
    reply(session, 'a2');
    const [, , object] = session.contextMessages();
    session.append({ type: 'compaction', summary: 'SUM', firstKeptEntryId: kept, tokensBefore: 9 });
    say(session, 'q3');
    expect(texts(session)).toEqual(['SUM', 'q2', 'a2', 'q3']);
    expect(session.contextMessages()[1]).toBe(object);
    session.append({ type: 'compaction', summary: 'SUM2', firstKeptEntryId: kept, tokensBefore: 9 });
    expect(texts(session)).toEqual(['SUM2', 'q2', 'a2', 'q3']);
  });

  test('a compaction that carries its tail is a checkpoint of its own', () => {
    const session = memory();
    say(session, 'q1');
    const compaction = { type: 'compaction', summary: 'SUM', tokensBefore: 9, retainedTail: [{ role: 'user', content: 'TAIL' }] };
    session.append(compaction as unknown as NewEntry); // what newer programs write
    say(session, 'q2');
    expect(texts(session)).toEqual(['SUM', 'TAIL', 'q2']);
    expect(session.messageCount).toBe(3);
  });

  test('stepping back one entry and going on leaves that entry out, as a retry does', () => {
    const session = memory();
    say(session, 'q');
    const failed = reply(session, '', { stopReason: 'error' });
    session.contextMessages();
    session.setLeaf(session.parentOf(failed));
    reply(session, 'good');
    expect(texts(session)).toEqual(['q', 'good']);
    expect(session.stats().assistantMessages).toBe(2);
  });

  test('however entries, steps back and compactions follow each other, the kept context is the one built anew', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constantFrom('say', 'reply', 'label', 'note') }),
      fc.record({ do: fc.constantFrom('move', 'compact', 'ask'), pick: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const session = memory();
        const ids: string[] = [];
        for (const [n, { do: what, ...more }] of steps.entries()) {
          const pick = 'pick' in more ? more.pick : 0;
          if (what === 'say') ids.push(say(session, `q${n}`));
          else if (what === 'reply') ids.push(reply(session, `a${n}`));
          else if (what === 'label') ids.push(session.append({ type: 'label', targetId: ids[0] ?? 'x', label: 'l' }).id);
          else if (what === 'note')
            ids.push(session.append({ type: 'custom_message', customType: 'x', content: `n${n}`, display: false }).id);
          else if (what === 'move') session.setLeaf(ids[pick % (ids.length + 1)] ?? null);
          else if (what === 'ask') session.contextMessages();
          else
            ids.push(
              session.append({
                type: 'compaction',
                summary: `s${n}`,
                firstKeptEntryId: ids[pick % (ids.length + 1)] ?? 'none',
                tokensBefore: 1,
              }).id,
            );
        }
        const kept = [...session.contextMessages()];
        const anew = memory();
        anew.adopt(session.entries());
        anew.setLeaf(session.leafId);
        expect(kept).toEqual(anew.contextMessages());
        expect(session.messageCount).toBe(kept.length);
        expect(JSON.parse(session.contextMessagesJson().text)).toEqual(kept);
        expect([session.model(), session.thinkingLevel()]).toEqual([anew.model(), anew.thinkingLevel()]);
      }),
    );
  });
});

describe('what a branch records', () => {
  test('model and thinking level are the last ones on the branch, changed or used', () => {
    const session = memory();
    expect([session.model(), session.thinkingLevel()]).toEqual([undefined, undefined]);
    const before = session.append({ type: 'model_change', provider: 'p', modelId: 'one' }).id;
    session.append({ type: 'thinking_level_change', thinkingLevel: 'high' });
    expect([session.model(), session.thinkingLevel()]).toEqual([{ provider: 'p', modelId: 'one' }, 'high']);
    reply(session, 'a', { provider: 'q', model: 'two' });
    expect(session.model()).toEqual({ provider: 'q', modelId: 'two' });
    session.setLeaf(before);
    expect([session.model(), session.thinkingLevel()]).toEqual([{ provider: 'p', modelId: 'one' }, undefined]);
  });

  test('names are trimmed, a blank one is refused', () => {
    const session = createSession({ cwd: '/work', name: ' first ' });
    expect(session.name).toBe('first');
    expect(session.entries()[0]).toMatchObject({ type: 'session_info', name: 'first' });
    expect(() => session.setName('  ')).toThrow(expect.objectContaining({ code: 'SESSION_NAME_EMPTY' }));
    expect(session.name).toBe('first');
  });

  test('the last answer with a text is the last text, thinking left out', () => {
    const session = memory();
    expect(session.lastAssistantText()).toBeNull();
    session.append({
      type: 'message',
      message: answer([
        { type: 'thinking', thinking: 'secret' },
        { type: 'text', text: 'A\nb' },
      ]),
    });
    session.append({ type: 'message', message: answer([call('c')]) });
    expect(session.lastAssistantText()).toBe('A\nb');
  });

  test('fork messages are the user messages of the branch, oldest first', () => {
    const session = memory();
    const first = say(session, 'Q1');
    const turn = reply(session, 'A1');
    say(session, 'abandoned');
    session.setLeaf(turn);
    const second = session.append({ type: 'message', message: user([{ type: 'text', text: 'Q2' }]) }).id;
    expect(session.forkMessages()).toEqual([
      { entryId: first, text: 'Q1' },
      { entryId: second, text: 'Q2' },
    ]);
  });

  test('entries after an id are those appended later; an unknown or empty id is refused', () => {
    const session = memory();
    const ids = ['a', 'b', 'c'].map((text) => say(session, text));
    expect(session.entries(ids[1]).map(({ id }) => id)).toEqual([ids[2]]);
    expect(session.entriesJson(ids[2]).text).toBe('[]');
    for (const since of ['ffffffff', '']) {
      expect(() => session.entriesJson(since)).toThrow(expect.objectContaining({ code: 'SESSION_ENTRY_NOT_FOUND' }));
    }
    expect(() => session.setLeaf('ffffffff')).toThrow(expect.objectContaining({ code: 'SESSION_ENTRY_NOT_FOUND' }));
  });

  test('an entry JSON can’t write is refused, and nothing has changed', () => {
    const session = memory();
    const leaf = say(session, 'hi');
    const data: { self?: unknown } = {};
    data.self = data;
    expect(() => session.append({ type: 'custom', customType: 'x', data })).toThrow(
      expect.objectContaining({ code: 'SESSION_ENTRY_INVALID' }),
    );
    expect([session.entryCount, session.leafId]).toEqual([1, leaf]);
  });
});

describe('statistics', () => {
  test('G33: totals count every branch and every summary, and never fall', () => {
    const session = memory();
    const first = say(session, 'q');
    session.append({ type: 'message', message: answer([call('c'), call('d')]) });
    session.append({ type: 'message', message: { ...result('c'), usage: USAGE } });
    session.append({ type: 'compaction', summary: 's', firstKeptEntryId: first, tokensBefore: 1, usage: USAGE });
    const before = session.stats();
    expect(before).toMatchObject({
      userMessages: 1,
      assistantMessages: 1,
      toolCalls: 2,
      toolResults: 1,
      totalMessages: 3,
      tokens: { input: 30, output: 15, cacheRead: 6, cacheWrite: 3, total: 54 },
    });
    session.setLeaf(first);
    reply(session, 'other way');
    expect(session.stats().tokens.total).toBe(before.tokens.total + 18);
    expect(session.spending.compaction.calls).toBe(1);
  });

  test('G29: usage from before a compaction never counts: the context is unknown until the next answer', () => {
    const session = memory();
    expect(session.stats().contextTokens).toBe(0);
    const first = say(session, 'q');
    reply(session, 'a', { usage: { ...USAGE, input: 1000 } });
    expect(session.stats().contextTokens).toBe(1008);
    say(session, 'x'.repeat(40));
    expect(session.stats().contextTokens).toBe(1018);
    session.append({ type: 'compaction', summary: 's', firstKeptEntryId: first, tokensBefore: 1 });
    expect(session.stats().contextTokens).toBeNull();
    reply(session, 'b', { stopReason: 'error', usage: { ...USAGE, input: 5 } });
    expect(session.stats().contextTokens).toBeNull();
    reply(session, 'b', { usage: { ...USAGE, input: 777 } });
    expect(session.stats().contextTokens).toBe(785);
  });
});

describe('the tree', () => {
  const flat = (nodes: TreeNode[]): TreeNode[] => nodes.flatMap((node) => [node, ...flat(node.children)]);

  test('branches are children in the order they were made, and labels stand on their target', () => {
    const session = memory();
    const root = say(session, 'q');
    const left = reply(session, 'left');
    session.setLeaf(root);
    const right = reply(session, 'right');
    session.append({ type: 'label', targetId: left, label: 'old' });
    session.append({ type: 'label', targetId: left, label: 'new' });
    session.append({ type: 'label', targetId: root, label: 'gone' });
    session.append({ type: 'label', targetId: root });
    const [node] = session.tree();
    expect(node?.children.map(({ entry }) => entry.id)).toEqual([left, right]);
    expect(node?.label).toBeUndefined();
    expect(node?.children[0]).toMatchObject({ label: 'new', labelTimestamp: expect.any(String) });
    expect(JSON.parse(session.treeJson().text)).toEqual(JSON.parse(JSON.stringify(session.tree())));
    expect(flat(session.tree())).toHaveLength(session.entryCount);
  });

  test('a chain of 50 000 entries is a tree, as nodes and as text', () => {
    const session = memory();
    for (let n = 0; n < 50_000; n++) session.append({ type: 'custom', customType: 'n', data: n });
    let depth = 0;
    for (let node = session.tree()[0]; node; node = node.children[0]) depth++;
    expect(depth).toBe(50_000);
    expect(session.treeJson().text.match(/"children":\[/g)).toHaveLength(50_000);
    expect(session.branch()).toHaveLength(50_000);
  });
});
