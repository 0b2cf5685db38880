// Keeps state in the session, where the model does not see it. Each branch has its own, and a restart finds it again.
// Try: type /count several times, fork, and type it again
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

const KIND = 'counter';

export default function (pi: ExtensionAPI) {
  let count = 0;
  pi.on('session_start', (_event, ctx) => {
    const last = ctx.sessionManager.getBranch().findLast((entry) => entry.type === 'custom' && entry.customType === KIND);
    count = last?.type === 'custom' ? (last.data as { count: number }).count : 0;
  });
  pi.registerCommand('count', {
    description: 'Counts in this branch of the session',
    handler: async (_args, ctx) => {
      count += 1;
      pi.appendEntry(KIND, { count });
      ctx.ui.notify(`${count}`);
    },
  });
}
