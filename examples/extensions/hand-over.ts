// Begins a new session that knows one thing of the old one.
// Try: type /handover the tests are green
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  pi.registerCommand('handover', {
    description: 'Goes on in a fresh session, with a note for it',
    handler: async (note, ctx) => {
      await ctx.waitForIdle();
      const { cancelled } = await ctx.newSession({
        // The old instance of this extension is gone by then: only this ctx works.
        withSession: async (fresh) => {
          await fresh.sendMessage({ customType: 'handover', content: `From the session before: ${note}`, display: true });
          fresh.ui.notify('Handed over');
        },
      });
      if (cancelled) ctx.ui.notify('It stays as it is');
    },
  });
}
