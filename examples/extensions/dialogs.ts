// The four dialogs. Each has an answer for "nobody answered": write for that case too.
// Try: open examples/hosts/web with -e examples/extensions/dialogs.ts, and type /order
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  pi.registerCommand('order', {
    description: 'Takes an order, one question after the other',
    handler: async (_args, ctx) => {
      const dish = await ctx.ui.select('What shall it be?', ['soup', 'bread', 'both']);
      if (dish === undefined) return ctx.ui.notify('Nothing, then');
      const name = (await ctx.ui.input('For whom?', 'a name')) ?? 'nobody in particular';
      const wishes = (await ctx.ui.editor('Any wishes?', 'warm, please')) ?? '';
      // This one waits ten seconds at most.
      const isSure = await ctx.ui.confirm('Order it?', `${dish} for ${name}`, { timeout: 10_000 });
      return ctx.ui.notify(isSure ? `Ordered ${dish} for ${name}: ${wishes}` : 'Not ordered');
    },
  });
}
