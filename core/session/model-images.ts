import type { ImageContent, TextContent, UserContent } from '../protocol/content.js';
import type { ModelMessage } from '../protocol/messages.js';
import { Memo } from './memo.js';

/** At most this many images go into one request (Anthropic's limit; OpenAI takes more). */
export const MAX_IMAGES = 100;
/** At most this much base64 in one request, below every provider's limit on a request's size. */
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
/** Largest single image in base64 bytes (Anthropic's limit). */
export const MAX_ONE_IMAGE_BYTES = 5 * 1024 * 1024;
/** Old images go in steps of this many, so that the beginning of the request stays the same (and cached) for a while. */
const STEP = 10;

const SENDABLE = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const DATA_URL = /^data:[^,]*;base64,/;

/** Source: transcripts of text-only models. */
const NO_IMAGES = '(image omitted: model does not support images)';
const OLD_IMAGE = '(image omitted: it is older than the images that fit into a request)';

/** An image as every provider takes it, or a text that says why it can't be sent. */
export function sendableImage(image: ImageContent, seesImages: boolean): UserContent {
  if (!seesImages) return omitted(NO_IMAGES);
  if (typeof image.data !== 'string' || typeof image.mimeType !== 'string') return omitted('(image omitted: it is damaged)');
  const data = image.data.replace(DATA_URL, '');
  if (data.trim() === '') return omitted('(image omitted: it is empty)');
  if (data.length > MAX_ONE_IMAGE_BYTES) return omitted('(image omitted: it is larger than 5 MB)');
  const mimeType = image.mimeType === 'image/jpg' ? 'image/jpeg' : image.mimeType;
  if (!SENDABLE.has(mimeType)) return omitted(`(image omitted: ${mimeType || 'its type'} is not supported)`);
  return data === image.data && mimeType === image.mimeType ? image : { type: 'image', data, mimeType };
}

const omitted = (text: string): TextContent => ({ type: 'text', text });

const memo = new Memo<ModelMessage, ModelMessage>();

/** A message of a request with images in it. */
export interface ImageHolder {
  /** Its place in the request. */
  at: number;
  /** Base64 bytes of its images, oldest first. */
  sizes: number[];
}

/** Sizes of a message's images; empty for nearly all. */
export function imageSizes(message: ModelMessage): number[] {
  if (message.role === 'assistant' || typeof message.content === 'string') return NO_SIZES;
  let sizes: number[] | undefined;
  for (const block of message.content) {
    if (block.type !== 'image') continue;
    sizes ??= [];
    sizes.push(block.data.length);
  }
  return sizes ?? NO_SIZES;
}

const NO_SIZES: number[] = [];

/** Replaces the oldest images of a request by a text until the rest fits the budget, in place. */
export function limitImages(messages: ModelMessage[], holders: readonly ImageHolder[]): ModelMessage[] {
  let excess = holders.length === 0 ? 0 : countExcess(holders.flatMap(({ sizes }) => sizes));
  for (const { at, sizes } of holders) {
    if (excess <= 0) break;
    const message = messages[at];
    if (message) messages[at] = withoutFirst(message, Math.min(excess, sizes.length));
    excess -= sizes.length;
  }
  return messages;
}

/** How many of the oldest images have to go. */
function countExcess(sizes: readonly number[]): number {
  let kept = 0;
  let bytes = 0;
  for (const size of sizes.toReversed()) {
    if (kept + 1 > MAX_IMAGES || bytes + size > MAX_IMAGE_BYTES) break;
    kept++;
    bytes += size;
  }
  const excess = sizes.length - kept;
  // The newest image stays in any case: one alone always fits.
  return Math.min(Math.ceil(excess / STEP) * STEP, sizes.length - 1);
}

function withoutFirst(message: ModelMessage, count: number): ModelMessage {
  if (message.role === 'assistant' || typeof message.content === 'string') return message;
  const { content } = message;
  return memo.get(message, String(count), () => {
    let left = count;
    return { ...message, content: content.map((block) => (block.type === 'image' && left-- > 0 ? omitted(OLD_IMAGE) : block)) };
  });
}
