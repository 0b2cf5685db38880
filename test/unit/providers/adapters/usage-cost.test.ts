import { describe, expect, it } from 'vitest';
import { noUsage } from '../../../../core/protocol/no-usage.js';
import { priceUsage } from '../../../../core/providers/usage-cost.js';
import { fakeModel } from '../../../support/fake-llm/ask.js';

const rates = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.25 };
const priced = (usage: object, tiers: object[] = []) => {
  const whole = { ...noUsage(), ...usage };
  priceUsage(whole, fakeModel('openai-completions', '', { cost: { ...rates, ...{ tiers } } }));
  return whole;
};

describe('the price of an answer', () => {
  it('counts all tokens and each kind by its rate per million', () => {
    const { totalTokens, cost } = priced({ input: 1e6, output: 2e6, cacheRead: 4e6, cacheWrite: 8e6 });
    expect(totalTokens).toBe(15e6);
    expect(cost).toEqual({ input: 1, output: 4, cacheRead: 2, cacheWrite: 10, total: 17 });
  });

  it('charges the hour-long part of the cache twice the input', () => {
    expect(priced({ cacheWrite: 3e6, cacheWrite1h: 1e6 }).cost.cacheWrite).toBe(2 * 1.25 + 2);
  });

  it('applies the highest tier that the whole input passes to all of it', () => {
    const tier = (inputTokensAbove: number, input: number) => ({ ...rates, input, inputTokensAbove });
    const tiers = [tier(2e6, 20), tier(1e6, 10)];
    expect(priced({ input: 1e6 }, tiers).cost.input).toBe(1);
    expect(priced({ input: 1e6, cacheRead: 1 }, tiers).cost.input).toBe(10);
    expect(priced({ input: 3e6 }, tiers).cost.input).toBe(60);
  });
});
