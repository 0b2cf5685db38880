import type { RegisteredProvider } from '../providers/registry-types.js';

/**
 * The bundled offline model, as a registered provider. Its code is loaded with the first request to it; until then only these
 * facts are known. Hidden: it answers only when it is named.
 */
export const offlineProvider: RegisteredProvider = {
  name: 'Offline',
  baseUrl: 'offline:',
  api: 'offline',
  hidden: true,
  keyless: true,
  models: [
    {
      id: 'offline',
      name: 'Offline model',
      reasoning: false,
      input: ['text'],
      contextWindow: 200_000,
      maxTokens: 16_384,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    },
  ],
  async stream(request, emit) {
    const { offlineStream } = await import('../../extensions/offline/index.js');
    return offlineStream(request, emit);
  },
};
