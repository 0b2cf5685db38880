// Asks a model a question of its own, beside the conversation, with the credentials that are there.
// Try: type /title
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

export default function (pi: ExtensionAPI) {
  pi.registerCommand('title', {
    description: 'Lets the model find a name for this session',
    handler: async (_args, ctx) => {
      if (!ctx.model) return ctx.ui.notify('There is no model to ask', 'warning');
      const { messages } = ctx.sessionManager.buildSessionContext();
      const question = { role: 'user' as const, content: 'Name this conversation in at most five words.', timestamp: Date.now() };
      const answer = await ctx.modelRegistry.complete(ctx.model, {
        systemPrompt: 'You name things.',
        messages: [...messages, question],
      });
      const name = answer.content
        .map((part) => (part.type === 'text' ? part.text : ''))
        .join('')
        .trim();
      pi.setSessionName(name);
      return ctx.ui.notify(name);
    },
  });
}
