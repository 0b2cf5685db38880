import type { AssistantContent, UserContent } from '../protocol/content.js';
import type { AssistantMessage, ModelMessage, ToolResultMessage } from '../protocol/messages.js';
import type { Model } from '../protocol/model.js';
import type { ModelRequest } from '../protocol/model-stream.js';
import type { ToolDefinition } from '../protocol/tool.js';
import { dataUrl, groupMessages, isOwnAnswer, maxTokensOf, modelVariant, thinkingAsText, userBlocks } from './model-content.js';
import { openaiHeaders, samplingParams } from './openai-client.js';
import { effortWord } from './openai-thinking.js';
import { quirksOf } from './quirks.js';
import { encodeWire, RequestBody, WireCache, WireItems } from './request-body.js';
import type { WireHeaders } from './stream-answer.js';
import { textOf, type Wire, wireFromJson } from './wire-values.js';

/** Longest `prompt_cache_key` that OpenAI takes. */
const MAX_CACHE_KEY = 64;
const converted = new WireCache<Wire>();

/** Source: transcripts of 0.84.0. */
export function responsesBody(request: ModelRequest): RequestBody {
  const { model, context, options } = request;
  const quirks = quirksOf(model);
  const variant = modelVariant(model);
  const parts: WireItems<Wire>[] = [];
  if (context.systemPrompt !== '') {
    const role = model.reasoning && quirks.supportsDeveloperRole ? 'developer' : 'system';
    parts.push(new WireItems<Wire>([{ role, content: context.systemPrompt }]));
  }
  for (const group of groupMessages(context.messages)) {
    parts.push(converted.get(group, variant, () => group.flatMap((message) => toWireItems(message, model))));
  }
  return new RequestBody(
    {
      model: model.id,
      stream: true,
      store: false,
      prompt_cache_key: options.sessionId.slice(0, MAX_CACHE_KEY),
      max_output_tokens: maxTokensOf(request),
      ...(context.tools.length === 0 ? {} : { tools: context.tools.map(toWireTool) }),
      ...reasoningFields(request),
      ...samplingParams(request),
    },
    'input',
    parts,
  );
}

export function responsesHeaders(request: ModelRequest): WireHeaders {
  const { sessionAffinityFormat } = quirksOf(request.model);
  const id = request.options.sessionId;
  if (sessionAffinityFormat === 'openrouter') return openaiHeaders(request, { 'x-session-id': id });
  return openaiHeaders(request, {
    ...(sessionAffinityFormat === 'openai' ? { session_id: id } : {}),
    'x-client-request-id': id,
  });
}

const toWireTool = ({ name, description, parameters }: ToolDefinition): Wire => ({
  type: 'function',
  name,
  description,
  parameters,
  strict: false,
});

function reasoningFields({ model, options }: ModelRequest): Wire {
  if (!model.reasoning) return {};
  const level = options.thinkingLevel;
  if (level === 'off') {
    const word = model.thinkingLevelMap?.off;
    return word === null ? {} : { reasoning: { effort: word ?? 'none' } };
  }
  const effort = quirksOf(model).supportsReasoningEffort ? { effort: effortWord(model, level) } : {};
  return { reasoning: { ...effort, summary: 'auto' }, include: ['reasoning.encrypted_content'] };
}

function toWireItems(message: ModelMessage, model: Model): Wire[] {
  switch (message.role) {
    case 'user': {
      const content = userBlocks(message, model).map(toWirePart);
      return content.length === 0 ? [] : [{ role: 'user', content }];
    }
    case 'assistant':
      return answerItems(message, model);
    case 'toolResult':
      return [
        { type: 'function_call_output', call_id: splitCallId(message.toolCallId).callId, output: toWireOutput(message, model) },
      ];
  }
}

function toWirePart(block: UserContent): Wire {
  return block.type === 'text'
    ? { type: 'input_text', text: block.text }
    : { type: 'input_image', detail: 'auto', image_url: dataUrl(block) };
}

function toWireOutput(message: ToolResultMessage, model: Model): string | Wire[] {
  const blocks = userBlocks(message, model);
  const [only] = blocks;
  if (!only) return '(no output)';
  return blocks.length === 1 && only.type === 'text' ? only.text : blocks.map(toWirePart);
}

function answerItems(message: AssistantMessage, model: Model): Wire[] {
  const isOwn = isOwnAnswer(message, model);
  const thinking = message.content.filter((block) => block.type === 'thinking');
  // An item that names its id is refused when the reasoning that led to it is missing.
  const keepsIds = isOwn && thinking.every((block) => reasoningItem(block) !== undefined);
  return message.content.flatMap((block) => answerItem(block, isOwn, keepsIds));
}

function answerItem(block: AssistantContent, isOwn: boolean, keepsIds: boolean): Wire[] {
  switch (block.type) {
    case 'thinking': {
      const item = isOwn ? reasoningItem(block) : undefined;
      if (item) return [item];
      const text = thinkingAsText(block);
      return text.trim() === '' ? [] : [spoken(text, undefined)];
    }
    case 'text':
      return block.text.trim() === '' ? [] : [spoken(block.text, keepsIds ? wireFromJson(block.textSignature) : undefined)];
    case 'toolCall': {
      const { callId, itemId } = splitCallId(block.id);
      return [
        {
          type: 'function_call',
          ...(keepsIds && itemId !== undefined ? { id: itemId } : {}),
          call_id: callId,
          name: block.name,
          arguments: encodeWire(block.arguments),
        },
      ];
    }
  }
}

/** The reasoning item that a thinking block was made of: its signature holds it whole. */
function reasoningItem(block: AssistantContent): Wire | undefined {
  const item = block.type === 'thinking' ? wireFromJson(block.thinkingSignature) : undefined;
  return item?.type === 'reasoning' ? item : undefined;
}

function spoken(text: string, signature: Wire | undefined): Wire {
  const id = textOf(signature?.id);
  const phase = textOf(signature?.phase);
  return {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
    ...(id === undefined ? {} : { status: 'completed', id }),
    ...(phase === undefined ? {} : { phase }),
  };
}

/** A call is stored under `<call id>|<item id>`: results name the first, replay wants both. */
export function splitCallId(id: string): { callId: string; itemId: string | undefined } {
  const [callId = id, itemId] = id.split('|');
  return { callId: callId || id, itemId: itemId || undefined };
}
