import type { Usage } from '../../core/extension-host/contract/public.js';

export const noUsage = (): Usage => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

export function addUsage(sum: Usage, more: Usage): Usage {
  const total = (usage: Usage): number => usage.totalTokens ?? usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  return {
    input: sum.input + more.input,
    output: sum.output + more.output,
    cacheRead: sum.cacheRead + more.cacheRead,
    cacheWrite: sum.cacheWrite + more.cacheWrite,
    totalTokens: total(sum) + total(more),
    cost: {
      input: sum.cost.input + more.cost.input,
      output: sum.cost.output + more.cost.output,
      cacheRead: sum.cost.cacheRead + more.cost.cacheRead,
      cacheWrite: sum.cost.cacheWrite + more.cost.cacheWrite,
      total: sum.cost.total + more.cost.total,
    },
  };
}
