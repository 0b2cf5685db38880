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
