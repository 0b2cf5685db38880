import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeAround, encodeOnce, forgetEncoded } from '../../../core/base/encode-once.js';
import { escapeSeparators } from '../../../core/base/jsonl.js';

const MESSAGES = new Set(['message', 'messages']);

it('gives what JSON.stringify gives, separators escaped, for every record', () => {
  const value = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.string({ unit: 'binary' }));
  const record = fc.record(
    { type: fc.string(), message: value, messages: fc.array(value), other: value, '__x"': value },
    { requiredKeys: ['type'] },
  );
  fc.assert(
    fc.property(record, (one) => {
      expect(encodeAround(one, MESSAGES)).toBe(escapeSeparators(JSON.stringify(one)));
    }),
  );
});

it('encodes a value once while it is one of the last few', () => {
  let times = 0;
  const counted = {
    toJSON() {
      times += 1;
      return { text: 'said' };
    },
  };
  expect(encodeAround({ message: counted }, MESSAGES)).toBe('{"message":{"text":"said"}}');
  expect(encodeAround({ messages: [counted] }, MESSAGES)).toBe('{"messages":[{"text":"said"}]}');
  expect(times).toBe(1);
  for (let at = 0; at < 100; at++) encodeOnce({ at });
  encodeOnce(counted);
  expect(times).toBe(2);
  forgetEncoded();
  encodeOnce(counted);
  expect(times).toBe(3);
});

it('keeps nothing that is longer than all it may keep', () => {
  let times = 0;
  const long = {
    toJSON() {
      times += 1;
      return 'x'.repeat(5_000_000);
    },
  };
  encodeOnce(long);
  encodeOnce(long);
  expect(times).toBe(2);
});
