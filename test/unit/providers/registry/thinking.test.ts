import { describe, expect, it } from 'vitest';
import type { Model, ThinkingLevel } from '../../../../core/protocol/model.js';
import { clampLevel, defaultLevel, levelsOf, nextLevel } from '../../../../core/providers/thinking.js';

const model = (thinkingLevelMap?: Model['thinkingLevelMap'], reasoning = true): Model => ({
  id: 'm',
  name: 'm',
  api: 'openai-completions',
  provider: 'p',
  baseUrl: 'http://127.0.0.1:9',
  reasoning,
  input: ['text'],
  contextWindow: 1000,
  maxTokens: 100,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  ...(thinkingLevelMap ? { thinkingLevelMap } : {}),
});

describe('thinking levels', () => {
  it('are the five standard ones for a model that can think', () => {
    expect(levelsOf(model())).toEqual(['off', 'minimal', 'low', 'medium', 'high']);
  });

  it('are only off for a model that cannot, for none, and when the map removes all', () => {
    expect(levelsOf(model({ max: 'max' }, false))).toEqual(['off']);
    expect(levelsOf(undefined)).toEqual(['off']);
    expect(levelsOf(model({ off: null, minimal: null, low: null, medium: null, high: null }))).toEqual(['off']);
  });

  it('are added and removed by the map, holes included', () => {
    const map = { minimal: null, low: null, medium: null, high: 'high', xhigh: null, max: 'max' };
    expect(levelsOf(model(map))).toEqual(['off', 'high', 'max']);
    expect(levelsOf(model({ off: null }))).toEqual(['minimal', 'low', 'medium', 'high']);
  });

  const odd = model({ minimal: null, low: null, medium: null, max: 'max' });
  const noOff = model({ off: null, minimal: null, medium: null });
  it.each<[string, Model, ThinkingLevel, ThinkingLevel]>([
    ['a level beyond the last goes down to it', model(), 'xhigh', 'high'],
    ['a missing level goes up to the next', odd, 'minimal', 'high'],
    ['a hole near the top goes up', odd, 'xhigh', 'max'],
    ['off stays off where there is one', odd, 'off', 'off'],
    ['off becomes the lowest where thinking cannot be stopped', noOff, 'off', 'low'],
    ['a model without thinking is always off', model({}, false), 'high', 'off'],
  ])('clamp: %s', (_, of, asked, got) => {
    expect(clampLevel(of, asked)).toBe(got);
  });

  it('cycle in order and wrap, and do not cycle when there is one', () => {
    const seen: (ThinkingLevel | undefined)[] = [];
    let level: ThinkingLevel = 'off';
    for (let i = 0; i < 5; i++) {
      level = nextLevel(model(), level) ?? level;
      seen.push(level);
    }
    expect(seen).toEqual(['minimal', 'low', 'medium', 'high', 'off']);
    expect(nextLevel(model({}, false), 'off')).toBeUndefined();
  });

  it('start at medium when nobody chose, clamped, and at off without thinking', () => {
    expect(defaultLevel(model())).toBe('medium');
    expect(defaultLevel(odd)).toBe('high');
    expect(defaultLevel(model({}, false))).toBe('off');
  });
});
