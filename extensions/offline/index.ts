import type { OfflineStream } from './model-api.js';
import { offlineStream } from './stream.js';

export { offlineStream };

/**
 * The embedded model: no network, no key, deterministic, and hidden: it answers only when it is named (`--provider offline`), never
 * because nothing else is set up.
 */
export const offlineProvider = {
  name: 'offline',
  baseUrl: 'offline:',
  api: 'offline',
  hidden: true,
  keyless: true,
  models: [
    {
      id: 'offline',
      name: 'Offline model',
      reasoning: false,
      input: ['text'] as 'text'[],
      contextWindow: 200_000,
      maxTokens: 16_384,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    },
  ],
};

/** What this extension needs of the object extensions are given. */
interface ExtensionApi {
  registerProvider(name: string, provider: typeof offlineProvider & { stream: OfflineStream }): void;
}

export default function offline(pi: ExtensionApi): void {
  pi.registerProvider('offline', { ...offlineProvider, stream: offlineStream });
}
