// Asks before a session is left for another, and clears up when its own life ends.
// Try: start a new session in examples/hosts/web with -e examples/extensions/ask-before-leaving.ts
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  const timer = setInterval(() => undefined, 60_000);
  pi.on('session_before_switch', async ({ reason }, ctx) => {
    if (!ctx.hasUI) return undefined;
    const mayLeave = await ctx.ui.confirm(
      'Leave this session?',
      reason === 'new' ? 'A new one is started.' : 'Another one is opened.',
    );
    return { cancel: !mayLeave };
  });
  pi.on('session_shutdown', ({ reason }) => {
    clearInterval(timer);
    console.log(`ended: ${reason}`);
  });
}
