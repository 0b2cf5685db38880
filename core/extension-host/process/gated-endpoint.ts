import type { Endpoint } from 'comlink';

type Listener = Parameters<Endpoint['addEventListener']>[1];

/**
 * An extension's thread as comlink may see it: of what arrives, only plain answers to our own calls pass. Everything else comlink knows
 * (calls into this thread, proxies, endpoints, handlers of foreign names) ends here. It shares the port with all other messages, because
 * an answer may not overtake what was sent before it.
 */
export class GatedEndpoint implements Endpoint {
  readonly postMessage: (message: unknown) => void;
  readonly #listeners = new Set<Listener>();

  constructor(post: (message: unknown) => void) {
    this.postMessage = post;
  }

  addEventListener(_type: string, listener: Listener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: string, listener: Listener): void {
    this.#listeners.delete(listener);
  }

  /** False when the message is none that may pass. */
  deliver(message: unknown): boolean {
    const data = plainAnswer(message);
    if (!data) return false;
    // comlink reads nothing but `data` of the event.
    const event = { data } as unknown as Event;
    for (const listener of this.#listeners) {
      if (typeof listener === 'function') listener(event);
      else listener.handleEvent(event);
    }
    return true;
  }
}

/** `{id, type: 'RAW', value}` made anew, or undefined. Methods of ours answer with values, never by throwing. */
function plainAnswer(message: unknown): { id: string; type: 'RAW'; value: unknown } | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { id, type, value } = message as Record<string, unknown>;
  return typeof id === 'string' && type === 'RAW' ? { id, type, value } : undefined;
}
