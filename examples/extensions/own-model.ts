// A model that is code of yours: it streams whatever you like, and runs in the extension's thread.
// Try: pi -e examples/extensions/own-model.ts --model parrot/parrot -p "good morning"
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

const COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { ...COST, total: 0 } };

interface Context {
  messages: { role: string; content: string | { type: string; text?: string }[] }[];
}

export default function (pi: ExtensionAPI) {
  pi.registerProvider('parrot', {
    baseUrl: 'parrot:',
    apiKey: 'none-needed',
    api: 'parrot',
    models: [
      { id: 'parrot', name: 'Parrot', reasoning: false, input: ['text'], contextWindow: 10_000, maxTokens: 1_000, cost: COST },
    ],
    streamSimple: async function* (model, given) {
      const { messages } = given as Context;
      const last = messages.findLast(({ role }) => role === 'user')?.content ?? '';
      const heard = typeof last === 'string' ? last : last.map(({ text = '' }) => text).join('');
      const message = {
        role: 'assistant',
        content: [{ type: 'text', text: '' }],
        api: model.api,
        provider: model.provider,
        model: model.id,
        usage: USAGE,
        stopReason: 'stop',
        timestamp: Date.now(),
      };
      yield { type: 'start', partial: message };
      yield { type: 'text_start', contentIndex: 0, partial: message };
      for (const word of `You said: ${heard}`.split(/(?<= )/)) {
        message.content[0] = { type: 'text', text: (message.content[0]?.text ?? '') + word };
        yield { type: 'text_delta', contentIndex: 0, delta: word, partial: message };
      }
      yield { type: 'text_end', contentIndex: 0, content: message.content[0]?.text, partial: message };
      yield { type: 'done', reason: 'stop', message };
    },
  });
}
