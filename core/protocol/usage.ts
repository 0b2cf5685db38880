import * as z from 'zod';

/** Cost in US dollars. */
export const UsageCostSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  total: z.number(),
});

/** Tokens of one or more model calls. `input` excludes what came from or went into the cache. */
export const UsageSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  totalTokens: z.number().optional(),
  /** The part of `cacheWrite` kept for an hour (Anthropic). */
  cacheWrite1h: z.number().optional(),
  /** The part of `output` spent on reasoning (OpenAI). */
  reasoning: z.number().optional(),
  cost: UsageCostSchema,
});

export type Usage = z.infer<typeof UsageSchema>;
export type UsageCost = z.infer<typeof UsageCostSchema>;
