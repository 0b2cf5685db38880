import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseModelsJson, readModelsJson } from '../../../../core/providers/models-json.js';
import { parseCommentedJson } from '../../../../core/providers/models-json-parse.js';
import { agentDirWith } from './support.js';

const FILE = '/home/u/.pi/agent/models.json';
const parse = (text: string): ReturnType<typeof parseModelsJson> => parseModelsJson(text, FILE);
const inProvider = (body: string): string => `{\n  "providers": {\n    "p": {\n${body}\n    }\n  }\n}`;

describe('models.json', () => {
  it('is nothing when it is not there or empty', async () => {
    const read = await readModelsJson(`${agentDirWith()}/models.json`);
    expect([read.providers.size, read.diagnostics]).toEqual([0, []]);
    expect(parse(' \n').diagnostics).toEqual([]);
  });

  it('may have comments, trailing commas and a byte-order mark', () => {
    const { providers, diagnostics } = parse(
      '\uFEFF{ // line\n "providers": { /* block // */ "p": { "baseUrl": "http://h//x", "models": [ {"id": "a"}, ], }, }, }',
    );
    expect(diagnostics).toEqual([]);
    expect(providers.get('p')).toEqual({ baseUrl: 'http://h//x', models: [{ id: 'a' }] });
  });

  it('that is no JSON is one error with line and column', () => {
    expect(parse('{\n  "providers": {\n    "p": nope\n  }\n}').diagnostics).toEqual([
      expect.objectContaining({
        kind: 'models',
        severity: 'error',
        path: FILE,
        line: 3,
        message: `${FILE}:3: not valid JSON (column 10): expected a value, found "n"`,
      }),
    ]);
  });

  it.each([
    ['a root that is a list', '[]', 'must be an object', 1],
    ['no providers', '{}', 'has no "providers"', 1],
    ['providers of the wrong type', '{\n "providers": []}', 'providers: must be an object', 2],
    ['a provider of the wrong type', '{"providers": {\n "p": 3}}', 'providers.p: must be an object', 2],
    ['a URL that is none', inProvider('"baseUrl": "localhost"'), 'providers.p.baseUrl: must be a URL', 4],
    ['an empty key', inProvider('"apiKey": ""'), 'providers.p.apiKey: must be a text', 4],
    ['models that are no list', inProvider('"models": {}'), 'providers.p.models: must be a list', 4],
    ['a model without id', inProvider('"models": [\n{"name": "x"}]'), 'providers.p.models.0: must be an object with an "id"', 5],
    [
      'a wrong window',
      inProvider('"models": [{"id": "m",\n"contextWindow": "big"}]'),
      'providers.p.models.0.contextWindow: must be',
      5,
    ],
    ['a wrong input', inProvider('"models": [{"id": "m",\n"input": ["audio"]}]'), 'providers.p.models.0.input: must be', 5],
    [
      'a wrong level',
      inProvider('"models": [{"id": "m","thinkingLevelMap": {\n"huge": "x"}}]'),
      'thinkingLevelMap.huge: must be named',
      5,
    ],
    ['a wrong price', inProvider('"models": [{"id": "m","cost": {\n"input": -1}}]'), 'cost.input: must be a number', 5],
    ['a wrong header', inProvider('"headers": {\n"X-A": 1}'), 'providers.p.headers.X-A: must be a text', 5],
    [
      'a slip of a setting',
      inProvider('"baseURL": "http://h"'),
      'providers.p.baseURL: is not a known setting; did you mean "baseUrl"?',
      4,
    ],
    ['a key that is there twice', inProvider('"api": "a",\n"api": "b"'), 'api: this key is there twice', 5],
  ])('names line and key of %s', (_, text, message, line) => {
    const [found, ...others] = parse(text).diagnostics;
    expect(others).toEqual([]);
    expect(found?.message).toContain(message);
    expect(found?.line).toBe(line);
  });

  it('applies what is good around what is not', () => {
    const { providers, diagnostics } = parse(
      JSON.stringify({
        providers: {
          broken: 7,
          p: {
            baseUrl: 'http://h',
            authHeader: 'yes',
            models: [{ id: 'good', maxTokens: 0, cost: { input: 1, output: 'x' } }, { noId: true }, 'text'],
            modelOverrides: { a: { name: 'A', cost: { cacheRead: 2 }, contextWindow: false } },
          },
        },
      }),
    );
    expect(diagnostics).toHaveLength(7);
    expect(Object.fromEntries(providers)).toEqual({
      p: {
        baseUrl: 'http://h',
        models: [{ id: 'good', cost: { input: 1 } }],
        modelOverrides: { a: { name: 'A', cost: { cacheRead: 2 } } },
      },
    });
  });

  it('keeps price tiers, sampling parameters and quirks', () => {
    const model = {
      id: 'm',
      samplingParams: { top_k: 0 },
      compat: { anything: { $var: 1 } },
      cost: { input: 5, tiers: [{ inputTokensAbove: 1000, input: 10, output: 45, cacheRead: 1, cacheWrite: 2 }] },
    };
    expect(parse(JSON.stringify({ providers: { p: { models: [model] } } })).providers.get('p')?.models).toEqual([model]);
  });

  it('takes names such as __proto__ and constructor as names', () => {
    const { providers } = parse('{"providers": {"__proto__": {"api": "x"}, "constructor": {"__proto__": {"api": "y"}}}}');
    expect([...providers.keys()]).toEqual(['__proto__', 'constructor']);
    expect(providers.get('constructor')?.api).toBeUndefined();
  });

  it('reads every JSON text as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(3), (text, indent) => {
        const value: unknown = JSON.parse(text);
        expect(parseCommentedJson(JSON.stringify(value, null, indent))).toMatchObject({ ok: true });
        const read = parseCommentedJson(text);
        expect(read.ok && JSON.stringify(read.value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('never throws on text that is no JSON, and finds a place in it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '/', '*', '\\', '1', 'e', '-', '\n', 'true') }),
        (text) => {
          const read = parseCommentedJson(text);
          if (!read.ok) expect(read.line).toBeLessThanOrEqual(text.split('\n').length);
        },
      ),
    );
    expect(parseCommentedJson('['.repeat(100_000))).toMatchObject({
      ok: false,
      message: expect.stringContaining('nested deeper'),
    });
  });
});
