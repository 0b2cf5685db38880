import type { AssistantContent, UserContent } from '../protocol/content.js';
import type { AssistantMessage, ModelMessage } from '../protocol/messages.js';
import type { Model, ThinkingLevel } from '../protocol/model.js';
import type { ModelRequest } from '../protocol/model-stream.js';
import type { ToolDefinition } from '../protocol/tool.js';
import { type AnthropicQuirks, anthropicQuirks } from './anthropic-quirks.js';
import { groupMessages, isOwnAnswer, maxTokensOf, modelVariant, thinkingAsText, userBlocks } from './model-content.js';
import { RequestBody, WireCache, WireItems } from './request-body.js';
import type { WireHeaders } from './stream-answer.js';

type Block = Record<string, unknown> & { type: string };
interface AnthropicMessage {
  role: 'user' | 'assistant';
  content: Block[];
}

const CACHE = { cache_control: { type: 'ephemeral' } } as const;
/** The dialect spoken here, which compatible servers know too; the SDK would name a newer one. */
const VERSION = '2023-06-01';
const MIN_BUDGET = 1024;
/** Left for the answer itself when a budget would take all of `max_tokens`. */
const MIN_ANSWER = 1024;
/** Source: FACTS, "Providers"; the levels above `high` for models whose map adds them. */
const DEFAULT_BUDGETS: Readonly<Record<Exclude<ThinkingLevel, 'off'>, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
};
const DEFAULT_EFFORTS: Readonly<Record<Exclude<ThinkingLevel, 'off'>, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

const converted = new WireCache<AnthropicMessage>();

/** Source: transcripts of 0.84.0. */
export function anthropicBody(request: ModelRequest): RequestBody {
  const { model, context } = request;
  const quirks = anthropicQuirks(model);
  const variant = modelVariant(model);
  const parts = groupMessages(context.messages).map((group) =>
    converted.get(group, variant, () => toWireMessage(group, model, quirks)),
  );
  const maxTokens = maxTokensOf(request);
  return new RequestBody(
    {
      model: model.id,
      max_tokens: maxTokens,
      stream: true,
      ...(context.systemPrompt === '' ? {} : { system: [{ type: 'text', text: context.systemPrompt, ...CACHE }] }),
      ...(context.tools.length === 0
        ? {}
        : { tools: context.tools.map((tool, at) => toWireTool(tool, at, context.tools, quirks)) }),
      ...thinkingFields(request, quirks, maxTokens),
    },
    'messages',
    markLastUser(parts),
  );
}

export function anthropicHeaders({ model, context, options }: ModelRequest): WireHeaders {
  const quirks = anthropicQuirks(model);
  const betas: string[] = [];
  if (!quirks.supportsEagerToolInputStreaming && context.tools.length > 0) betas.push('fine-grained-tool-streaming-2025-05-14');
  if (model.reasoning && !quirks.forceAdaptiveThinking) betas.push('interleaved-thinking-2025-05-14');
  const headers: WireHeaders = {
    'anthropic-version': VERSION,
    // The SDK would send its own idea of a key here.
    authorization: null,
    'x-api-key': options.apiKey ?? null,
    ...(quirks.sendSessionAffinityHeaders ? { 'x-session-affinity': options.sessionId } : {}),
  };
  for (const [name, value] of Object.entries(options.headers)) {
    if (name.toLowerCase() !== 'anthropic-beta') headers[name.toLowerCase()] = value;
    else if (value === null) betas.length = 0;
    else betas.push(...value.split(',').map((beta) => beta.trim()));
  }
  if (betas.length > 0) headers['anthropic-beta'] = [...new Set(betas)].join(',');
  return headers;
}

function toWireTool(tool: ToolDefinition, at: number, tools: readonly ToolDefinition[], quirks: AnthropicQuirks): object {
  return {
    name: tool.name,
    description: tool.description,
    ...(quirks.supportsEagerToolInputStreaming ? { eager_input_streaming: true } : {}),
    input_schema: { type: 'object', ...tool.parameters },
    ...(quirks.supportsCacheControlOnTools && at === tools.length - 1 ? CACHE : {}),
  };
}

function thinkingFields({ model, options }: ModelRequest, quirks: AnthropicQuirks, maxTokens: number): object {
  const { thinkingLevel: level } = options;
  if (!model.reasoning) return {};
  // A model that can't stop thinking refuses to be told so.
  if (level === 'off') return model.thinkingLevelMap?.off === null ? {} : { thinking: { type: 'disabled' } };
  const word = model.thinkingLevelMap?.[level] ?? undefined;
  const named = word === undefined ? Number.NaN : Number(word);
  if (quirks.forceAdaptiveThinking) {
    return {
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: word ?? DEFAULT_EFFORTS[level] },
    };
  }
  const wanted = options.thinkingBudgets?.[level] ?? (named > 0 ? named : DEFAULT_BUDGETS[level]);
  const budget = Math.min(Math.max(wanted, MIN_BUDGET), maxTokens - MIN_ANSWER);
  if (budget < MIN_BUDGET) return {};
  return { thinking: { type: 'enabled', budget_tokens: budget, display: 'summarized' } };
}

function toWireMessage(group: readonly ModelMessage[], model: Model, quirks: AnthropicQuirks): AnthropicMessage[] {
  const content = group.flatMap((message) => messageBlocks(message, model, quirks));
  return content.length === 0 ? [] : [{ role: group[0]?.role === 'assistant' ? 'assistant' : 'user', content }];
}

function messageBlocks(message: ModelMessage, model: Model, quirks: AnthropicQuirks): Block[] {
  switch (message.role) {
    case 'user':
      return userBlocks(message, model).map(toWireBlock);
    case 'assistant':
      return answerBlocks(message, model, quirks);
    case 'toolResult':
      return [
        {
          type: 'tool_result',
          tool_use_id: toWireId(message.toolCallId),
          content: toWireResult(userBlocks(message, model)),
          is_error: message.isError,
        },
      ];
  }
}

function toWireBlock(block: UserContent): Block {
  if (block.type === 'text') return { type: 'text', text: block.text };
  return { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } };
}

function toWireResult(blocks: readonly UserContent[]): string | Block[] {
  const [only] = blocks;
  if (!only) return '(no output)';
  return blocks.length === 1 && only.type === 'text' ? only.text : blocks.map(toWireBlock);
}

function answerBlocks(message: AssistantMessage, model: Model, quirks: AnthropicQuirks): Block[] {
  const isOwn = isOwnAnswer(message, model);
  return message.content.flatMap((block) => answerBlock(block, isOwn, quirks));
}

function answerBlock(block: AssistantContent, isOwn: boolean, quirks: AnthropicQuirks): Block[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text }];
    case 'toolCall':
      return [{ type: 'tool_use', id: toWireId(block.id), name: block.name, input: block.arguments }];
    case 'thinking': {
      const signature = block.thinkingSignature ?? '';
      if (isOwn && signature !== '') {
        return block.redacted
          ? [{ type: 'redacted_thinking', data: signature }]
          : [{ type: 'thinking', thinking: block.thinking, signature }];
      }
      const text = thinkingAsText(block);
      if (text.trim() === '') return [];
      return isOwn && quirks.allowEmptySignature ? [{ type: 'thinking', thinking: text, signature }] : [{ type: 'text', text }];
    }
  }
}

/** Ids of other dialects may hold characters that Anthropic refuses. */
const toWireId = (id: string): string => id.replace(/[^A-Za-z0-9_-]/g, '_');

/** Marks the last block of the last user message: everything up to it is read from the cache next time. */
function markLastUser(parts: readonly WireItems<AnthropicMessage>[]): WireItems<AnthropicMessage>[] {
  const marked = [...parts];
  const at = marked.findLastIndex(({ items }) => items[0]?.role === 'user');
  const message = marked[at]?.items[0];
  const last = message?.content.at(-1);
  if (!message || !last) return marked;
  marked[at] = new WireItems([{ ...message, content: [...message.content.slice(0, -1), { ...last, ...CACHE }] }]);
  return marked;
}
