// Puts a message of its own into the conversation, and lets the model answer it; or speaks for the user.
// Try: type /remind drink water
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  pi.registerCommand('remind', {
    description: 'Tells the model something it shall keep in mind',
    handler: async (what, ctx) => {
      pi.sendMessage({ customType: 'reminder', content: `Keep in mind: ${what}`, display: true });
      ctx.ui.notify('Noted');
    },
  });
  pi.registerCommand('again', {
    description: 'Asks the last question again',
    handler: async (_args, ctx) => {
      const last = ctx.sessionManager.buildSessionContext().messages.findLast(({ role }) => role === 'user');
      if (last?.role !== 'user') return ctx.ui.notify('Nothing was asked yet');
      return pi.sendUserMessage(last.content, ctx.isIdle() ? undefined : { deliverAs: 'followUp' });
    },
  });
}
