// A line of status and a widget, which follow what the agent does.
// Try: open examples/hosts/web with -e examples/extensions/status-and-widget.ts
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  const used: string[] = [];
  pi.on('agent_start', (_event, ctx) => {
    used.length = 0;
    ctx.ui.setStatus('work', 'working');
  });
  pi.on('tool_execution_end', ({ toolName, isError }, ctx) => {
    used.push(`${isError ? '✗' : '✓'} ${toolName}`);
    ctx.ui.setWidget('work', [...used]);
  });
  pi.on('agent_end', (_event, ctx) => {
    ctx.ui.setStatus('work', undefined);
  });
}
