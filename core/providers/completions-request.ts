import type { ThinkingContent, ToolCall, UserContent } from '../protocol/content.js';
import type { AssistantMessage, ModelMessage, ToolResultMessage, UserMessage } from '../protocol/messages.js';
import type { Model } from '../protocol/model.js';
import type { ModelRequest } from '../protocol/model-stream.js';
import type { ToolDefinition } from '../protocol/tool.js';
import { markCache } from './completions-cache.js';
import { shortCallId } from './completions-call-id.js';
import { dataUrl, groupMessages, isOwnAnswer, maxTokensOf, modelVariant, thinkingAsText, userBlocks } from './model-content.js';
import { openaiHeaders, samplingParams } from './openai-client.js';
import { thinkingFields } from './openai-thinking.js';
import { type Quirks, quirksOf } from './quirks.js';
import { encodeWire, RequestBody, WireCache, WireItems } from './request-body.js';
import type { WireHeaders } from './stream-answer.js';
import { type Wire, wireFromJson } from './wire-values.js';

/** Names under which services stream and take back their thinking. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;

const AFTER_RESULTS = new WireItems<Wire>([{ role: 'assistant', content: 'I have processed the tool results.' }]);
const converted = new WireCache<Wire>();

/** Source: transcripts of 0.84.0. */
export function completionsBody(request: ModelRequest): RequestBody {
  const { model, context, options } = request;
  const quirks = quirksOf(model);
  const isThinking = model.reasoning && options.thinkingLevel !== 'off';
  const variant = `${modelVariant(model)}\n${isThinking}`;
  const parts: WireItems<Wire>[] = [];
  if (context.systemPrompt !== '') {
    const role = model.reasoning && quirks.supportsDeveloperRole ? 'developer' : 'system';
    parts.push(new WireItems<Wire>([{ role, content: context.systemPrompt }]));
  }
  let isAfterResults = false;
  for (const group of groupMessages(context.messages)) {
    const [first] = group;
    if (first?.role === 'user' && isAfterResults && quirks.requiresAssistantAfterToolResult) parts.push(AFTER_RESULTS);
    parts.push(converted.get(group, variant, () => toWireMessages(group, model, quirks, isThinking)));
    isAfterResults = first?.role === 'toolResult';
  }
  const tools = context.tools.map((tool) => toWireTool(tool, quirks));
  const marked = quirks.cacheControlFormat === 'anthropic' ? markCache(parts, tools) : { parts, tools };
  return new RequestBody(
    {
      model: model.id,
      stream: true,
      ...(quirks.supportsUsageInStreaming ? { stream_options: { include_usage: true } } : {}),
      ...(quirks.supportsStore ? { store: false } : {}),
      ...(quirks.supportsPromptCacheKey ? { prompt_cache_key: options.sessionId.slice(0, 64) } : {}),
      [quirks.maxTokensField]: maxTokensOf(request),
      ...(marked.tools.length === 0 ? {} : { tools: marked.tools }),
      ...(quirks.zaiToolStream && marked.tools.length > 0 ? { tool_stream: true } : {}),
      ...thinkingFields(request, quirks),
      ...(quirks.openRouterRouting ? { provider: quirks.openRouterRouting } : {}),
      ...(quirks.vercelGatewayRouting ? { providerOptions: { gateway: quirks.vercelGatewayRouting } } : {}),
      ...samplingParams(request),
    },
    'messages',
    marked.parts,
  );
}

export function completionsHeaders(request: ModelRequest): WireHeaders {
  const { sendSessionAffinityHeaders, sessionAffinityFormat } = quirksOf(request.model);
  const id = request.options.sessionId;
  if (!sendSessionAffinityHeaders) return openaiHeaders(request, {});
  if (sessionAffinityFormat === 'openrouter') return openaiHeaders(request, { 'x-session-id': id });
  return openaiHeaders(request, {
    ...(sessionAffinityFormat === 'openai' ? { session_id: id } : {}),
    'x-client-request-id': id,
    'x-session-affinity': id,
  });
}

function toWireTool({ name, description, parameters }: ToolDefinition, { supportsStrictMode }: Quirks): Wire {
  return { type: 'function', function: { name, description, parameters, ...(supportsStrictMode ? { strict: false } : {}) } };
}

function toWireMessages(group: readonly ModelMessage[], model: Model, quirks: Quirks, isThinking: boolean): Wire[] {
  const [first] = group;
  if (first?.role === 'user') return userMessages(first, model);
  if (first?.role === 'assistant') return assistantMessages(first, model, quirks, isThinking);
  // A group that starts with a result holds nothing else.
  return resultMessages(group as readonly ToolResultMessage[], model, quirks);
}

function userMessages(message: UserMessage, model: Model): Wire[] {
  const blocks = userBlocks(message, model);
  const [only] = blocks;
  if (!only) return [];
  return [{ role: 'user', content: blocks.length === 1 && only.type === 'text' ? only.text : blocks.map(toWirePart) }];
}

function toWirePart(block: UserContent): Wire {
  return block.type === 'text' ? { type: 'text', text: block.text } : { type: 'image_url', image_url: { url: dataUrl(block) } };
}

function assistantMessages(message: AssistantMessage, model: Model, quirks: Quirks, isThinking: boolean): Wire[] {
  const isOwn = isOwnAnswer(message, model);
  const thinking = message.content.filter((block) => block.type === 'thinking');
  const calls = message.content.filter((block) => block.type === 'toolCall');
  const texts = message.content.flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : []));
  const replayed = isOwn && !quirks.requiresThinkingAsText ? reasoningFields(thinking) : {};
  const readable =
    isOwn && !quirks.requiresThinkingAsText ? [] : thinking.map(thinkingAsText).filter((text) => text.trim() !== '');
  const content = [readable.join('\n\n'), texts.join('')].filter((text) => text !== '').join('\n\n');
  if (content === '' && calls.length === 0) return [];
  const details = isOwn ? calls.map(({ thoughtSignature }) => wireFromJson(thoughtSignature)) : [];
  const encrypted = details.filter((detail) => detail?.type === 'reasoning.encrypted');
  return [
    {
      role: 'assistant',
      content: content === '' ? null : content,
      ...(quirks.requiresReasoningContentOnAssistantMessages && isThinking ? { reasoning_content: '' } : {}),
      ...replayed,
      ...(encrypted.length > 0 ? { reasoning_details: encrypted } : {}),
      ...(calls.length > 0 ? { tool_calls: calls.map((call, at) => toWireCall(call, quirks, details[at])) } : {}),
    },
  ];
}

/** Thinking under the name it came with. */
function reasoningFields(thinking: readonly ThinkingContent[]): Wire {
  const text = thinking
    .filter(({ redacted }) => !redacted)
    .map((block) => block.thinking)
    .join('\n');
  if (text === '') return {};
  const name = REASONING_FIELDS.find((field) => field === thinking[0]?.thinkingSignature) ?? 'reasoning_content';
  return { [name]: text };
}

function toWireCall({ id, name, arguments: args }: ToolCall, quirks: Quirks, detail: Wire | undefined): Wire {
  return {
    id: toWireId(id, quirks),
    type: 'function',
    function: { name, arguments: encodeWire(args) },
    // Google's signature of the thought behind the call: it refuses the call without it.
    ...(detail?.google === undefined ? {} : { extra_content: detail }),
  };
}

function resultMessages(group: readonly ToolResultMessage[], model: Model, quirks: Quirks): Wire[] {
  const images: Wire[] = [];
  const results = group.map((message): Wire => {
    const blocks = userBlocks(message, model);
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    for (const block of blocks) if (block.type === 'image') images.push(toWirePart(block));
    const isOnlyImages = text === '' && blocks.length > 0;
    return {
      role: 'tool',
      tool_call_id: toWireId(message.toolCallId, quirks),
      ...(quirks.requiresToolResultName ? { name: message.toolName } : {}),
      content: isOnlyImages ? '(see attached image)' : text || '(no output)',
    };
  });
  if (images.length === 0) return results;
  // Results take no images in this dialect: they follow as the user's.
  const attached = { role: 'user', content: [{ type: 'text', text: 'Attached image(s) from tool result:' }, ...images] };
  return [...results, ...(quirks.requiresAssistantAfterToolResult ? AFTER_RESULTS.items : []), attached];
}

/** An id of the Responses dialect holds two. */
const toWireId = (id: string, { toolCallIdFormat }: Quirks): string => {
  const plain = id.split('|', 1)[0] || id;
  return toolCallIdFormat === 'short' ? shortCallId(plain) : plain;
};
