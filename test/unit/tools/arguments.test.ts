import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareArguments } from '../../../core/tools/arguments.js';
import { checkValue, createScope } from '../../../core/tools/schema-check.js';

const PARAMETERS = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    flag: { type: 'boolean' },
    mode: { type: 'string', enum: ['fast', 'slow'] },
    level: { enum: [1, 2, 3] },
    kind: { const: 'only' },
    list: { type: 'array', items: { type: 'string' } },
    numbers: { type: 'array', items: { type: 'number' } },
    edits: {
      type: 'array',
      items: {
        type: 'object',
        properties: { oldText: { type: 'string' }, newText: { type: 'string' }, all: { type: 'boolean' } },
        required: ['oldText', 'newText'],
      },
    },
    options: { type: 'object', properties: { depth: { type: 'integer' }, names: { type: 'array', items: { type: 'string' } } } },
    maybe: { type: ['number', 'null'] },
    either: { anyOf: [{ type: 'number' }, { type: 'array', items: { type: 'number' } }] },
    choice: { anyOf: [{ const: 'a' }, { const: 'b' }] },
    map: { type: 'object', additionalProperties: { type: 'number' } },
    node: { $ref: '#/$defs/node' },
    both: { allOf: [{ type: 'object', properties: { x: { type: 'number' } } }, { properties: { y: { type: 'boolean' } } }] },
    any: {},
  },
  $defs: { node: { type: 'object', properties: { value: { type: 'number' }, next: { $ref: '#/$defs/node' } } } },
};

const tool = (required: string[] = [], parameters: Record<string, unknown> = PARAMETERS) => ({
  name: 'odd',
  parameters: { ...parameters, required },
});

const REPAIRED: [what: string, given: unknown, expected: Record<string, unknown>][] = [
  ['a number as a string', { count: '5' }, { count: 5 }],
  ['a number with blanks around it', { count: ' 5 ' }, { count: 5 }],
  ['a negative number', { count: '-12' }, { count: -12 }],
  ['a whole number with a fraction of zero', { count: '5.0' }, { count: 5 }],
  ['a fraction', { ratio: '2.5' }, { ratio: 2.5 }],
  ['a fraction without a leading zero', { ratio: '.5' }, { ratio: 0.5 }],
  ['an exponent', { ratio: '1e3' }, { ratio: 1000 }],
  ['a plus sign', { ratio: '+3' }, { ratio: 3 }],
  ['true as a string', { flag: 'true' }, { flag: true }],
  ['False as Python writes it', { flag: 'False' }, { flag: false }],
  ['a boolean as 1', { flag: 1 }, { flag: true }],
  ['a boolean as "0"', { flag: '0' }, { flag: false }],
  ['a boolean as yes', { flag: 'YES' }, { flag: true }],
  ['a string as a number', { text: 42 }, { text: '42' }],
  ['a string as a boolean', { text: true }, { text: 'true' }],
  ['a string in a list', { text: ['a'] }, { text: 'a' }],
  ['one value for a list', { list: 'a' }, { list: ['a'] }],
  ['one number for a list of strings', { list: 7 }, { list: ['7'] }],
  ['one number for a list', { numbers: 7 }, { numbers: [7] }],
  ['one string for a list of numbers', { numbers: '7' }, { numbers: [7] }],
  ['a list as JSON', { list: '["a","b"]' }, { list: ['a', 'b'] }],
  ['a list as JSON with numbers as strings', { numbers: '["1",2]' }, { numbers: [1, 2] }],
  ['an empty list as JSON', { list: '[]' }, { list: [] }],
  ['a list as JSON twice encoded', { list: JSON.stringify(JSON.stringify(['a'])) }, { list: ['a'] }],
  ['a list as fenced JSON', { list: '```json\n["a"]\n```' }, { list: ['a'] }],
  ['a list with a trailing comma', { list: '["a", "b",]' }, { list: ['a', 'b'] }],
  ['a list with its indexes as names', { list: { 0: 'a', 1: 'b' } }, { list: ['a', 'b'] }],
  ['a list of numbers as strings', { numbers: ['1', '2'] }, { numbers: [1, 2] }],
  ['text that looks like JSON but is not', { list: '[a, b' }, { list: ['[a, b'] }],
  ['an object as JSON', { options: '{"depth":2}' }, { options: { depth: 2 } }],
  ['an object as JSON with odd values', { options: '{"depth":"2","names":"a"}' }, { options: { depth: 2, names: ['a'] } }],
  ['an object in a list', { options: [{ depth: 2 }] }, { options: { depth: 2 } }],
  ['edits as JSON', { edits: '[{"oldText":"a","newText":"b"}]' }, { edits: [{ oldText: 'a', newText: 'b' }] }],
  ['one edit for a list', { edits: { oldText: 'a', newText: 'b' } }, { edits: [{ oldText: 'a', newText: 'b' }] }],
  ['one edit as JSON for a list', { edits: '{"oldText":"a","newText":"b"}' }, { edits: [{ oldText: 'a', newText: 'b' }] }],
  ['edits that are JSON each', { edits: ['{"oldText":"a","newText":"b"}'] }, { edits: [{ oldText: 'a', newText: 'b' }] }],
  ['raw newlines in JSON', { edits: '[{"oldText":"a\nb","newText":"c\td"}]' }, { edits: [{ oldText: 'a\nb', newText: 'c\td' }] }],
  [
    'other raw control characters in JSON',
    { edits: '[{"oldText":"a\u0001","newText":"\u001b[0m\r"}]' },
    { edits: [{ oldText: 'a\u0001', newText: '\u001b[0m\r' }] },
  ],
  [
    'commas and brackets inside JSON strings',
    { edits: '[{"oldText":"[a,]\n","newText":",}"},]' },
    { edits: [{ oldText: '[a,]\n', newText: ',}' }] },
  ],
  ['a number as text in an edit', { edits: [{ oldText: 1, newText: 2 }] }, { edits: [{ oldText: '1', newText: '2' }] }],
  [
    'a boolean as text in an edit',
    { edits: [{ oldText: 'a', newText: 'b', all: 'true' }] },
    { edits: [{ oldText: 'a', newText: 'b', all: true }] },
  ],
  ['null for an optional field', { text: null }, {}],
  ['null for an optional number', { text: 'a', count: null }, { text: 'a' }],
  [
    'null for an optional nested field',
    { edits: [{ oldText: 'a', newText: 'b', all: null }] },
    { edits: [{ oldText: 'a', newText: 'b' }] },
  ],
  ['"null" for an optional number', { count: 'null' }, {}],
  ['an empty string for an optional number', { count: '' }, {}],
  ['"undefined" for an optional list of numbers', { numbers: 'undefined' }, {}],
  ['"None" for an optional boolean', { flag: 'None' }, {}],
  ['null where null is allowed', { maybe: null }, { maybe: null }],
  ['"null" where null is allowed', { maybe: 'null' }, { maybe: null }],
  ['a number as a string where null is allowed', { maybe: '4' }, { maybe: 4 }],
  ['a choice in another case', { mode: 'FAST' }, { mode: 'fast' }],
  ['a choice with blanks', { mode: ' slow\n' }, { mode: 'slow' }],
  ['a choice in quotes', { mode: '"slow"' }, { mode: 'slow' }],
  ['a number from a list as a string', { level: '2' }, { level: 2 }],
  ['the only value in another case', { kind: 'Only' }, { kind: 'only' }],
  ['one of several forms', { either: '5' }, { either: 5 }],
  ['the second of several forms', { either: '["5"]' }, { either: [5] }],
  ['one of several constants', { choice: 'A' }, { choice: 'a' }],
  ['values of a map', { map: { a: '1', b: 2 } }, { map: { a: 1, b: 2 } }],
  ['a map as JSON', { map: '{"a":"1"}' }, { map: { a: 1 } }],
  [
    'a schema that refers to itself',
    { node: { value: '1', next: { value: '2', next: '{"value":3}' } } },
    { node: { value: 1, next: { value: 2, next: { value: 3 } } } },
  ],
  ['several schemas for one value', { both: '{"x":"1","y":"true"}' }, { both: { x: 1, y: true } }],
  ['all arguments as JSON', '{"count":"3"}', { count: 3 }],
  ['all arguments as fenced JSON', '```\n{"text":"a"}\n```', { text: 'a' }],
  ['all arguments in a list', [{ text: 'a' }], { text: 'a' }],
  ['no arguments', undefined, {}],
  ['null for all arguments', null, {}],
  ['unknown fields beside odd ones', { extra: { a: [1] }, count: '1' }, { extra: { a: [1] }, count: 1 }],
  [
    'a field called __proto__',
    JSON.parse('{"__proto__":{"polluted":1},"count":"1"}'),
    JSON.parse('{"__proto__":{"polluted":1},"count":1}'),
  ],
];

const UNTOUCHED: [what: string, args: Record<string, unknown>][] = [
  ['a string that looks like a number', { text: '42' }],
  ['a string that looks like JSON', { text: '["a"]' }],
  ['a string that says null', { text: 'null' }],
  ['an empty string', { text: '' }],
  ['strings in a list that look like JSON', { list: ['[1]', '{"a":1}', 'true', ''] }],
  ['control characters in a string', { text: 'a\u0000\u001b[31m\r\n' }],
  ['anything where anything goes', { any: '{"a":1}' }],
  ['unknown fields', { other: '5', another: null }],
  ['a list with one member', { list: ['a'] }],
];

const REFUSED: [what: string, given: unknown, fields: string[]][] = [
  ['a missing field', {}, ['text: is required']],
  ['null for a required field', { text: null }, ['text: must be string']],
  ['an object for a string', { text: { not: 'a string' } }, ['text: must be string']],
  ['a word for a number', { text: 'a', count: 'many' }, ['count: must be integer']],
  ['a fraction for an integer', { text: 'a', count: '1.5' }, ['count: must be integer']],
  ['an unknown choice', { text: 'a', mode: 'medium' }, ['mode: must be one of ["fast","slow"]']],
  [
    'a nested field',
    { text: 'a', edits: [{ oldText: 'a', newText: 'b' }, { oldText: {} }] },
    ['edits[1].newText: is required', 'edits[1].oldText: must be string'],
  ],
  ['a number for all arguments', 5, ['arguments: must be an object']],
  ['text for all arguments', 'hello', ['arguments: must be an object']],
];

describe('prepareArguments', () => {
  it.each(REPAIRED)('G36: repairs %s', async (_what, given, expected) => {
    expect(await prepareArguments(tool(), given)).toEqual({ ok: true, args: expected });
  });

  it('G36: keeps a field called __proto__ an ordinary one', async () => {
    const prepared = await prepareArguments(tool(), JSON.parse('{"__proto__":{"polluted":1},"count":"1"}'));
    expect(prepared.ok && Object.keys(prepared.args)).toEqual(['__proto__', 'count']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('G36: finds a required field under another spelling', async () => {
    const edit = {
      name: 'edit',
      parameters: {
        type: 'object',
        properties: { oldText: { type: 'string' }, path: { type: 'string' } },
        required: ['oldText', 'path'],
      },
    };
    expect(await prepareArguments(edit, { old_text: 'a', Path: 'b' })).toEqual({ ok: true, args: { oldText: 'a', path: 'b' } });
    expect((await prepareArguments(edit, { old_text: 'a', 'old-text': 'c', path: 'b' })).ok).toBe(false);
  });

  it.each(UNTOUCHED)('returns the same object for %s', async (_what, args) => {
    const copy = structuredClone(args);
    const prepared = await prepareArguments(tool(), args);
    expect(prepared.ok && prepared.args).toBe(args);
    expect(args).toEqual(copy);
  });

  it.each(REFUSED)('names the tool, the field and what was received for %s', async (_what, given, fields) => {
    const prepared = await prepareArguments(tool(['text']), given);
    expect(prepared.ok).toBe(false);
    const error = prepared.ok ? '' : prepared.error;
    expect(error).toMatch(/^Validation failed for tool "odd":\n/);
    for (const field of fields) expect(error).toContain(`  - ${field}\n`);
    expect(error).toContain(`Received arguments:\n${JSON.stringify(given, null, 2)}`);
  });

  it('cuts long arguments in the error', async () => {
    const prepared = await prepareArguments(tool(['text']), { list: ['x'.repeat(100_000)] });
    expect(prepared.ok || prepared.error.length).toBeLessThan(3000);
  });

  it('does not change the arguments it was given', async () => {
    const given = { edits: '[{"oldText":1,"newText":2}]', options: { depth: '3' }, count: null };
    const copy = structuredClone(given);
    await prepareArguments(tool(), given);
    expect(given).toEqual(copy);
  });

  it('checks draft 2020-12 schemas as well as draft 7', async () => {
    const tuple = { type: 'array', minItems: 2 };
    const newer = { type: 'object', properties: { at: { ...tuple, prefixItems: [{ type: 'number' }, { type: 'string' }] } } };
    const older = { type: 'object', properties: { at: { ...tuple, items: [{ type: 'number' }, { type: 'string' }] } } };
    for (const parameters of [newer, older]) {
      expect((await prepareArguments({ name: 't', parameters }, { at: [1, 'a'] })).ok).toBe(true);
      expect((await prepareArguments({ name: 't', parameters }, { at: ['a', 1] })).ok).toBe(false);
    }
    const named = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'same',
      type: 'object',
      properties: { a: { pattern: '^a' } },
    };
    expect((await prepareArguments({ name: 't', parameters: named }, { a: 'ab' })).ok).toBe(true);
    expect((await prepareArguments({ name: 't', parameters: { ...named } }, { a: 'b' })).ok).toBe(false);
  });

  it.each([null, 5, 'x', [], undefined])('accepts any object when the schema is %j', async (parameters) => {
    const odd = { name: 't', parameters: parameters as unknown as Record<string, unknown> };
    expect(await prepareArguments(odd, { a: 1 })).toEqual({ ok: true, args: { a: 1 } });
    expect((await prepareArguments(odd, 'text')).ok).toBe(false);
  });

  it('says so when the schema itself is broken', async () => {
    const prepared = await prepareArguments(
      { name: 't', parameters: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } },
      { a: 1 },
    );
    expect(prepared).toEqual({ ok: false, error: expect.stringContaining("the tool's own schema is not valid") });
  });

  it('stops a pattern that backtracks for ever', async () => {
    const parameters = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const prepared = await prepareArguments({ name: 't', parameters }, { a: `${'a'.repeat(60)}b` });
    expect(prepared).toEqual({ ok: false, error: expect.stringContaining('takes too long') });
  });

  it('gives up on a schema that refers to itself in many ways', async () => {
    const self = { anyOf: [{ $ref: '#/$defs/self' }, { $ref: '#/$defs/self' }, { $ref: '#/$defs/self' }] };
    const parameters = { type: 'object', properties: { a: { $ref: '#/$defs/self' } }, $defs: { self } };
    expect((await prepareArguments({ name: 't', parameters }, { a: 1 })).ok).toBe(false);
  });

  it('survives arguments and schemas that are deeper than a stack should be asked for', async () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 3000; level += 1) deep = { next: deep };
    expect((await prepareArguments(tool(), { any: deep, count: '1' })).ok).toBe(true);
    expect((await prepareArguments(tool(), { node: deep, count: '1' })).ok).toBe(false);
  });
});

/** Schemas of the everyday kind and some that only the full validator knows, three levels deep. */
const schemas = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Record<string, unknown>>(
      {},
      { type: 'string' },
      { type: 'string', minLength: 1, maxLength: 3 },
      { type: 'string', pattern: '^a' },
      { type: 'integer', minimum: -2, maximum: 3 },
      { type: 'number', exclusiveMinimum: 0 },
      { type: 'number', multipleOf: 2 },
      { type: 'boolean' },
      { type: 'null' },
      { type: ['string', 'null'] },
      { enum: ['a', 1, null] },
      { const: 'a' },
    ),
    tie('schema').map((items) => ({ type: 'array', items, maxItems: 3 })),
    fc
      .record({
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), tie('schema')),
        required: fc.subarray(['a', 'constructor']),
        additionalProperties: fc.option(fc.boolean(), { nil: true }),
      })
      .map((object) => ({ type: 'object', ...object })),
    fc
      .tuple(fc.constantFrom('anyOf', 'oneOf', 'allOf'), fc.array(tie('schema'), { minLength: 1, maxLength: 3 }))
      .map(([word, list]) => ({ [word]: list })),
    tie('schema').map((not) => ({ not })),
  ),
})).schema;

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('a', 'ab', '', '1', 'true', 'null', '[1]', '{"a":1}', '😀😀', 0, 1, 2, -1, 1.5, true, false, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor', '__proto__'), tie('value')),
  ),
})).value;

const ajv = new Ajv({ strict: false, ownProperties: true, validateFormats: false, logger: false, addUsedSchema: false });

describe('any schema and value', () => {
  it('the quick check never contradicts the full validator', () => {
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const verdict = checkValue(schema, value, createScope(schema));
        if (verdict === 'unknown') return;
        expect(verdict).toBe(ajv.validate(schema, value) ? 'yes' : 'no');
      }),
      { numRuns: 500 },
    );
  });

  it('G36: valid arguments come through as the same object, and what is accepted is valid', async () => {
    await fc.assert(
      fc.asyncProperty(schemas, values, async (of, value) => {
        const schema = { type: 'object', properties: { a: of, b: { type: 'array', items: of } } };
        const args = { a: value, b: [value] };
        const copy = structuredClone(args);
        const prepared = await prepareArguments({ name: 't', parameters: schema }, args);
        if (ajv.validate(schema, args)) expect(prepared.ok && prepared.args).toBe(args);
        else if (prepared.ok) expect(ajv.validate(schema, prepared.args)).toBe(true);
        expect(args).toEqual(copy);
      }),
      { numRuns: 500 },
    );
  });
});
