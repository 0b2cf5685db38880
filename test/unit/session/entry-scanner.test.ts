import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EntryScanner, type ScannedLine } from '../../../core/session/entry-scanner.js';
import { Ledger } from '../../../core/session/ledger.js';
import { answer, call, entry, result, USAGE, user } from './builders.js';

const scanner = new EntryScanner();
const scan = (text: string): number => {
  const bytes = Buffer.from(text);
  return scanner.scan(bytes, 0, bytes.length);
};
const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};
/** The whole text is one object, as the loader asks it. */
const accepts = (text: string): boolean => {
  const after = scan(text);
  return after >= 0 && Buffer.from(text).subarray(after).toString().trim() === '';
};

test('every JSON object is accepted, however it is spaced and escaped', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 5 })),
      fc.constantFrom('', ' ', '\t'),
      (value, space) => {
        const text = JSON.stringify(value, null, space).replaceAll('\n', '');
        expect(scan(text)).toBe(Buffer.byteLength(text));
      },
    ),
  );
});

test('a line is accepted exactly when JSON.parse makes an object of it', () => {
  const sound = JSON.stringify(
    entry('message', 'a1', null, {
      message: answer([{ type: 'text', text: 'say "hi"\\\n\u00e9' }, call('c')]),
      n: [-1.5e3, 0, true],
    }),
  );
  const damage = fc.record({
    at: fc.nat(sound.length - 1),
    cut: fc.nat(3),
    put: fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '0', '-', 'e', '\\', 'u', '\u0001', 't'),
  });
  fc.assert(
    fc.property(damage, ({ at, cut, put }) => {
      const text = sound.slice(0, at) + put + sound.slice(at + cut);
      expect([text, accepts(text)]).toEqual([text, isJsonObject(text)]);
    }),
    { numRuns: 3000 },
  );
});

test.each([
  '01',
  '-',
  '1.',
  '.5',
  '1e',
  '+1',
  'nul',
  'NaN',
  '"\\x"',
  '"\\u12g4"',
  "'a'",
  '[1,]',
  '{"a":1,}',
  '{,}',
  '"a\u0001b"',
])('a value JSON does not have is refused: %s', (value) => expect(scan(`{"k":${value}}`)).toBe(-1));

test('a line may be nested deeper than any call stack', () => {
  const depth = 200_000;
  expect(accepts(`{"k":${'['.repeat(depth)}${']'.repeat(depth)}}`)).toBe(true);
  expect(accepts(`{"k":${'['.repeat(depth)}${']'.repeat(depth - 1)}}`)).toBe(false);
});

const anyText = fc.string({ unit: 'binary', maxLength: 8 });
const anyNumber = fc.oneof(
  fc.nat(),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.constant('no number'),
  fc.constant(null),
);
const anyUsage = fc.option(
  fc.record({
    input: anyNumber,
    output: anyNumber,
    cacheRead: anyNumber,
    cacheWrite: anyNumber,
    cost: fc.oneof(fc.constant(7), fc.record({ total: anyNumber })),
  }),
  { nil: undefined },
);
const anyBlock = fc.oneof(fc.constant(call('x')), fc.constant({ type: 'text', text: 'a' }), fc.jsonValue({ maxDepth: 2 }));
const anyEntry = fc.record({
  type: fc.constantFrom('message', 'compaction', 'branch_summary', 'custom', 'm\u00e9ssage'),
  id: fc.oneof(anyText, fc.constant('aaaaaaa1')),
  parentId: fc.oneof(anyText, fc.constant(null), fc.constant('aaaaaaa1')),
  usage: anyUsage,
  message: fc.option(
    fc.record({
      role: fc.oneof(
        fc.constantFrom('user', 'assistant', 'toolResult', 'bashExecution'),
        anyText.filter((text) => text !== ''),
      ),
      content: fc.oneof(fc.constant('text'), fc.array(anyBlock)),
      usage: anyUsage,
    }),
    { nil: undefined },
  ),
});

test('G33: the counters read from bytes are those of the parsed entry', () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 6 }), (entries) => {
      const [fromBytes, fromEntries] = [new Ledger(), new Ledger()];
      for (const value of entries) {
        const text = JSON.stringify(value);
        expect(scan(text)).toBe(Buffer.byteLength(text));
        fromBytes.add(scanner.line);
        fromEntries.addEntry(JSON.parse(text));
      }
      expect(fromBytes.counters()).toEqual(fromEntries.counters());
      expect(fromBytes.causes).toEqual(fromEntries.causes);
    }),
  );
});

test('place in the tree, message bytes and role are those of the parsed entry', () => {
  fc.assert(
    fc.property(anyEntry, (value) => {
      const text = JSON.stringify(value);
      scan(text);
      const parsed: { type: string; id: string; parentId: string | null; message?: { role: string } } = JSON.parse(text);
      const { line } = scanner;
      expect([line.type, line.id, line.parentId]).toEqual([parsed.type, parsed.id, parsed.parentId]);
      expect(line.role).toBe(parsed.message?.role ?? null);
      if (line.messageStart < 0) return;
      const bytes = Buffer.from(text).subarray(line.messageStart, line.messageEnd);
      expect(JSON.parse(bytes.toString())).toEqual(parsed.message);
    }),
  );
});

test('keys and words written with escapes are understood', () => {
  const text =
    '{"ty\\u0070e":"mess\\u0061ge","id":"\\u0061b","parentId":"x\\n","m\\u0065ssage":{"role":"us\\u0065r","content":[]}}';
  expect(accepts(text)).toBe(true);
  expect(scanner.line).toMatchObject({ type: 'message', id: 'ab', parentId: 'x\n', role: 'user' } satisfies Partial<ScannedLine>);
});

test('what follows the object is left to the caller', () => {
  const first = JSON.stringify(entry('message', 'a', null, { message: user('hi') }));
  expect(scan(`${first}{"x":1}`)).toBe(first.length);
});

test('G33: usage of answers, tools and summaries is kept by cause, and negative figures count as nothing', () => {
  const ledger = new Ledger();
  ledger.addEntry(entry('message', 'a', null, { message: answer([call('c')]) }));
  ledger.addEntry(entry('message', 'b', 'a', { message: { ...result('c'), usage: USAGE } }));
  ledger.addEntry(entry('compaction', 'c', 'b', { summary: 's', usage: USAGE }));
  ledger.addEntry(entry('branch_summary', 'd', 'c', { summary: 's', usage: { ...USAGE, input: -50, cost: { total: -1 } } }));
  expect(ledger.causes.answer).toEqual({ calls: 1, input: 10, output: 5, cacheRead: 2, cacheWrite: 1, cost: 0.3 });
  expect(ledger.causes.tool.calls).toBe(1);
  expect(ledger.causes.branchSummary).toEqual({ calls: 1, input: 0, output: 5, cacheRead: 2, cacheWrite: 1, cost: 0 });
  expect(ledger.counters()).toMatchObject({
    assistantMessages: 1,
    toolCalls: 1,
    toolResults: 1,
    totalMessages: 2,
    tokens: { input: 30, output: 20, total: 62 },
  });
});
