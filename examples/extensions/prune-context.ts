// Decides what the model sees of the conversation: old results of tools are cut to their first line.
// Try: pi -e examples/extensions/prune-context.ts --provider offline -p "read notes.txt" "read notes.txt" "read notes.txt"
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

const KEPT_WHOLE = 1;

export default function (pi: ExtensionAPI) {
  pi.on('context', ({ messages }) => {
    const results = messages.filter(({ role }) => role === 'toolResult');
    const old = new Set(results.slice(0, -KEPT_WHOLE));
    return {
      messages: messages.map((message) => {
        if (message.role !== 'toolResult' || !old.has(message)) return message;
        const content = message.content.map((part) =>
          part.type === 'text' ? { ...part, text: `${part.text.split('\n')[0]} …` } : part,
        );
        return { ...message, content };
      }),
    };
  });
}
