import type { MessagePort } from 'node:worker_threads';
import type { Endpoint } from 'comlink';

type Listener = Parameters<Endpoint['addEventListener']>[1];

/**
 * A port to an extension's thread as comlink may see it: of what arrives, only plain answers to our own calls pass. Everything else comlink
 * knows (calls into this thread, proxies, endpoints, handlers of foreign names) ends here.
 */
export function gatedEndpoint(port: MessagePort, onRefused: () => void): Endpoint {
  const wrappers = new Map<Listener, (message: unknown) => void>();
  return {
    postMessage: (message: unknown) => port.postMessage(message),
    addEventListener: (_type, listener) => {
      const wrapper = (message: unknown): void => {
        const answer = plainAnswer(message);
        if (!answer) onRefused();
        else if ('handleEvent' in listener) listener.handleEvent({ data: answer } as unknown as Event);
        else listener({ data: answer } as unknown as Event);
      };
      wrappers.set(listener, wrapper);
      port.on('message', wrapper);
    },
    removeEventListener: (_type, listener) => {
      const wrapper = wrappers.get(listener);
      if (wrapper) port.off('message', wrapper);
      wrappers.delete(listener);
    },
    start: () => port.start(),
  };
}

/** `{id, type: 'RAW', value}` made anew, or undefined. Methods of ours answer with values, never by throwing. */
function plainAnswer(message: unknown): { id: string; type: 'RAW'; value: unknown } | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { id, type, value } = message as Record<string, unknown>;
  return typeof id === 'string' && type === 'RAW' ? { id, type, value } : undefined;
}
