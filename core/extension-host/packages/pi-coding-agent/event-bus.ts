import { messageOf } from '../../../base/coded-error.js';

export interface EventBus {
  emit(channel: string, data: unknown): void;
  /** Returns the way to stop listening. */
  on(channel: string, handler: (data: unknown) => void): () => void;
}

export interface EventBusController extends EventBus {
  clear(): void;
}

/** Tells listeners at once, in the order they came; a listener that fails is reported and the others go on. */
export function createEventBus(): EventBusController {
  const listeners = new Map<string, Set<(data: unknown) => void>>();
  const failed = (channel: string, error: unknown): void =>
    console.error(`A listener of "${channel}" failed: ${messageOf(error)}`);
  return {
    emit(channel, data) {
      for (const handler of [...(listeners.get(channel) ?? [])]) {
        try {
          const answer: unknown = handler(data);
          if (answer instanceof Promise) answer.catch((error: unknown) => failed(channel, error));
        } catch (error) {
          failed(channel, error);
        }
      }
    },
    on(channel, handler) {
      const handlers = listeners.get(channel) ?? new Set();
      listeners.set(channel, handlers.add(handler));
      return () => handlers.delete(handler);
    },
    clear: () => listeners.clear(),
  };
}
