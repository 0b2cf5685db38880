// A shortcut for a terminal, and the command that does the same where there is none.
// Try: type /mark
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  const mark = async (_args: unknown, ctx: Parameters<Parameters<ExtensionAPI['registerCommand']>[1]['handler']>[1]) => {
    const leaf = ctx.sessionManager.getLeafId();
    if (leaf === null) return ctx.ui.notify('There is nothing to mark yet');
    pi.setLabel(leaf, 'marked');
    return ctx.ui.notify('Marked: the tree shows it');
  };
  pi.registerShortcut('ctrl+alt+m', { description: 'Marks this place', handler: (ctx: never) => mark('', ctx) });
  pi.registerCommand('mark', { description: 'Marks this place', handler: mark });
}
