import type { AssistantMessageEvent } from './events.js';
import type { AssistantMessage, ModelMessage } from './messages.js';
import type { Model, ThinkingLevel } from './model.js';
import type { ToolDefinition } from './tool.js';

/** What a model is asked with, free of any provider's dialect. */
export interface ModelContext {
  systemPrompt: string;
  /** Valid for any provider: every tool call has its result, in order. */
  messages: readonly ModelMessage[];
  tools: readonly ToolDefinition[];
}

export interface ModelRequestOptions {
  signal: AbortSignal;
  apiKey: string | undefined;
  /** Sent besides the SDK's own; null takes away one of the SDK's. */
  headers: Record<string, string | null>;
  /** Already clamped to the model. */
  thinkingLevel: ThinkingLevel;
  /** Tokens per level for models that take a budget; missing levels use the provider's default. */
  thinkingBudgets?: Partial<Record<ThinkingLevel, number>>;
  /** At most this many tokens of answer; the model's `maxTokens` when left out. */
  maxTokens?: number;
  /** A cache key and affinity hint for providers that take one. */
  sessionId: string;
  /** A stream that is silent for this long is a transient error. */
  idleTimeoutMs: number;
  /** Replaces the request body when it returns, or resolves to, something other than undefined. `payload` makes the body, once: it is costly. */
  onPayload?: (payload: () => unknown) => unknown;
  /** Called once with the status and headers of the response, a refusal too, before its body is read. */
  onResponse?: (response: { status: number; headers: Record<string, string> }) => void | Promise<void> | undefined;
}

export interface ModelRequest {
  model: Model;
  context: ModelContext;
  options: ModelRequestOptions;
}

/** `start` carries the live message: it grows in place until the stream ends. */
export type ModelStreamEvent = { type: 'start'; message: AssistantMessage } | AssistantMessageEvent;

/**
 * Asks a model and streams its answer: `emit` is called synchronously for each step, `start` first and once.
 * Never rejects: refusals, broken streams and aborts are answers with `stopReason` `error` or `aborted`, `errorMessage`
 * (`<status> <body>` for a refused request) and whatever had arrived before. Block ends are emitted for all complete blocks.
 */
export type ModelStream = (request: ModelRequest, emit: (event: ModelStreamEvent) => void) => Promise<ModelAnswer>;

export interface ModelAnswer {
  message: AssistantMessage;
  /** Set when `stopReason` is `error`: what kind of failure, decided by status and code first and wording last. */
  failure?: ModelFailure;
}

export interface ModelFailure {
  /** `transient`: worth another try. `overflow`: the context did not fit. `fatal`: asking again gives the same. */
  kind: 'transient' | 'overflow' | 'fatal';
  status?: number;
  code?: string;
  /** The provider's wish (`retry-after`). */
  retryAfterMs?: number;
}
