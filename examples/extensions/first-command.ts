// A command: what a person types after a slash. No model is asked.
// Try: pi -e examples/extensions/first-command.ts -p "/hello Ada"
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  pi.registerCommand('hello', {
    description: 'Greets whoever is named',
    handler: async (name, ctx) => {
      ctx.ui.notify(`Hello, ${name || 'whoever you are'}!`);
      // In json and print mode notices go nowhere: what shall be read goes to the log.
      if (!ctx.hasUI) console.log(`Hello, ${name || 'whoever you are'}!`);
    },
  });
}
