import type { AssistantMessage } from '../../../protocol/messages.js';
import type { ModelAnswer, ModelStream } from '../../../protocol/model-stream.js';
import type { ModelConfig, RegisteredProvider } from '../../../providers/registry-types.js';
import type { AnswerEvent } from '../pi-ai/answer-event.js';
import type { StreamFunction } from '../pi-ai/api-registry.js';
import { PartialAnswer } from '../pi-ai/partial-answer.js';

/** A provider as extensions register it. Source: custom-provider document, "Config Reference". */
export interface ExtensionProviderConfig {
  name?: string;
  baseUrl?: string;
  api?: string;
  apiKey?: string;
  headers?: Record<string, string>;
  authHeader?: boolean;
  models?: ModelConfig[];
  streamSimple?: StreamFunction;
}

export function toRegisteredProvider({ streamSimple, ...plain }: ExtensionProviderConfig): RegisteredProvider {
  return streamSimple ? { ...plain, stream: toModelStream(streamSimple) } : plain;
}

/** A stream of events as the agent asks for it. */
export function toModelStream(streamSimple: StreamFunction): ModelStream {
  return async ({ model, context, options }, emit) => {
    const { signal, apiKey, headers, maxTokens, sessionId, thinkingLevel, thinkingBudgets } = options;
    const events = streamSimple(model, context, {
      signal,
      apiKey,
      headers,
      sessionId,
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(thinkingBudgets ? { thinkingBudgets } : {}),
      ...(thinkingLevel === 'off' ? {} : { reasoning: thinkingLevel }),
    });
    let started = false;
    let whole: AssistantMessage = new PartialAnswer(model).message;
    for await (const event of events as AsyncIterable<AnswerEvent>) {
      if (event.type === 'done' || event.type === 'error') return answerOf(event);
      whole = event.partial;
      if (!started) emit({ type: 'start', message: event.partial });
      started = true;
      if (event.type === 'start') continue;
      const { partial: _, ...step } = event;
      emit(step);
    }
    return failed({ ...whole, stopReason: 'error', errorMessage: 'The stream ended before the answer was whole' });
  };
}

function answerOf(event: Extract<AnswerEvent, { type: 'done' | 'error' }>): ModelAnswer {
  if (event.type === 'done') return { message: event.message };
  return event.reason === 'aborted' ? { message: event.error } : failed(event.error);
}

const failed = (message: AssistantMessage): ModelAnswer => ({ message, failure: { kind: 'fatal' } });
