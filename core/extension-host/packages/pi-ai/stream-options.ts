import type { AgentMessage } from '../../../protocol/messages.js';
import type { Model, ThinkingLevel } from '../../../protocol/model.js';
import type { ToolDefinition } from '../../../protocol/tool.js';
import { clampLevel, isThinkingLevel } from '../../../providers/thinking.js';
import type { WorkerModelContext, WorkerModelOptions } from '../../contract/worker-services.js';

/** What a model is asked with. Source: custom-provider document, "Context". */
export interface Context {
  systemPrompt?: string | undefined;
  messages: readonly AgentMessage[];
  tools?: readonly ToolDefinition[] | undefined;
}

/** What extensions may say about a request: the options that all providers share, and those of one that have a meaning here. */
export interface StreamOptions {
  signal?: AbortSignal | undefined;
  apiKey?: string | undefined;
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
    tools: (tools ?? []).map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
}

export function toRequestOptions(model: Model, options: StreamOptions): WorkerModelOptions {
  const { maxTokens, sessionId, timeoutMs } = options;
  const thinkingLevel = levelOf(model, options);
  const headers = stringsOf(options.headers);
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

export function stringsOf(headers: StreamOptions['headers']): Record<string, string> {
  const strings: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) if (typeof value === 'string') strings[name] = value;
  return strings;
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
