import { createHash } from 'node:crypto';
import path from 'node:path';
import { CodedError, messageOf } from '../base/coded-error.js';
import { replaceFile } from '../base/replace-file.js';
import type { StoredEntry } from '../protocol/commands/session.js';
import type { SessionHeader } from '../protocol/entries.js';
import type { ToolResultMessage } from '../protocol/messages.js';
import { type PlacedEntry, placeEntries } from './entry-tree.js';
import { type EntryView, type Renderers, viewOf } from './entry-view.js';
import { EXPORT_ERRORS } from './errors.js';
import { escapeHtml } from './escape.js';
import { loadHighlighter, loadMarkdown } from './markdown.js';
import { SCRIPT } from './page-script.js';
import { STYLE } from './page-style.js';
import type { RenderedTool } from './tool-view.js';

export interface ExportInput {
  header: SessionHeader;
  name: string | undefined;
  entries: readonly StoredEntry[];
  leafId: string | null;
  labels: ReadonlyMap<string, { label: string }>;
  /** One line about the session for the head of the list. */
  summary: string;
  /** By the id of the call: what extensions make of their own tools. */
  tools?: ReadonlyMap<string, RenderedTool> | undefined;
}

/** `pi-session-<file name>.html`, or with the id of a session that has no file. Source: FACTS "Export". */
export function exportFileName(session: { file: string | undefined; id: string }): string {
  const base = session.file === undefined ? session.id : path.basename(session.file, '.jsonl');
  return `pi-session-${base}.html`;
}

/**
 * Writes the session as one page that needs no network and runs nothing but its own few lines of script: its policy allows no other.
 * Written aside and renamed. Throws EXPORT_WRITE_FAILED.
 */
export async function exportHtml(input: ExportInput, file: string): Promise<void> {
  const highlight = await loadHighlighter();
  const render: Renderers = { highlight, markdown: await loadMarkdown(highlight), tools: input.tools };
  try {
    await replaceFile(file, 0o600, async (handle) => {
      let batch = '';
      for (const part of page(input, render)) {
        batch += part;
        if (batch.length < 1 << 20) continue;
        await handle.write(batch);
        batch = '';
      }
      await handle.write(batch);
    });
  } catch (error) {
    throw new CodedError(EXPORT_ERRORS.EXPORT_WRITE_FAILED, `The page could not be written to ${file}: ${messageOf(error)}`, {
      cause: error,
      data: { file },
    });
  }
}

function* page(input: ExportInput, render: Renderers): Generator<string> {
  const title = input.name ?? `Session ${input.header.id.slice(0, 8)}`;
  const placed = placeEntries(input.entries, input.leafId);
  const results = resultsByCall(input.entries);
  const views = placed.flatMap((item) => {
    const view = viewOf(item.entry, results, render);
    return view ? [{ item, view }] : [];
  });
  const policy = `default-src 'none'; script-src '${hashOf(SCRIPT)}'; style-src '${hashOf(STYLE)}'; img-src data:; base-uri 'none'; form-action 'none'`;
  yield `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><a class="skip" href="#main">Skip to the conversation</a>
<nav aria-label="Entries"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(input.summary)}</p>
<input type="search" placeholder="Search entries ( / )" aria-label="Search entries"><ol>`;
  for (const { item, view } of views) yield listItem(item, view, input.labels.get(item.entry.id)?.label);
  yield `</ol></nav>
<main id="main">`;
  for (const { item, view } of views) yield article(item, view);
  yield `</main>
<script type="application/json" id="session-data">`;
  yield Buffer.from(JSON.stringify({ header: input.header, entries: input.entries, leafId: input.leafId })).toString('base64');
  yield `</script>
<script>${SCRIPT}</script></body></html>
`;
}

const anchor = (entry: StoredEntry): string => escapeHtml(`e-${entry.id}`);

function listItem({ entry, depth, isCurrent }: PlacedEntry, view: EntryView, label: string | undefined): string {
  const indent = depth > 0 ? ` class="i${Math.min(depth, 8)}"` : '';
  const mark = label === undefined ? '' : `<span class="label">${escapeHtml(label)}</span>`;
  return `<li${indent}><a class="${view.kind}${isCurrent ? '' : ' off'}" href="#${anchor(entry)}">${mark}${escapeHtml(view.line || view.heading)}</a></li>`;
}

function article({ entry, isCurrent }: PlacedEntry, view: EntryView): string {
  const time = typeof entry.timestamp === 'string' ? escapeHtml(entry.timestamp) : '';
  const shown = time.replace('T', ' ').replace(/\.\d+Z$/, '');
  return `<article id="${anchor(entry)}" class="${view.kind}${isCurrent ? '' : ' off'}"><header><a href="#${anchor(entry)}">${escapeHtml(view.heading)}</a><time datetime="${time}">${shown}</time></header><div>${view.html}</div></article>\n`;
}

/** Results that a call of an earlier answer shows as its own. */
function resultsByCall(entries: readonly StoredEntry[]): Map<string, ToolResultMessage> {
  const results = new Map<string, ToolResultMessage>();
  const called = new Set<string>();
  for (const { type, message } of entries) {
    if (type !== 'message' || typeof message !== 'object' || message === null) continue;
    const { role, content, toolCallId } = message as { role?: unknown; content?: unknown; toolCallId?: unknown };
    if (role === 'assistant' && Array.isArray(content))
      for (const part of content) if (part?.type === 'toolCall') called.add(String(part.id));
    if (role === 'toolResult' && typeof toolCallId === 'string' && called.has(toolCallId) && !results.has(toolCallId)) {
      // The roles' readers check what they use; what is odd is shown as data.
      results.set(toolCallId, message as unknown as ToolResultMessage);
    }
  }
  return results;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
