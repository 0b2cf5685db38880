import { describe, expect, it } from 'vitest';
import type { StoredEntry } from '../../../core/protocol/commands/session.js';
import { SessionView } from '../../../core/session/session-view.js';
import { answered, chain, entry, said } from './builders.js';

/** A list that counts how often its entries are looked at. */
function counted(entries: StoredEntry[]): { list: StoredEntry[]; reads: () => number } {
  let reads = 0;
  const list = new Proxy(entries, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  return { list, reads: () => reads };
}

function viewOf(state: { entries: readonly StoredEntry[]; leaf?: string | null }): SessionView {
  return new SessionView({
    entries: () => state.entries,
    leafId: () => (state.leaf === undefined ? (state.entries.at(-1)?.id ?? null) : state.leaf),
    header: () => ({ type: 'session', version: 3, id: 'the-id', timestamp: 't', cwd: '/work' }),
    file: () => '/work/s.jsonl',
    dir: () => '/work',
  });
}

describe('a view of entries that somebody else keeps', () => {
  it('tells about the session from the header and the place it is given', () => {
    const view = viewOf({ entries: [] });
    expect(view.getSessionId()).toBe('the-id');
    expect(view.getCwd()).toBe('/work');
    expect(view.getSessionFile()).toBe('/work/s.jsonl');
    expect(view.getSessionDir()).toBe('/work');
    expect(view.isPersisted()).toBe(true);
    expect(view.getLeafId()).toBeNull();
    expect(view.getLeafEntry()).toBeUndefined();
    expect(view.getBranch()).toEqual([]);
    expect(view.buildSessionContext()).toEqual({ messages: [], thinkingLevel: 'off', model: null });
  });

  it('answers unknown ids with nothing', () => {
    const view = viewOf({ entries: chain() });
    expect(view.getEntry('nope')).toBeUndefined();
    expect(view.getBranch('nope')).toEqual([]);
    expect(view.getChildren('nope')).toEqual([]);
    expect(view.getLabel('nope')).toBeUndefined();
  });

  it('hands out copies of its lists: changing them changes nothing', () => {
    const view = viewOf({ entries: chain() });
    view.getBranch().length = 0;
    view.getEntries().length = 0;
    view.getChildren('aaaaaaa1').length = 0;
    view.buildSessionContext().messages.length = 0;
    expect(view.getBranch()).toHaveLength(4);
    expect(view.getEntries()).toHaveLength(4);
    expect(view.getChildren('aaaaaaa1')).toHaveLength(1);
    expect(view.buildSessionContext().messages).toHaveLength(4);
  });

  it('looks only at new entries when it is asked again', () => {
    const entries = Array.from({ length: 2000 }, (_, at) => said(`e${at}`, at === 0 ? null : `e${at - 1}`, 'text'));
    const { list, reads } = counted(entries);
    const view = viewOf({ entries: list });
    view.getBranch();
    view.buildSessionContext();
    const before = reads();
    for (let at = 2000; at < 2010; at++) {
      entries.push(said(`e${at}`, `e${at - 1}`, 'more'));
      expect(view.getLeafEntry()?.id).toBe(`e${at}`);
      expect(view.getBranch()).toHaveLength(at + 1);
      expect(view.buildSessionContext().messages).toHaveLength(at + 1);
      view.getLabel('e0');
      view.getSessionName();
    }
    expect(reads() - before).toBeLessThan(1000);
  });

  it('reads a list that takes the place of another, as after a change of session', () => {
    const state = { entries: chain() };
    const view = viewOf(state);
    expect(view.getBranch()).toHaveLength(4);
    state.entries = [said('bbbbbbb1', null, 'other')];
    expect(view.getBranch().map(({ id }) => id)).toEqual(['bbbbbbb1']);
    expect(view.getEntry('aaaaaaa1')).toBeUndefined();
    state.entries = [...state.entries, answered('bbbbbbb2', 'bbbbbbb1', 'yes')];
    expect(view.getBranch().map(({ id }) => id)).toEqual(['bbbbbbb1', 'bbbbbbb2']);
    // As long as the old one, with other entries.
    state.entries = [said('ccccccc1', null, 'third'), answered('ccccccc2', 'ccccccc1', 'yes')];
    expect(view.getBranch().map(({ id }) => id)).toEqual(['ccccccc1', 'ccccccc2']);
  });

  it('forgets the last of a list that became shorter', () => {
    const state = { entries: chain() };
    const view = viewOf(state);
    view.getBranch();
    state.entries = state.entries.slice(0, 2);
    expect(view.getEntry('aaaaaaa4')).toBeUndefined();
    expect(view.getBranch()).toHaveLength(2);
  });

  it('hangs a child that came before its parent below it, once that is there', () => {
    const state: { entries: StoredEntry[] } = { entries: [said('bbbbbbb2', 'bbbbbbb1', 'child')] };
    const view = viewOf({ ...state, leaf: 'bbbbbbb2' });
    expect(view.getBranch().map(({ id }) => id)).toEqual(['bbbbbbb2']);
    state.entries.push(said('bbbbbbb1', null, 'parent'));
    expect(view.getBranch().map(({ id }) => id)).toEqual(['bbbbbbb1', 'bbbbbbb2']);
    expect(view.buildSessionContext().messages).toHaveLength(2);
  });

  it('ends on parents in a circle', () => {
    const view = viewOf({ entries: [said('bbbbbbb1', 'bbbbbbb2', 'one'), said('bbbbbbb2', 'bbbbbbb1', 'two')] });
    expect(view.getBranch().length).toBeGreaterThan(0);
    expect(view.getTree().length).toBeGreaterThan(0);
    expect(view.getChildren('bbbbbbb1').map(({ id }) => id)).toEqual(['bbbbbbb2']);
  });

  it('leaves an older summary out of what a newer one kept', () => {
    const entries = [
      ...chain(),
      entry('compaction', 'ccccccc1', 'aaaaaaa4', { summary: 'old', firstKeptEntryId: 'aaaaaaa3', tokensBefore: 1 }),
      said('aaaaaaa5', 'ccccccc1', 'third question'),
      entry('compaction', 'ccccccc2', 'aaaaaaa5', { summary: 'new', firstKeptEntryId: 'aaaaaaa4', tokensBefore: 1 }),
    ];
    const view = viewOf({ entries });
    expect(view.buildContextEntries().map(({ id }) => id)).toEqual(['ccccccc2', 'aaaaaaa4', 'aaaaaaa5']);
    expect(view.buildSessionContext().messages.map(({ role }) => role)).toEqual(['compactionSummary', 'assistant', 'user']);
  });
});
