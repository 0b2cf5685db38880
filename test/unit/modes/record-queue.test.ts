import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RawJson, textOf } from '../../../core/base/raw-json.js';
import { type OutgoingRecord, RecordQueue } from '../../../core/modes/output/record-queue.js';
import type { AgentEvent } from '../../../core/protocol/events.js';

const textDelta = (delta: string, contentIndex = 0): AgentEvent => ({
  type: 'message_update',
  assistantMessageEvent: { type: 'text_delta', contentIndex, delta },
});
/** Takes once, as text. */
const taken = (queue: RecordQueue): string => textOf(queue.take());
const records = (queue: RecordQueue): Record<string, unknown>[] =>
  taken(queue)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the queue of outgoing records', () => {
  it('G1: writes U+2028, U+2029 and U+0085 escaped, and nothing but LF ends a record', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', '\u2028', '\u2029', '\u0085', '\n', '\r', '"', '🚀') })),
        (texts) => {
          const queue = new RecordQueue({ sequenceNumbers: false });
          for (const text of texts) queue.push({ type: 'queue_update', steering: [text], followUp: [] });
          const out = taken(queue);
          expect(out).not.toMatch(/[\u2028\u2029\u0085]/);
          const lines = out.split('\n');
          expect(lines.pop()).toBe('');
          expect(lines.map((line) => (JSON.parse(line) as { steering: string[] }).steering[0])).toEqual(texts);
        },
      ),
    );
  });

  it('G3: joins deltas of one block that wait together, and adds at most 130 bytes around a delta', () => {
    const queue = new RecordQueue({ sequenceNumbers: false });
    for (const delta of ['Hel', 'lo', ' you']) queue.push(textDelta(delta));
    const joined = taken(queue);
    expect(joined.split('\n').filter(Boolean)).toHaveLength(1);
    expect(JSON.parse(joined)).toEqual(textDelta('Hello you'));
    queue.push(textDelta('x', 12345));
    expect(Buffer.byteLength(taken(queue)) - 1).toBeLessThanOrEqual(130);
  });

  it('G3: keeps order and text whatever is mixed', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('delta' as const), index: fc.nat(2), text: fc.string() }),
      fc.record({ kind: fc.constant('other' as const), index: fc.nat(2), text: fc.string() }),
    );
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const queue = new RecordQueue({ sequenceNumbers: false });
        for (const { kind, index, text } of events) {
          queue.push(kind === 'delta' ? textDelta(text, index) : { type: 'queue_update', steering: [text], followUp: [] });
        }
        const seen: string[] = [];
        for (const record of records(queue)) {
          const update = record.assistantMessageEvent as { contentIndex: number; delta: string } | undefined;
          if (update) seen.push(...[...update.delta].map((char) => `${update.contentIndex}${char}`));
          else seen.push(`q${(record.steering as string[])[0]}`);
        }
        const wanted = events.flatMap(({ kind, index, text }) =>
          kind === 'delta' ? [...text].map((char) => `${index}${char}`) : [`q${text}`],
        );
        expect(seen).toEqual(wanted);
      }),
    );
  });

  it('G4: a backlog of 50 000 deltas grows to little more than their text, and lifecycle records are all kept', () => {
    const queue = new RecordQueue({ sequenceNumbers: false });
    queue.push({ type: 'agent_start' });
    for (let i = 0; i < 50_000; i += 1) queue.push(textDelta('word '));
    queue.push({ type: 'agent_settled' });
    const text = taken(queue);
    expect(text.length).toBeLessThan(250_000 * 1.4);
    const seen = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { type: string });
    expect(seen[0]).toEqual({ type: 'agent_start' });
    expect(seen.at(-1)).toEqual({ type: 'agent_settled' });
  });

  it('does not join deltas into one that is large beside the others', () => {
    const queue = new RecordQueue({ sequenceNumbers: false });
    for (let i = 0; i < 30; i += 1) queue.push(textDelta('x'.repeat(100)));
    for (const record of records(queue)) expect(JSON.stringify(record).length).toBeLessThan(500);
  });

  it('G4: a newer progress report of a tool call replaces one that was not yet taken', () => {
    const queue = new RecordQueue({ sequenceNumbers: false });
    const report = (toolCallId: string, text: string): OutgoingRecord => ({
      type: 'tool_execution_update',
      toolCallId,
      toolName: 'bash',
      args: {},
      partialResult: { content: [{ type: 'text', text }] },
    });
    queue.push(report('a', '1'));
    queue.push(report('b', '1'));
    queue.push(report('a', '2'));
    expect(records(queue)).toMatchObject([
      { toolCallId: 'a', partialResult: { content: [{ text: '2' }] } },
      { toolCallId: 'b', partialResult: { content: [{ text: '1' }] } },
    ]);
    queue.push(report('a', '3'));
    expect(records(queue)).toHaveLength(1);
  });

  it('joins the output of one bash command but not of two', () => {
    const queue = new RecordQueue({ sequenceNumbers: false });
    queue.push({ type: 'bash_execution_update', id: 1, delta: 'a' });
    queue.push({ type: 'bash_execution_update', id: 1, delta: 'b' });
    queue.push({ type: 'bash_execution_update', id: '1', delta: 'c' });
    queue.push({ type: 'bash_execution_update', delta: 'd' });
    expect(records(queue)).toEqual([
      { type: 'bash_execution_update', id: 1, delta: 'ab' },
      { type: 'bash_execution_update', id: '1', delta: 'c' },
      { type: 'bash_execution_update', delta: 'd' },
    ]);
  });

  it('G7: numbers every record and replays those after a number', () => {
    const queue = new RecordQueue({ sequenceNumbers: true });
    queue.push({ type: 'agent_start' });
    queue.push(textDelta('a'));
    queue.push(textDelta('b'));
    queue.push({ type: 'agent_settled' });
    expect(records(queue).map((record) => record.seq)).toEqual([1, 2, 3]);
    const { events, complete } = queue.replay(1);
    expect(complete).toBe(true);
    expect(JSON.parse(events.text)).toMatchObject([{ seq: 2 }, { seq: 3, type: 'agent_settled' }]);
  });

  it('G7: says so when older records are gone from the ring', () => {
    const queue = new RecordQueue({ sequenceNumbers: true });
    for (let i = 0; i < 3000; i += 1) queue.push({ type: 'agent_start' });
    expect(queue.replay(0).complete).toBe(false);
    expect(queue.replay(2999)).toMatchObject({ complete: true });
    expect(JSON.parse(queue.replay(2998).events.text)).toHaveLength(2);
  });

  it('passes text on that is encoded already', () => {
    const queue = new RecordQueue({ sequenceNumbers: false });
    queue.push({ id: 7, type: 'response', command: 'get_entries', success: true, data: new RawJson('{"entries":[{"a":1}]}') });
    expect(taken(queue)).toBe('{"id":7,"type":"response","command":"get_entries","success":true,"data":{"entries":[{"a":1}]}}\n');
  });

  it('G8: makes a long record piece by piece, about a megabyte at a time, with what came later behind it', () => {
    const queue = new RecordQueue({ sequenceNumbers: false });
    let made = 0;
    function* entries(): Generator<string> {
      for (let i = 0; i < 100; i += 1) {
        made += 1;
        yield `${i > 0 ? ',' : ''}"${'\u2028'.repeat(100_000)}"`;
      }
    }
    queue.push({ id: 1, type: 'response', command: 'get_entries', success: true, data: new RawJson(entries()).within('[', ']') });
    queue.push({ type: 'agent_start' });
    const steps: string[] = [];
    while (!queue.isEmpty) {
      const before = made;
      steps.push(taken(queue));
      expect(made - before).toBeLessThan(13);
    }
    expect(steps.length).toBeGreaterThan(5);
    const lines = steps.join('').split('\n');
    expect((JSON.parse(lines[0] ?? '') as { data: string[] }).data).toHaveLength(100);
    expect(lines.slice(1)).toEqual(['{"type":"agent_start"}', '']);
  });

  it('makes the rest of a long record at once when its source is about to go', () => {
    const queue = new RecordQueue({ sequenceNumbers: false });
    let open = true;
    function* entries(): Generator<string> {
      for (let i = 0; i < 4; i += 1) {
        if (!open) throw new Error('closed');
        yield `${i > 0 ? ',' : ''}"${'x'.repeat(600_000)}"`;
      }
    }
    queue.push({ id: 1, type: 'response', command: 'get_entries', success: true, data: new RawJson(entries()).within('[', ']') });
    const first = taken(queue);
    queue.materialise();
    open = false;
    let rest = '';
    while (!queue.isEmpty) rest += taken(queue);
    expect((JSON.parse(first + rest) as { data: string[] }).data).toHaveLength(4);
  });

  it('ends the line of a record that can not be made to its end, and says so with its id', () => {
    const queue = new RecordQueue({ sequenceNumbers: false });
    function* entries(): Generator<string> {
      yield '1';
      throw new Error('the file is gone');
    }
    queue.push({ id: 9, type: 'response', command: 'get_entries', success: true, data: new RawJson(entries()).within('[', ']') });
    const lines = taken(queue).split('\n');
    expect(JSON.parse(lines[1] ?? '')).toEqual({
      id: 9,
      type: 'response',
      command: 'get_entries',
      success: false,
      error: 'the file is gone',
    });
  });
});
