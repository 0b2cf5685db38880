import type { Endpoint } from 'comlink';

type Listener = Parameters<Endpoint['addEventListener']>[1];

/**
 * The supervisor as comlink sees it, on a port that carries other messages too. What the supervisor asks needs no gate: it could end this
 * thread anyway.
 */
export class PortEndpoint implements Endpoint {
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

  deliver(data: unknown): void {
    // comlink reads `data` and, to compare it with what it allows, `origin`; without one, everything is allowed.
    const event = { data } as unknown as Event;
    for (const listener of this.#listeners) {
      if (typeof listener === 'function') listener(event);
      else listener.handleEvent(event);
    }
  }
}
