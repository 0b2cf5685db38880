// Adds to the system prompt of each run.
// Try: pi -e examples/extensions/system-prompt.ts -p "What day is it?"
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  pi.on('before_agent_start', ({ systemPrompt }) => ({
    systemPrompt: `${systemPrompt}\n\nToday is a ${new Date().toLocaleDateString('en', { weekday: 'long' })}. Answer in one sentence.`,
  }));
}
