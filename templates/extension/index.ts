import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent';

const KEPT = '__name__';

/** The notes of this session. They are read from the session, so they are there after a reload and in a session that goes on. */
function notesIn(ctx: ExtensionContext): string[] {
  return ctx.sessionManager
    .getBranch()
    .flatMap((entry) => (entry.type === 'custom' && entry.customType === KEPT ? [String(entry.data)] : []));
}

export default function (pi: ExtensionAPI) {
  pi.registerCommand('__name__', {
    description: 'Keeps a note',
    handler: async (given, ctx) => {
      // Nobody may be there to answer: then the dialog gives undefined.
      const text = given || (await ctx.ui.input('What shall be noted?'));
      if (!text) return;
      pi.appendEntry(KEPT, text);
      ctx.ui.notify(`Noted. There are ${notesIn(ctx).length} notes.`);
    },
  });

  pi.registerTool({
    name: '__tool__',
    label: 'Read notes',
    description: 'Reads the notes of the user: those with a word in them, or all',
    parameters: {
      type: 'object',
      properties: { word: { type: 'string', description: 'Only notes with this word' } },
    },
    async execute(_toolCallId, { word = '' }: { word?: string }, _signal, _onUpdate, ctx) {
      const found = notesIn(ctx).filter((note) => note.includes(word));
      return { content: [{ type: 'text', text: found.join('\n') || 'none' }], details: { count: found.length } };
    },
  });
}
