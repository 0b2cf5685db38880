import type { Model, ModelCost } from '../protocol/model.js';
import type { Usage } from '../protocol/usage.js';
import type { CostTier } from './registry-types.js';

const PER_MILLION = 1_000_000;
/** An hour in Anthropic's cache costs twice the input; the catalogue's price is that of five minutes. */
const LONG_CACHE_FACTOR = 2;

/** Fills in `totalTokens` and `cost` (US dollars) by the model's prices. */
export function priceUsage(usage: Usage, model: Model): void {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h = 0, cost } = usage;
  const rates = ratesFor(model, input + cacheRead + cacheWrite);
  usage.totalTokens = input + output + cacheRead + cacheWrite;
  cost.input = (input * rates.input) / PER_MILLION;
  cost.output = (output * rates.output) / PER_MILLION;
  cost.cacheRead = (cacheRead * rates.cacheRead) / PER_MILLION;
  const short = Math.max(0, cacheWrite - cacheWrite1h);
  cost.cacheWrite = (short * rates.cacheWrite + cacheWrite1h * rates.input * LONG_CACHE_FACTOR) / PER_MILLION;
  cost.total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
}

/** The rates of the highest tier that the request's input passes. Source: models document, "Model Configuration". */
function ratesFor(model: Model, inputTokens: number): ModelCost {
  const cost: ModelCost & { tiers?: readonly CostTier[] } = model.cost;
  const reached = (cost.tiers ?? []).filter((tier) => inputTokens > tier.inputTokensAbove);
  return reached.reduce<ModelCost & { inputTokensAbove?: number }>(
    (best, tier) => (tier.inputTokensAbove > (best.inputTokensAbove ?? -1) ? tier : best),
    cost,
  );
}
