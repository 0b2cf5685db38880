// Takes the place of a built-in tool: reading goes on as before, and is written down.
// Try: pi -e examples/extensions/replace-a-tool.ts --provider offline -p "read notes.txt"
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
import { createReadTool } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  const original = createReadTool(process.cwd());
  pi.registerTool({
    ...original,
    execute: async (toolCallId, params, signal, onUpdate) => {
      console.log(`reads ${JSON.stringify(params)}`);
      return original.execute(toolCallId, params, signal, onUpdate);
    },
  });
}
