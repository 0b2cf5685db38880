import * as z from 'zod';

/** Ids come back exactly as sent, whatever their type. */
export const CommandIdSchema = z.unknown();

export const SuccessResponseSchema = z.object({
  id: CommandIdSchema.optional(),
  type: z.literal('response'),
  command: z.string(),
  success: z.literal(true),
  data: z.unknown().optional(),
});

export const FailureResponseSchema = z.object({
  id: CommandIdSchema.optional(),
  type: z.literal('response'),
  command: z.string(),
  success: z.literal(false),
  error: z.string(),
  /** Stable word for programs (additive). */
  code: z.string().optional(),
});

export const ResponseSchema = z.discriminatedUnion('success', [SuccessResponseSchema, FailureResponseSchema]);
export type Response = z.infer<typeof ResponseSchema>;
