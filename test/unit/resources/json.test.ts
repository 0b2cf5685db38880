import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCoded } from '../../../core/base/coded-error.js';
import { setInJson } from '../../../core/resources/json-edit.js';
import { parseJsonTree } from '../../../core/resources/json-tree.js';

/** Plain objects again: the tree's have no prototype. */
const value = (text: string): unknown => JSON.parse(JSON.stringify(parseJsonTree(text).value));

describe('parsing', () => {
  it('agrees with JSON.parse on every JSON text', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 1, 2), (text, indent) => {
        const laidOut = JSON.stringify(JSON.parse(text), null, indent);
        expect(value(laidOut)).toEqual(JSON.parse(JSON.stringify(JSON.parse(laidOut))));
      }),
    );
  });

  it.each([
    ['{"a": 1, // one\n "b": 2}', { a: 1, b: 2 }],
    ['/* top */ {"a": [1, 2,],} // end', { a: [1, 2] }],
    ['{"a": "// no comment /* here */"}', { a: '// no comment /* here */' }],
    ['{"a": 1, "a": 2}', { a: 2 }],
    ['\uFEFF{"a": 1}', { a: 1 }],
    ['{"\\u0061": "\\n"}', { a: '\n' }],
  ])('reads %j', (text, expected) => {
    expect(value(text)).toEqual(expected);
  });

  it.each([
    ['{ not json', 1, 3],
    ['{\n  "a": tru\n}', 2, 8],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{"a": 1}}', 1, 9],
    ['{"a": "x\ny"}', 1, 7],
    ['{"a": \'x\'}', 1, 7],
    ['{"a":', 1, 6],
    ['', 1, 1],
    ['{,}', 1, 2],
    ['{"a": 01}', 1, 7],
    ['/* never closed', 1, 1],
  ])('says where %j is wrong', (text, line, column) => {
    try {
      parseJsonTree(text);
      expect.unreachable();
    } catch (error) {
      if (!isCoded(error, 'JSON_INVALID')) throw error;
      expect(error.data).toEqual({ line, column });
    }
  });

  it('gives up on absurd nesting instead of running out of stack', () => {
    expect(() => parseJsonTree('['.repeat(1_000_000))).toThrow(/nested more than/);
  });

  it('takes __proto__ for a key like any other', () => {
    const parsed = parseJsonTree('{"__proto__": {"polluted": 1}}').value as Record<string, unknown>;
    expect(Object.keys(parsed)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('setting one value in a text', () => {
  const cases: [name: string, before: string, path: string, to: unknown, after: string][] = [
    [
      'replaces a value and nothing else',
      '{\n  "a" : 1, // one\n\n  "b": 2,\n}\n',
      'a',
      true,
      '{\n  "a" : true, // one\n\n  "b": 2,\n}\n',
    ],
    ['adds a key at the end', '{\n  "a": 1\n}\n', 'b', 'x', '{\n  "a": 1,\n  "b": "x"\n}\n'],
    ['keeps a trailing comma', '{\n  "a": 1,\n}', 'b', 2, '{\n  "a": 1,\n  "b": 2,\n}'],
    ['keeps a comment with its own line', '{\n  "a": 1 // one\n}', 'b', 2, '{\n  "a": 1, // one\n  "b": 2\n}'],
    ['keeps a comment behind a comma', '{\n  "a": 1, // one\n}', 'b', 2, '{\n  "a": 1, // one\n  "b": 2,\n}'],
    ['makes objects on the way', '{\n  "a": 1\n}', 'c.d', false, '{\n  "a": 1,\n  "c": {\n    "d": false\n  }\n}'],
    ['goes into objects', '{\n\t"c": {\n\t\t"d": true\n\t}\n}', 'c.e', 1, '{\n\t"c": {\n\t\t"d": true,\n\t\t"e": 1\n\t}\n}'],
    ['fills an empty object', '{}', 'a', 1, '{\n  "a": 1\n}\n'],
    ['fills an empty object within one line', '{"o": {}}', 'o.a', 1, '{"o": {"a": 1}}'],
    ['fills an empty object on lines', '{\n}\n', 'a', 1, '{\n  "a": 1\n}\n'],
    ['keeps a comment in an empty object', '{ // mine\n}', 'a', 1, '{ // mine\n  "a": 1\n}'],
    ['keeps one line one line', '{"a":1}', 'b', [1], '{"a":1, "b":[1]}'],
    ['keeps CRLF', '{\r\n  "a": 1\r\n}\r\n', 'c.d', 2, '{\r\n  "a": 1,\r\n  "c": {\r\n    "d": 2\r\n  }\r\n}\r\n'],
    ['starts from nothing', '', 'a.b', 1, '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ['changes the key that counts of two', '{"a": 1, "a": 2}', 'a', 3, '{"a": 1, "a": 3}'],
  ];
  it.each(cases)('%s', (_, before, path, to, after) => {
    expect(setInJson(before, path.split('.'), to)).toBe(after);
  });

  it('does not replace what the user put in the way', () => {
    expect(setInJson('{"compaction": "yes"}', ['compaction', 'enabled'], true)).toBeUndefined();
    expect(setInJson('[1]', ['a'], true)).toBeUndefined();
  });

  it('changes exactly what it should, in any text', () => {
    const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'x y');
    fc.assert(
      fc.property(
        fc.dictionary(key, fc.jsonValue({ maxDepth: 2 })),
        key,
        fc.jsonValue(),
        fc.constantFrom(0, 2, '\t'),
        (object, name, to, indent) => {
          const before = JSON.stringify(object, null, indent);
          const after = setInJson(before, [name], to) ?? '';
          const expected: Record<string, unknown> = { ...JSON.parse(before) };
          Object.defineProperty(expected, name, { value: to, enumerable: true, configurable: true, writable: true });
          expect(JSON.parse(after)).toEqual(JSON.parse(JSON.stringify(expected)));
        },
      ),
    );
  });
});
