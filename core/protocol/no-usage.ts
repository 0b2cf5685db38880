import type { Usage } from './usage.js';

/** Nothing spent: a new object each time, to be counted up or kept. Apart from the schemas, which running programs do not load. */
export const noUsage = (): Usage & { totalTokens: number } => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});
