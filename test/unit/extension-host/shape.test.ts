import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCoded } from '../../../core/base/coded-error.js';
import {
  flag,
  integer,
  json,
  jsonObject,
  list,
  nullable,
  oneOf,
  record,
  type Shape,
  text,
  tuple,
} from '../../../core/extension-host/contract/shape.js';

const refusal = (shape: Shape<unknown>, value: unknown): string => {
  try {
    shape(value, 'it');
  } catch (error) {
    if (isCoded(error, 'BOUNDARY_BAD_MESSAGE')) return error.message;
    throw error;
  }
  return 'accepted';
};

describe('a shape', () => {
  it('names the place of what does not fit', () => {
    const shape = record({ tools: list(record({ name: text(3) })) });
    expect(refusal(shape, { tools: [{ name: 'ls' }, { name: 7 }] })).toMatch(/^it\.tools\[1\]\.name: expected .*, got number$/);
    expect(refusal(shape, { tools: [{ name: 'toolong' }] })).toMatch(/^it\.tools\[0\]\.name/);
    expect(refusal(shape, { tools: {} })).toMatch(/^it\.tools: expected a list/);
    expect(refusal(shape, null)).toMatch(/^it: expected an object, got null$/);
  });

  it('drops members nobody declared and never looks at inherited ones', () => {
    const shape = record({ name: text() }, { note: text() });
    expect(shape({ name: 'a', constructor: 'x', extra: 1 }, 'it')).toEqual({ name: 'a' });
    expect(refusal(shape, Object.create({ name: 'inherited' }))).toMatch(/^it\.name/);
    expect(refusal(record({ toString: text() }), {})).toMatch(/^it\.toString/);
  });

  it.each<[string, Shape<unknown>, unknown]>([
    ['a number for a text', text(), 1],
    ['a text for a flag', flag, 'true'],
    ['a fraction for an integer', integer(), 1.5],
    ['a negative integer', integer(0), -1],
    ['an integer beyond 2^53', integer(), 2 ** 60],
    ['a word that is not listed', oneOf('a', 'b'), 'toString'],
    ['a missing argument', tuple(text(), text()), ['a']],
    ['a surplus argument', tuple(text()), ['a', 'b']],
    ['an object for arguments', tuple(text()), { 0: 'a', length: 1 }],
    ['a list for an object', jsonObject, []],
    ['too many items', list(text(), 2), ['a', 'b', 'c']],
    ['nothing for a value', json, undefined],
    ['undefined for a nullable', nullable(text()), undefined],
  ])('refuses %s', (_what, shape, value) => {
    expect(refusal(shape, value)).not.toBe('accepted');
  });

  it('drops `__proto__` members of free values at every level', () => {
    const value = json(JSON.parse('{"a":[{"__proto__":{"evil":1},"b":2}],"__proto__":3,"constructor":{"prototype":1}}'), 'it');
    expect(JSON.stringify(value)).toBe('{"a":[{"b":2}],"constructor":{"prototype":1}}');
    expect(({} as Record<string, unknown>).evil).toBeUndefined();
  });

  it('refuses what is nested too deep, without overflowing the stack', () => {
    expect(refusal(json, JSON.parse('['.repeat(1_000) + ']'.repeat(1_000)))).toBe('accepted');
    expect(refusal(json, JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)))).toMatch(/at most 1000 levels/);
  });

  it('gives back every JSON value as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const written = JSON.stringify(value);
        fc.pre(!written.includes('__proto__'));
        expect(JSON.stringify(json(JSON.parse(written), 'it'))).toBe(written);
      }),
    );
  });
});
