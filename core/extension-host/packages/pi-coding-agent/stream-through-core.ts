import type { ModelStream } from '../../../protocol/model-stream.js';
import type { WorkerServices } from '../../contract/worker-services.js';

/** Has the agent ask: its credentials, hooks and connections count, and none of them come here. */
export function streamThroughCore(services: WorkerServices): ModelStream {
  return async ({ model, context, options }, emit) => {
    const { signal, thinkingLevel, thinkingBudgets, maxTokens, sessionId, idleTimeoutMs } = options;
    const plain = {
      thinkingLevel,
      sessionId,
      idleTimeoutMs,
      ...(thinkingBudgets ? { thinkingBudgets } : {}),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    };
    for await (const event of services.streamModel(model, context, plain, signal)) {
      if (event.type === 'answer') return event.answer;
      emit(event);
    }
    throw new Error('The answer ended before it was whole');
  };
}
