// Models of a service that speaks a known API, here one on this machine.
// Try: LOCAL_URL=http://127.0.0.1:8080/v1 pi -e examples/extensions/local-provider.ts --list-models local
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  pi.registerProvider('local', {
    baseUrl: process.env.LOCAL_URL ?? 'http://127.0.0.1:8080/v1',
    api: 'openai-completions',
    apiKey: 'none-needed',
    models: [
      {
        id: 'local-small',
        name: 'Small model on this machine',
        reasoning: false,
        input: ['text'],
        contextWindow: 32_000,
        maxTokens: 4_096,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      },
    ],
  });
}
