import path from 'node:path';
import { settledWithin } from '../base/deadline.js';
import { redact } from '../base/secrets.js';
import type { RenderedTool } from '../export/tool-view.js';
import type { StoredEntry } from '../protocol/commands/session.js';
import type { Session } from '../session/session.js';

/** Asks an extension how its tool's call looks; undefined when the tool has no say in it. */
export type RenderTool = (
  name: string,
  call: { args: Record<string, unknown>; result: unknown },
) => Promise<RenderedTool> | undefined;

/** What extensions have to say comes within this, or the page is made without. */
const RENDER_MS = 10_000;

/**
 * Writes the session as a page. `outputPath` counts from `cwd`; without one the page goes into `cwd` under a name of its own.
 * Gives the path as a client should be told it: as asked for, or the bare name. Throws EXPORT_WRITE_FAILED.
 */
export async function exportSession(
  session: Session,
  outputPath: string | undefined,
  cwd: string,
  renderTool: RenderTool = () => undefined,
): Promise<string> {
  const { exportFileName, exportHtml } = await import('../export/export-html.js');
  const shown = outputPath ?? exportFileName(session);
  const { userMessages, assistantMessages, toolCalls, tokens, cost } = session.stats();
  const summary = `${userMessages} prompts, ${assistantMessages} answers, ${toolCalls} tool calls · ${tokens.total} tokens · $${cost.toFixed(2)} · ${session.header.cwd}`;
  // A page is made to be passed on.
  const entries = session.entries().map(redacted);
  await exportHtml(
    {
      header: session.header,
      name: session.name,
      entries,
      leafId: session.leafId,
      labels: session.labels(),
      summary,
      tools: await renderedTools(entries, renderTool),
    },
    path.resolve(cwd, shown),
  );
  return shown;
}

/** The entry without what is known to be secret. */
function redacted(entry: StoredEntry): StoredEntry {
  const text = JSON.stringify(entry);
  const safe = redact(text);
  return safe === text ? entry : (JSON.parse(safe) as StoredEntry);
}

/** One after another: they run in one thread anyway. One that fails is shown as any other tool. */
async function renderedTools(entries: readonly StoredEntry[], renderTool: RenderTool): Promise<Map<string, RenderedTool>> {
  const rendered = new Map<string, RenderedTool>();
  const calls = new Map<string, { name: string; args: Record<string, unknown> }>();
  const results = new Map<string, unknown>();
  for (const { type, message } of entries) {
    if (type !== 'message' || typeof message !== 'object' || message === null) continue;
    const { role, content, toolCallId } = message as { role?: unknown; content?: unknown; toolCallId?: unknown };
    if (role === 'toolResult' && typeof toolCallId === 'string') results.set(toolCallId, message);
    if (role !== 'assistant' || !Array.isArray(content)) continue;
    for (const part of content as { type?: unknown; id?: unknown; name?: unknown; arguments?: unknown }[]) {
      if (part?.type !== 'toolCall' || typeof part.id !== 'string' || typeof part.name !== 'string') continue;
      calls.set(part.id, { name: part.name, args: (part.arguments ?? {}) as Record<string, unknown> });
    }
  }
  const work = async (): Promise<void> => {
    for (const [id, { name, args }] of calls) {
      const asked = renderTool(name, { args, result: results.get(id) ?? null });
      const { call, result } = (await asked?.catch(() => undefined)) ?? { call: null, result: null };
      if (asked) rendered.set(id, { call: call?.map(redact) ?? null, result: result?.map(redact) ?? null });
    }
  };
  await settledWithin(work(), RENDER_MS);
  return rendered;
}
