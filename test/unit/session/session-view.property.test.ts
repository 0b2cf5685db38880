import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewEntry } from '../../../core/protocol/entries.js';
import { createSession, type Session } from '../../../core/session/session.js';
import { SessionView } from '../../../core/session/session-view.js';
import { contextMessage } from '../../../core/session/stored-message.js';
import { answer, result, user } from './builders.js';

type Step = { kind: 'append'; entry: (ids: string[]) => NewEntry } | { kind: 'move'; to: number } | { kind: 'read' };

const someId = (ids: string[], at: number): string => ids[at % Math.max(1, ids.length)] ?? 'nothing0';

const entries: fc.Arbitrary<(ids: string[]) => NewEntry> = fc.oneof(
  fc.string().map((text) => () => ({ type: 'message', message: user(text) }) as const),
  fc.string().map((text) => () => ({ type: 'message', message: answer(text, { model: `m${text.length}` }) }) as const),
  fc.string().map((text) => () => ({ type: 'message', message: result('call', text) }) as const),
  fc.constant(() => ({ type: 'custom', customType: 'own', data: 1 }) as const),
  fc.string().map((content) => () => ({ type: 'custom_message', customType: 'own', content, display: true }) as const),
  fc.constant(() => ({ type: 'model_change', provider: 'p', modelId: 'chosen' }) as const),
  fc.constantFrom('off', 'low', 'high').map((thinkingLevel) => () => ({ type: 'thinking_level_change', thinkingLevel }) as const),
  fc.constantFrom('', 'one', 'two').map((name) => () => ({ type: 'session_info', name }) as const),
  fc
    .nat(50)
    .chain((at) =>
      fc
        .constantFrom(undefined, 'a', 'b')
        .map(
          (label) => (ids: string[]) =>
            ({ type: 'label', targetId: someId(ids, at), ...(label === undefined ? {} : { label }) }) as const,
        ),
    ),
  fc
    .nat(50)
    .map(
      (at) => (ids: string[]) =>
        ({ type: 'compaction', summary: 'short', firstKeptEntryId: someId(ids, at), tokensBefore: 10 }) as const,
    ),
  fc.nat(50).map((at) => (ids: string[]) => ({ type: 'branch_summary', summary: 'left', fromId: someId(ids, at) }) as const),
);

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: entries.map((entry): Step => ({ kind: 'append', entry })) },
    { weight: 2, arbitrary: fc.nat(50).map((to): Step => ({ kind: 'move', to })) },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'read' }) },
  ),
  { maxLength: 60 },
);

function expectSame(view: SessionView, session: Session): void {
  const all = session.entries();
  expect(view.getEntries()).toEqual(all);
  expect(view.getBranch()).toEqual(session.branch());
  expect(view.getTree()).toEqual(session.tree());
  expect(view.getSessionName()).toBe(session.name);
  const context = view.buildSessionContext();
  expect(context.messages).toEqual(session.contextMessages());
  expect(context.model).toEqual(session.model() ?? null);
  expect(context.thinkingLevel).toBe(session.thinkingLevel() ?? 'off');
  expect(view.buildContextEntries().flatMap((entry) => contextMessage(entry) ?? [])).toEqual(context.messages);
  const labels = session.labels();
  for (const { id } of all) {
    expect(view.getLabel(id)).toBe(labels.get(id)?.label);
    expect(view.getBranch(id)).toEqual(session.branch(id));
    expect(view.getChildren(id)).toEqual(all.filter(({ parentId }) => parentId === id));
    expect(view.getEntry(id)).toEqual(session.getEntry(id));
  }
}

describe('a view of a session', () => {
  it('reads what the session itself reads, whenever it is asked', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const session = createSession({ cwd: '/work' });
        const view = new SessionView({
          entries: () => session.entries(),
          leafId: () => session.leafId,
          header: () => session.header,
          file: () => session.file,
          dir: () => '',
        });
        for (const step of list) {
          const ids = session.entries().map(({ id }) => id);
          if (step.kind === 'append') session.append(step.entry(ids));
          else if (step.kind === 'read') expectSame(view, session);
          else session.setLeaf(ids.length === 0 || step.to === 0 ? null : someId(ids, step.to));
        }
        expectSame(view, session);
      }),
      { numRuns: 150 },
    );
  });
});
