import * as z from 'zod';
import { ImageContentSchema } from '../content.js';
import { AttachmentSchema } from '../messages.js';
import { defineCommand } from './define.js';

const text = {
  message: z.string(),
  images: z.array(ImageContentSchema).optional(),
  attachments: z.array(AttachmentSchema).optional(),
};

/** Where an accepted message went. Source: 1.6.0's `data.disposition`. */
export const DispositionSchema = z.object({ disposition: z.enum(['started', 'queued', 'handled']) });

export const QueuedMessagesSchema = z.object({ steering: z.array(z.string()), followUp: z.array(z.string()) });

export const promptCommand = defineCommand({
  name: 'prompt',
  summary:
    'Send a user message. Answered once it is accepted, queued or handled; while a run is on, `streamingBehavior` is required.',
  source: 'rpc-mode',
  params: z.object({ ...text, streamingBehavior: z.enum(['steer', 'followUp']).optional() }),
  result: DispositionSchema,
});

export const steerCommand = defineCommand({
  name: 'steer',
  summary: 'Queue a message for delivery after the running tool calls, before the next model call.',
  source: 'rpc-mode',
  params: z.object(text),
  result: DispositionSchema,
});

export const followUpCommand = defineCommand({
  name: 'follow_up',
  summary: 'Queue a message for delivery when the agent would stop.',
  source: 'rpc-mode',
  params: z.object(text),
  result: DispositionSchema,
});

export const abortCommand = defineCommand({
  name: 'abort',
  summary: 'Stop the current run: stream, tools, children, retry wait and compaction. Answered when all is quiet.',
  source: 'rpc-mode',
  params: z.object({}),
});

export const clearQueueCommand = defineCommand({
  name: 'clear_queue',
  summary: 'Take every queued message back; the answer lists what was taken.',
  source: '1.6.0',
  params: z.object({}),
  result: QueuedMessagesSchema,
});
