// Changes what a tool gave before the model reads it.
// Try: pi -e examples/extensions/change-result.ts --provider offline -p "read notes.txt"
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

const SECRET = /\b(?:sk|ghp)[-_]\w{8,}/g;

export default function (pi: ExtensionAPI) {
  pi.on('tool_result', ({ content }) => ({
    content: content.map((part) => (part.type === 'text' ? { ...part, text: part.text.replace(SECRET, '[a key]') } : part)),
  }));
}
