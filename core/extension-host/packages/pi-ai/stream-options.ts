import type { AgentMessage } from '../../../protocol/messages.js';
import type { Model, ThinkingLevel } from '../../../protocol/model.js';
import type { JsonSchema, ToolDefinition } from '../../../protocol/tool.js';
import { clampLevel, isThinkingLevel } from '../../../providers/thinking.js';
import type { WorkerModelContext, WorkerModelOptions } from '../../contract/worker-services.js';

/** A tool the model may ask for; its parameters are JSON Schema, whichever library made them. */
export interface AskedTool {
  name: string;
  description: string;
  parameters: object;
}

/** What a model is asked with. Source: custom-provider document, "Context". */
export interface Context {
  systemPrompt?: string | undefined;
  messages: readonly AgentMessage[];
  tools?: readonly AskedTool[] | undefined;
}

/** What extensions may say about a request: the options that all providers share, and those of one that have a meaning here. */
export interface StreamOptions {
  signal?: AbortSignal | undefined;
  apiKey?: string | undefined;
  /** Null takes away one that would be sent. */
  headers?: Readonly<Record<string, string | null>> | undefined;
  /** Variables looked at before those of the process. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  maxTokens?: number | undefined;
  temperature?: number | undefined;
  sessionId?: string | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Milliseconds of silence after which the stream is broken. */
  timeoutMs?: number | undefined;
  thinkingBudgets?: Partial<Record<ThinkingLevel, number>> | undefined;
  /** Of the simple functions. */
  reasoning?: string | undefined;
  /** Of OpenAI's dialects. */
  reasoningEffort?: string | undefined;
  /** Of Anthropic's dialect. */
  thinkingEnabled?: boolean | undefined;
  thinkingBudgetTokens?: number | undefined;
  effort?: string | undefined;
  toolChoice?: unknown;
  onPayload?: ((payload: unknown, model: Model) => unknown) | undefined;
  onResponse?:
    | ((response: { status: number; headers: Record<string, string> }, model: Model) => void | Promise<void>)
    | undefined;
}

/** The context without anything that is no data: tools lose their functions. */
export function toRequestContext({ systemPrompt, messages, tools }: Context): WorkerModelContext {
  return {
    systemPrompt: systemPrompt ?? '',
    messages,
    tools: (tools ?? []).map(toDefinition),
  };
}

const toDefinition = ({ name, description, parameters }: AskedTool): ToolDefinition => ({
  name,
  description,
  parameters: parameters as JsonSchema,
});

export function toRequestOptions(model: Model, options: StreamOptions): WorkerModelOptions {
  const { maxTokens, sessionId, timeoutMs } = options;
  const thinkingLevel = levelOf(model, options);
  const headers = { ...options.headers };
  const thinkingBudgets = budgetsOf(options, thinkingLevel);
  const bodyFields = bodyFieldsOf(model, options, thinkingLevel);
  return {
    thinkingLevel,
    ...(thinkingBudgets ? { thinkingBudgets } : {}),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(timeoutMs === undefined ? {} : { idleTimeoutMs: timeoutMs }),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(Object.keys(bodyFields).length > 0 ? { bodyFields } : {}),
  };
}

function levelOf(model: Model, options: StreamOptions): ThinkingLevel {
  const { reasoning, reasoningEffort, effort, thinkingEnabled, thinkingBudgetTokens } = options;
  const said = reasoning ?? reasoningEffort ?? (thinkingEnabled === false ? undefined : effort);
  const asked = said === 'none' ? 'off' : said;
  const level = asked ?? (thinkingEnabled || (thinkingEnabled === undefined && thinkingBudgetTokens) ? 'medium' : 'off');
  return clampLevel(model, isThinkingLevel(level) ? level : 'medium');
}

function budgetsOf({ thinkingBudgets, thinkingBudgetTokens }: StreamOptions, level: ThinkingLevel) {
  return thinkingBudgetTokens === undefined || level === 'off' ? thinkingBudgets : { [level]: thinkingBudgetTokens };
}

/** What has no word of its own in the request is said in the provider's. */
function bodyFieldsOf(model: Model, { temperature, toolChoice, metadata }: StreamOptions, level: ThinkingLevel) {
  const isAnthropic = model.api === 'anthropic-messages';
  // A model that thinks takes no temperature there.
  const takesTemperature = !isAnthropic || level === 'off';
  return {
    ...(temperature !== undefined && takesTemperature ? { temperature } : {}),
    ...(toolChoice === undefined
      ? {}
      : { tool_choice: isAnthropic && typeof toolChoice === 'string' ? { type: toolChoice } : toolChoice }),
    ...(isAnthropic && typeof metadata?.user_id === 'string' ? { metadata: { user_id: metadata.user_id } } : {}),
  };
}
