import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageQueues, type Sayable, textOf } from '../../../core/agent/message-queues.js';
import type { CustomMessage, UserMessage } from '../../../core/protocol/messages.js';

const say = (text: string): UserMessage => ({ role: 'user', content: [{ type: 'text', text }], timestamp: 1 });

const note = (content: string): CustomMessage => ({ role: 'custom', customType: 'note', content, display: true, timestamp: 1 });

describe('queued messages', () => {
  it('G30: each leaves exactly once, in order, images included', () => {
    const operation = fc.oneof(
      fc.record({ op: fc.constant('push' as const), kind: fc.constantFrom('steering' as const, 'followUp' as const) }),
      fc.record({ op: fc.constant('take' as const), kind: fc.constantFrom('steering' as const, 'followUp' as const) }),
      fc.record({ op: fc.constant('clear' as const), kind: fc.constant('steering' as const) }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const queues = new MessageQueues({ steering: 'all', followUp: 'one-at-a-time' }, () => undefined);
        const pushed: Record<string, UserMessage[]> = { steering: [], followUp: [] };
        const left: Record<string, Sayable[]> = { steering: [], followUp: [] };
        let serial = 0;
        for (const { op, kind } of operations) {
          if (op === 'push') {
            const message: UserMessage = {
              ...say(String(serial++)),
              content: [
                { type: 'text', text: String(serial) },
                { type: 'image', data: 'AA==', mimeType: 'image/png' },
              ],
            };
            pushed[kind]?.push(message);
            queues.push(kind, message);
          } else if (op === 'take') {
            const message = queues.take(kind);
            if (message) left[kind]?.push(message);
          } else {
            const taken = queues.clear();
            for (const each of ['steering', 'followUp'] as const) {
              const rest = (pushed[each] ?? []).slice(left[each]?.length);
              expect(taken[each]).toEqual(rest.map(textOf));
              left[each]?.push(...rest);
            }
          }
        }
        for (const kind of ['steering', 'followUp'] as const) {
          for (let next = queues.take(kind); next; next = queues.take(kind)) left[kind]?.push(next);
          expect(left[kind]).toEqual(pushed[kind]);
        }
      }),
    );
  });

  it('says the whole of both queues at each change, and nothing when nothing changed', () => {
    const seen: [string[], string[]][] = [];
    const queues = new MessageQueues({ steering: 'all', followUp: 'all' }, (steering, followUp) =>
      seen.push([steering, followUp]),
    );
    queues.clear();
    queues.push('steering', say('s'));
    queues.push('followUp', say('f'));
    queues.take('steering');
    queues.take('steering');
    queues.clear();
    expect(seen).toEqual([
      [['s'], []],
      [['s'], ['f']],
      [[], ['f']],
      [[], []],
    ]);
  });

  it('holds messages of extensions among those of the user, whose texts alone clients see', () => {
    const seen: [string[], string[]][] = [];
    const queues = new MessageQueues({ steering: 'all', followUp: 'all' }, (steering, followUp) =>
      seen.push([steering, followUp]),
    );
    queues.push('steering', note('hidden'));
    queues.push('steering', say('shown'));
    queues.push('steering', note('hidden too'));
    expect(queues.due('steering')).toBe(3);
    expect(['', '', ''].map(() => queues.take('steering')?.role)).toEqual(['custom', 'user', 'custom']);
    expect(seen).toEqual([
      [['shown'], []],
      [[], []],
    ]);
  });

  it('keeps messages for the next prompt outside of both queues, until they are taken or cleared', () => {
    const queues = new MessageQueues({ steering: 'all', followUp: 'all' }, () => undefined);
    queues.holdForPrompt(note('a'));
    queues.holdForPrompt(note('b'));
    expect(queues.size).toBe(0);
    expect(queues.takeForPrompt().map(({ content }) => content)).toEqual(['a', 'b']);
    queues.holdForPrompt(note('c'));
    queues.clear();
    expect(queues.takeForPrompt()).toEqual([]);
  });

  it('delivers all or one, as the mode says', () => {
    const queues = new MessageQueues({ steering: 'all', followUp: 'one-at-a-time' }, () => undefined);
    for (const text of ['1', '2', '3']) {
      queues.push('steering', say(text));
      queues.push('followUp', say(text));
    }
    expect([queues.due('steering'), queues.due('followUp')]).toEqual([3, 1]);
  });
});
