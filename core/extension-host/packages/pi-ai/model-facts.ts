import type { Model, ThinkingLevel } from '../../../protocol/model.js';
import type { Usage, UsageCost } from '../../../protocol/usage.js';
import { clampLevel, levelsOf } from '../../../providers/thinking.js';
import { priceUsage } from '../../../providers/usage-cost.js';

/** The levels of a model, ascending; `['off']` when it can't think. */
export function getSupportedThinkingLevels(model: Model): ThinkingLevel[] {
  return [...levelsOf(model)];
}

/** The level itself when the model has it, else the nearest it has. */
export function clampThinkingLevel(model: Model, level: ThinkingLevel): ThinkingLevel {
  return clampLevel(model, level);
}

/** Fills in `usage.cost` (US dollars) by the model's prices, and gives it back. */
export function calculateCost(model: Model, usage: Usage): UsageCost {
  const { totalTokens } = usage;
  priceUsage(usage, model);
  if (totalTokens !== undefined) usage.totalTokens = totalTokens;
  return usage.cost;
}

export function hasApi(model: Model, api: string): boolean {
  return model.api === api;
}

/** The same model of the same provider. */
export function modelsAreEqual(a: Model | null | undefined, b: Model | null | undefined): boolean {
  return !!a && !!b && a.id === b.id && a.provider === b.provider;
}
