import path from 'node:path';
import type { Session } from '../session/session.js';

/**
 * Writes the session as a page. `outputPath` counts from `cwd`; without one the page goes into `cwd` under a name of its own.
 * Gives the path as a client should be told it: as asked for, or the bare name. Throws EXPORT_WRITE_FAILED.
 */
export async function exportSession(session: Session, outputPath: string | undefined, cwd: string): Promise<string> {
  const { exportFileName, exportHtml } = await import('../export/export-html.js');
  const shown = outputPath ?? exportFileName(session);
  const { userMessages, assistantMessages, toolCalls, tokens, cost } = session.stats();
  const summary = `${userMessages} prompts, ${assistantMessages} answers, ${toolCalls} tool calls · ${tokens.total} tokens · $${cost.toFixed(2)} · ${session.header.cwd}`;
  await exportHtml(
    {
      header: session.header,
      name: session.name,
      entries: session.entries(),
      leafId: session.leafId,
      labels: session.labels(),
      summary,
    },
    path.resolve(cwd, shown),
  );
  return shown;
}
