import { messageOf } from '../base/coded-error.js';
import type { AssistantMessage } from '../protocol/messages.js';
import type { Model } from '../protocol/model.js';
import type { ModelAnswer, ModelContext, ModelRequestOptions, ModelStream } from '../protocol/model-stream.js';
import { noUsage } from '../protocol/no-usage.js';
import type { Conversation } from './conversation.js';

/** An answer made here, when no model gave one: an error or an abort. */
export function emptyAnswer(model: Model, stopReason: 'error' | 'aborted', errorMessage: string, now: number): AssistantMessage {
  return {
    role: 'assistant',
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: noUsage(),
    stopReason,
    errorMessage,
    timestamp: now,
  };
}

/**
 * Asks the model once and sends `message_start` and the `message_update`s of its answer; `message_end` is the caller's, who stores
 * the message first. Never rejects.
 */
export async function askModel(
  model: Model,
  stream: ModelStream,
  context: ModelContext,
  options: ModelRequestOptions,
  conversation: Pick<Conversation, 'tell' | 'mention'>,
  now: () => number,
): Promise<ModelAnswer> {
  let started = false;
  let heard: Promise<unknown> | undefined;
  const start = (message: AssistantMessage): void => {
    if (started) return;
    started = true;
    // The live message grows while the record waits to be written: what is sent is a copy of this moment.
    heard = conversation.tell({ type: 'message_start', message: structuredClone(message) });
  };
  let answer: ModelAnswer;
  try {
    answer = await stream({ model, context, options }, (event) => {
      if (event.type === 'start') start(event.message);
      else conversation.mention({ type: 'message_update', assistantMessageEvent: event });
    });
  } catch (error) {
    // A stream of an extension may break its promise not to reject.
    const aborted = options.signal.aborted;
    const message = emptyAnswer(model, aborted ? 'aborted' : 'error', messageOf(error), now());
    answer = aborted ? { message } : { message, failure: { kind: 'fatal' } };
  }
  start(answer.message);
  // A stream can't wait for whoever listens to its start; what follows it can.
  if (heard) await heard;
  return answer;
}
