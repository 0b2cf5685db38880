import type { AssistantContent, TextContent, ThinkingContent, ToolCall, UserContent } from '../protocol/content.js';
import type { AssistantMessage, ToolResultMessage, UserMessage } from '../protocol/messages.js';
import type { Model } from '../protocol/model.js';
import { sendableImage } from './model-images.js';
import { sendableToolName } from './tool-call-ids.js';
import { wellFormed, wellFormedArguments } from './well-formed.js';

/** Dialects that replay thinking only with a signature. Others take it as plain reasoning text. */
const SIGNED_THINKING = new Set(['anthropic-messages', 'openai-responses']);

/** True when the model itself gave this answer: only then are its signatures good. */
export function isOwnAnswer(message: AssistantMessage, model: Model): boolean {
  return message.api === model.api && message.provider === model.provider && message.model === model.id;
}

/** An answer as `model` may be shown it; undefined when nothing is left of it. The same object when nothing had to change. */
export function sendableAnswer(message: AssistantMessage, model: Model): AssistantMessage | undefined {
  const isOwn = isOwnAnswer(message, model);
  const content: AssistantContent[] = [];
  for (const block of message.content) {
    const sendable = sendableBlock(block, isOwn, model.api);
    if (sendable) content.push(sendable);
  }
  // Thinking that nothing follows is refused: it belongs to an answer that never came.
  while (content.at(-1)?.type === 'thinking') content.pop();
  if (content.length === 0) return undefined;
  const isSame = content.length === message.content.length && content.every((block, at) => block === message.content[at]);
  return isSame ? message : { ...message, content };
}

function sendableBlock(block: AssistantContent, isOwn: boolean, api: string): AssistantContent | undefined {
  switch (block.type) {
    case 'text':
      return sendableText(block, isOwn);
    case 'thinking':
      return sendableThinking(block, isOwn, api);
    case 'toolCall':
      return sendableCall(block, isOwn);
    default:
      // Kinds of other programs: no dialect has a place for them.
      return undefined;
  }
}

function sendableText(block: TextContent, keepSignature: boolean): TextContent | undefined {
  const text = typeof block.text === 'string' ? wellFormed(block.text) : '';
  if (text.trim() === '') return undefined;
  const isSame = text === block.text && (keepSignature || block.textSignature === undefined);
  return isSame ? block : { type: 'text', text };
}

function sendableThinking(block: ThinkingContent, isOwn: boolean, api: string): AssistantContent | undefined {
  const thinking = typeof block.thinking === 'string' ? wellFormed(block.thinking) : '';
  const isSigned = isOwn && block.thinkingSignature !== undefined && block.thinkingSignature !== '';
  // A signature covers the exact text.
  if (isSigned && thinking === block.thinking) return block;
  if (block.redacted || thinking.trim() === '') return undefined;
  if (!isOwn || SIGNED_THINKING.has(api)) return { type: 'text', text: thinking };
  return thinking === block.thinking && block.thinkingSignature === undefined ? block : { type: 'thinking', thinking };
}

function sendableCall(block: ToolCall, isOwn: boolean): ToolCall {
  const name = sendableToolName(block.name);
  const args = wellFormedArguments(block.arguments);
  const id = typeof block.id === 'string' ? block.id : '';
  const hasSignature = block.thoughtSignature !== undefined;
  if (name === block.name && args === block.arguments && id === block.id && (isOwn || !hasSignature)) return block;
  return {
    type: 'toolCall',
    id,
    name,
    arguments: args,
    ...(isOwn && block.thoughtSignature !== undefined ? { thoughtSignature: block.thoughtSignature } : {}),
  };
}

/** Blocks without blanks, broken characters and images the model can't take; the same array when nothing had to change. */
function sendableBlocks(content: UserContent[], seesImages: boolean): UserContent[] {
  const blocks: UserContent[] = [];
  for (const block of content) {
    if (block.type === 'image') blocks.push(sendableImage(block, seesImages));
    else if (block.type === 'text') {
      const text = sendableText(block, false);
      if (text) blocks.push(text);
    }
  }
  return blocks.length === content.length && blocks.every((block, at) => block === content[at]) ? content : blocks;
}

/**
 * What a user (or an extension in the user's place) said; undefined when it is empty. Image attachments become images. A user's
 * message is the same object when nothing had to change.
 */
export function sendableUser(
  message: UserMessage | { content: string | UserContent[]; timestamp: number },
  model: Model,
): UserMessage | undefined {
  const { timestamp } = message;
  const content = sendableContent(withAttachments(message), model.input.includes('image'));
  if (content === undefined) return undefined;
  const isSame = content === message.content && 'role' in message && message.role === 'user' && message.attachments === undefined;
  return isSame ? message : { role: 'user', content, timestamp };
}

function sendableContent(content: string | UserContent[], seesImages: boolean): string | UserContent[] | undefined {
  if (typeof content !== 'string') {
    const blocks = sendableBlocks(content, seesImages);
    return blocks.length === 0 ? undefined : blocks;
  }
  const text = wellFormed(content);
  return text.trim() === '' ? undefined : text;
}

function withAttachments(message: {
  content: string | UserContent[];
  attachments?: UserMessage['attachments'];
}): string | UserContent[] {
  const { content } = message;
  const images = (message.attachments ?? []).filter(({ type }) => type === 'image');
  if (images.length === 0) return content;
  const given: UserContent[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  // A client may have put the attached image among the blocks already.
  const attached = images.filter(({ content: data }) => !given.some((block) => block.type === 'image' && block.data === data));
  return [...given, ...attached.map(({ content: data, mimeType }) => ({ type: 'image' as const, data, mimeType }))];
}

/** A tool's result with something in it: no dialect takes an empty one. The same object when nothing had to change. */
export function sendableResult(message: ToolResultMessage, model: Model): ToolResultMessage {
  const blocks = sendableBlocks(message.content, model.input.includes('image'));
  const content: UserContent[] = blocks.length === 0 ? [{ type: 'text', text: '(no output)' }] : blocks;
  return content === message.content ? message : { ...message, content };
}
