import type { AssistantContent, ImageContent, UserContent } from '../protocol/content.js';
import type { AssistantMessage, ModelMessage, ToolResultMessage, UserMessage } from '../protocol/messages.js';
import type { Model } from '../protocol/model.js';
import type { ModelRequest } from '../protocol/model-stream.js';

/** Source: transcripts of text-only models. */
const NO_IMAGES = '(image omitted: model does not support images)';

/** The model itself gave this answer: only then are its signatures and item ids good. */
export const isOwnAnswer = (message: AssistantMessage, model: Model): boolean =>
  message.api === model.api && message.provider === model.provider && message.model === model.id;

/** Text and images as the model can take them, without empty text. */
export function userBlocks(message: UserMessage | ToolResultMessage, model: Model): UserContent[] {
  const { content } = message;
  const blocks: UserContent[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const seesImages = model.input.includes('image');
  return blocks.flatMap<UserContent>((block) => {
    if (block.type === 'image') return seesImages ? [block] : [{ type: 'text', text: NO_IMAGES }];
    return block.type === 'text' && block.text !== '' ? [block] : [];
  });
}

/** Thinking that no signature vouches for can't be replayed as thinking; it stays readable. Redacted thinking is nothing then. */
export function thinkingAsText(block: AssistantContent): string {
  return block.type === 'thinking' && !block.redacted ? block.thinking : '';
}

export const dataUrl = ({ mimeType, data }: ImageContent): string => `data:${mimeType};base64,${data}`;

/** Runs of tool results as one group, every other message alone: results of one batch belong together in all dialects. */
export function groupMessages(messages: readonly ModelMessage[]): ModelMessage[][] {
  const groups: ModelMessage[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    if (message.role === 'toolResult' && last?.[0]?.role === 'toolResult') last.push(message);
    else groups.push([message]);
  }
  return groups;
}

/** What a converted message depends on besides itself. */
export const modelVariant = ({ api, provider, id, input, compat }: Model): string =>
  `${api}\n${provider}\n${id}\n${input.includes('image')}\n${compat ? JSON.stringify(compat) : ''}`;

/** The tokens to allow for the answer. A window that is all answer would refuse every prompt. */
export function maxTokensOf({ model, options }: ModelRequest): number {
  const isAllAnswer = model.contextWindow > 1 && model.maxTokens >= model.contextWindow;
  const most = isAllAnswer ? Math.floor(model.contextWindow / 2) : model.maxTokens;
  return Math.max(1, Math.min(options.maxTokens ?? most, most));
}
