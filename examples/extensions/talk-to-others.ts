// Two extensions that talk: what one finds out, the other may use. Load this file beside another that emits "build".
// Try: type /build
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  let last = 'nothing was built yet';
  // Heard also when it comes from another extension, in another thread.
  pi.events.on('build', (data) => {
    last = `the last build ${(data as { ok: boolean }).ok ? 'went well' : 'failed'}`;
  });
  pi.registerCommand('build', {
    description: 'Builds, and tells everybody how it went',
    handler: async (args, ctx) => {
      const { code } = await pi.exec(args || 'true');
      pi.events.emit('build', { ok: code === 0 });
      ctx.ui.notify(last);
    },
  });
}
