// Changes what a person said before the model hears it, or answers it right here.
// Try: pi -e examples/extensions/rewrite-input.ts --provider offline -p "?src"
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  pi.on('input', ({ text }) => {
    if (text === 'ping') {
      console.log('pong');
      return { action: 'handled' as const };
    }
    if (text.startsWith('?')) return { action: 'transform' as const, text: `list the files in ${text.slice(1) || '.'}` };
    return { action: 'continue' as const };
  });
}
