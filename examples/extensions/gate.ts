// A gate: looks at each call of a tool before it runs, and may refuse it or change what it is given.
// Try: pi -e examples/extensions/gate.ts --provider offline -p 'run "git push"'
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  pi.on('tool_call', (event) => {
    if (event.toolName !== 'bash') return undefined;
    const command = String(event.input.command);
    if (/\bgit\s+push\b/.test(command)) return { block: true, reason: 'Pushing is left to people here' };
    // The tool sees what is written here.
    event.input.command = `nice ${command}`;
    return undefined;
  });
}
