import type { CreateMessageRequest, CreateMessageResult } from '@modelcontextprotocol/sdk/types.js';
import type { ExtensionContext } from '../../core/extension-host/contract/public.js';
import type { ServerConfig } from './server-config.js';

/** What a person sees of a request. */
const MAX_SHOWN_CHARS = 2_000;

/**
 * Asks the model of this session for a server, if the configuration lets it and, unless it says "always", a person does. Throws what the
 * server is told.
 */
export async function sample(
  ctx: ExtensionContext,
  { name, sampling }: ServerConfig,
  { messages, systemPrompt, maxTokens }: CreateMessageRequest['params'],
  signal: AbortSignal,
): Promise<CreateMessageResult> {
  const { model } = ctx;
  if (!model) throw new Error('There is no model');
  const asked = messages.map(({ role, content }) => ({ role, text: textOf(content) }));
  if (sampling !== 'always') {
    const shown = asked
      .map(({ role, text }) => `${role}: ${text}`)
      .join('\n')
      .slice(0, MAX_SHOWN_CHARS);
    const allowed = await ctx.ui.confirm(`The MCP server "${name}" asks ${model.id} something, at your cost`, shown, { signal });
    if (!allowed) throw new Error('The user does not allow it');
  }
  const context = {
    ...(systemPrompt !== undefined && { systemPrompt }),
    messages: asked.map(({ role, text }) => ({ role, content: [{ type: 'text', text }], timestamp: Date.now() })),
  };
  const answer = await ctx.modelRegistry.complete(model, context, { maxTokens, signal });
  if (answer.stopReason === 'error') throw new Error(answer.errorMessage ?? 'The model failed');
  const text = answer.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  return { role: 'assistant', model: model.id, content: { type: 'text', text } };
}

type SamplingContent = CreateMessageRequest['params']['messages'][number]['content'];

function textOf(content: SamplingContent): string {
  return [content]
    .flat()
    .map((part) => {
      if (part.type !== 'text') throw new Error(`Only texts can be asked here, not ${part.type}`);
      return part.text;
    })
    .join('\n');
}
