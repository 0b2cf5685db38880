import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../../../core/providers/lenient-json.js';

describe('arguments that a model streamed', () => {
  it.each([
    ['', {}],
    ['   ', {}],
    ['{}', {}],
    ['{"a":1}', { a: 1 }],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['{}{"a":1}', { a: 1 }],
    ['{"a":1}garbage', { a: 1 }],
    ['{"a":"x', { a: 'x' }],
    ['{"a":"x\\', { a: 'x' }],
    ['{"a":"x\\u00', { a: 'x' }],
    ['{"a":"\\u00e9\\n', { a: 'é\n' }],
    ['{"a":"two\nlines\tand a tab"}', { a: 'two\nlines\tand a tab' }],
    ['{"a":"\\d+\\."}', { a: '\\d+\\.' }],
    ['{"a":[1,2', { a: [1, 2] }],
    ['{"a":[1,2,],}', { a: [1, 2] }],
    ['{"a":{"b":[{"c":tr', { a: { b: [{ c: true }] } }],
    ['{"a":12.', { a: 12 }],
    ['{"a":-1.5e3,"b":nul', { a: -1500, b: null }],
    ['{"a":1,"b', { a: 1 }],
    ['{"a":1,"b":', { a: 1 }],
    ['{"a":1,"b":nonsense}', { a: 1 }],
    ['[1,2]', {}],
    ['42', {}],
    ['nonsense', {}],
    ['null', {}],
  ])('%s', (text, args) => {
    expect(parseArguments(text)).toEqual(args);
  });

  it('keeps a key named __proto__ a key', () => {
    const args = parseArguments('{"__proto__":{"polluted":true},"a":1,');
    expect(Object.keys(args)).toEqual(['__proto__', 'a']);
    expect('polluted' in args).toBe(false);
  });

  it('survives text of any depth', () => {
    expect(() => parseArguments(`{"a":${'['.repeat(100_000)}`)).not.toThrow();
    expect(() => parseArguments('{"a":'.repeat(100_000))).not.toThrow();
  });

  it('reads whole JSON as JSON, and never throws on any part of it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (args, cut) => {
        const text = JSON.stringify(args);
        expect(parseArguments(text)).toEqual(JSON.parse(text));
        expect(parseArguments(text.slice(0, cut % (text.length + 1)))).toBeTypeOf('object');
      }),
    );
  });

  it('takes any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\\', 'u', '1', 'e', '-', 't') }),
        (text) => {
          expect(parseArguments(text)).toBeTypeOf('object');
        },
      ),
    );
  });
});
