import type { ImageContent, UserContent } from '../protocol/content.js';
import type { Attachment, UserMessage } from '../protocol/messages.js';

/**
 * A client's text, images and attachments as a message. Its content is always blocks: text first, then images. Image attachments
 * count as images; other attachments are kept with the message and not sent to the model.
 */
export function toUserMessage(
  input: { message: string; images?: ImageContent[] | undefined; attachments?: Attachment[] | undefined },
  timestamp: number,
): UserMessage {
  const attached = (input.attachments ?? [])
    .filter((attachment) => attachment.type === 'image')
    .map((attachment): ImageContent => ({ type: 'image', data: attachment.content, mimeType: attachment.mimeType }));
  const content: UserContent[] = [{ type: 'text', text: input.message }, ...(input.images ?? []), ...attached];
  return { role: 'user', content, timestamp, ...(input.attachments ? { attachments: input.attachments } : {}) };
}
