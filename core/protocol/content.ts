import * as z from 'zod';

export const TextContentSchema = z.object({
  type: z.literal('text'),
  text: z.string(),
  /** Opaque provider data (OpenAI Responses item ids), replayed to the model that made it. */
  textSignature: z.string().optional(),
});

export const ThinkingContentSchema = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  /** Opaque provider data, replayed only to the model that made it. */
  thinkingSignature: z.string().optional(),
  /** The provider hid the text; only the signature is meaningful. */
  redacted: z.boolean().optional(),
});

export const ImageContentSchema = z.object({
  type: z.literal('image'),
  /** Base64 without a `data:` prefix. */
  data: z.string(),
  mimeType: z.string(),
});

export const ToolCallSchema = z.object({
  type: z.literal('toolCall'),
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  /** Opaque provider data bound to the call. */
  thoughtSignature: z.string().optional(),
});

export const UserContentSchema = z.union([TextContentSchema, ImageContentSchema]);
export const AssistantContentSchema = z.union([TextContentSchema, ThinkingContentSchema, ToolCallSchema]);

export type TextContent = z.infer<typeof TextContentSchema>;
export type ThinkingContent = z.infer<typeof ThinkingContentSchema>;
export type ImageContent = z.infer<typeof ImageContentSchema>;
export type ToolCall = z.infer<typeof ToolCallSchema>;
export type UserContent = z.infer<typeof UserContentSchema>;
export type AssistantContent = z.infer<typeof AssistantContentSchema>;
