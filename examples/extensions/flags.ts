// Options of the command line, and the tools that go with one of them.
// Try: pi -e examples/extensions/flags.ts --look-only --provider offline -p "list the files"
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  pi.registerFlag('look-only', { type: 'boolean', description: 'Offer only tools that change nothing' });
  pi.on('session_start', () => {
    if (pi.getFlag('look-only') === true) pi.setActiveTools(['read', 'grep', 'find', 'ls']);
  });
}
