import * as z from 'zod';

export const THINKING_LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export const ThinkingLevelSchema = z.enum(THINKING_LEVELS);
export type ThinkingLevel = z.infer<typeof ThinkingLevelSchema>;

/** Prices in US dollars per million tokens. */
export const ModelCostSchema = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});

/**
 * A model as clients see it.
 * Source: rpc-mode document, "Model"; `thinkingLevelMap`, `headers` and `compat` as in models.json.
 */
export const ModelSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Which dialect reaches it: `anthropic-messages`, `openai-completions`, `openai-responses`, or an extension's own. */
  api: z.string(),
  provider: z.string(),
  baseUrl: z.string(),
  reasoning: z.boolean(),
  input: z.array(z.enum(['text', 'image'])),
  /** Tokens that fit into one request, answer included. */
  contextWindow: z.number(),
  /** Most tokens of one answer. */
  maxTokens: z.number(),
  cost: ModelCostSchema,
  /** Level -> the provider's word for it; `null` removes a level, a value for `xhigh` or `max` adds it. */
  thinkingLevelMap: z.partialRecord(ThinkingLevelSchema, z.string().nullable()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** Quirks of an OpenAI-compatible service; the keys are those of core/providers/quirks.ts. */
  compat: z.record(z.string(), z.unknown()).optional(),
});
export type Model = z.infer<typeof ModelSchema>;
export type ModelCost = z.infer<typeof ModelCostSchema>;
