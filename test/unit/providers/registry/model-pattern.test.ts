import { describe, expect, it } from 'vitest';
import { bestPart, globbed, readings, splitLevel, withId } from '../../../../core/providers/model-pattern.js';
import { nearest } from '../../../../core/providers/model-suggest.js';

const models = [
  ['second', 'big-20250101'],
  ['second', 'big-latest'],
  ['second', 'acme/sonnet-mini'],
  ['second', 'a:b'],
  ['first', 'm2', 'Gamma Ray'],
  ['first', 'm10'],
  ['first', 'claude-4-5'],
  ['first', 'claude-4-5-20250929'],
].map(([provider = '', id = '', name]) => ({ provider, id, name: name ?? id }));
const id = (text: string): string | undefined => bestPart(models, text)?.id;

describe('patterns of models', () => {
  it('end in a thinking level only when it is one', () => {
    expect(splitLevel('sonnet:high')).toEqual({ pattern: 'sonnet', level: 'high' });
    expect(splitLevel('sonnet:HIGH')).toEqual({ pattern: 'sonnet', level: 'high' });
    expect(splitLevel('llama3.1:8b')).toEqual({ pattern: 'llama3.1:8b' });
    expect(splitLevel(':high')).toEqual({ pattern: ':high' });
    expect(readings('a:low')).toEqual([{ pattern: 'a:low' }, { pattern: 'a', level: 'low' }]);
  });

  it('that are an id match it as it is before letters of other case do', () => {
    const two = [
      { provider: 'p', id: 'M', name: '' },
      { provider: 'p', id: 'm', name: '' },
    ];
    expect(withId(two, 'm')).toEqual([two[1]]);
    expect(withId(models, 'BIG-LATEST').map((model) => model.id)).toEqual(['big-latest']);
  });

  it.each<[string, string | undefined, string]>([
    ['big', 'big-latest', 'the undated of two'],
    ['m', 'acme/sonnet-mini', 'one of the provider listed first'],
    ['gamma', 'm2', 'a name, when no id has it'],
    ['4-5-2025', 'claude-4-5-20250929', 'a dated one when it is the only one'],
    ['claude', 'claude-4-5', 'the undated one'],
    ['second/acme', 'acme/sonnet-mini', 'over the slash'],
    ['first', undefined, 'the name of a provider is no part of an id'],
  ])('%s as a part means %s: %s', (part, expected) => {
    expect(id(part)).toBe(expected);
  });

  it('sort versions as numbers', () => {
    const versions = ['x-4-8', 'x-4-10', 'x-4-9'].map((name) => ({ provider: 'p', id: name, name }));
    expect(bestPart(versions, 'x')?.id).toBe('x-4-10');
  });

  it.each([
    ['claude-*', ['claude-4-5', 'claude-4-5-20250929']],
    ['first/m?', ['m2']],
    ['FIRST/M*', ['m2', 'm10']],
    ['big-[!l]*', ['big-20250101']],
    ['big-[l]*', ['big-latest']],
    ['acme/*', ['acme/sonnet-mini']],
    ['second/acme*', ['acme/sonnet-mini']],
    ['*sonnet*', ['acme/sonnet-mini']],
    ['a.b*', []],
    ['(*', []],
  ])('%s as a glob takes %j', (glob, ids) => {
    expect(globbed(models, glob).map((model) => model.id)).toEqual(ids);
  });

  it('suggest near names only, nearest first', () => {
    expect(nearest('antropic', ['openai', 'anthropic', 'groq'], 3)).toEqual(['anthropic']);
    expect(nearest('opnerouter', ['openrouter', 'openai'], 3)).toEqual(['openrouter']);
    expect(nearest('zzz', ['openai'], 3)).toEqual([]);
    expect(nearest('gpt-5', ['gpt-5x', 'gpt-5', 'gpt-5'], 1)).toEqual(['gpt-5x']);
  });
});
