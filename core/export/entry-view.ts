import type { StoredEntry } from '../protocol/commands/session.js';
import type { UserContent } from '../protocol/content.js';
import type { AgentMessage, ToolResultMessage } from '../protocol/messages.js';
import { ansiToHtml } from './ansi.js';
import { escapeHtml } from './escape.js';
import type { HighlightCode, RenderMarkdown } from './markdown.js';
import { callSummary, imageHtml, type RenderedTool, resultHtml, toolHtml } from './tool-view.js';

export interface Renderers {
  /** By the id of the call: what extensions make of their own tools. */
  tools?: ReadonlyMap<string, RenderedTool> | undefined;
  markdown: RenderMarkdown;
  highlight: HighlightCode;
}

/** An entry as the page shows it. */
export interface EntryView {
  /** A word for the style: user, assistant, tool, note. */
  kind: string;
  heading: string;
  html: string;
  /** One line for the list at the side, plain text. */
  line: string;
}

const MAX_LINE = 90;
const lineOf = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
};

/**
 * How one entry looks. A tool result that its call shows (`results`) has no view of its own. Entries of files made elsewhere may
 * lack what their type promises: what can't be shown is shown as data, never left out.
 */
export function viewOf(
  entry: StoredEntry,
  results: ReadonlyMap<string, ToolResultMessage>,
  render: Renderers,
): EntryView | undefined {
  try {
    return entry.type === 'message' ? messageView(entry.message as AgentMessage, results, render) : otherView(entry, render);
  } catch {
    // Not the shape its type promises.
    return dataView(entry, render);
  }
}

function messageView(
  message: AgentMessage,
  results: ReadonlyMap<string, ToolResultMessage>,
  render: Renderers,
): EntryView | undefined {
  switch (message.role) {
    case 'user':
      return { kind: 'user', heading: 'User', html: contentHtml(message.content, render), line: lineOf(plain(message.content)) };
    case 'assistant': {
      const parts = message.content.map((part) => {
        if (part.type === 'text') return render.markdown(part.text);
        if (part.type === 'thinking')
          return `<details class="thinking"><summary>Thinking</summary>${render.markdown(part.thinking)}</details>`;
        return toolHtml(part, results.get(part.id), render.highlight, render.tools?.get(part.id));
      });
      if (message.errorMessage)
        parts.push(`<p class="error">${escapeHtml(message.stopReason)}: ${escapeHtml(message.errorMessage)}</p>`);
      const said = message.content
        .map((part) => (part.type === 'text' ? part.text : part.type === 'toolCall' ? `${part.name} ${callSummary(part)}` : ''))
        .join(' ');
      const { model, usage } = message;
      const cost = usage.cost.total > 0 ? ` · $${usage.cost.total.toFixed(4)}` : '';
      return {
        kind: 'assistant',
        heading: `${model} · ${usage.input + usage.cacheRead + usage.cacheWrite} in, ${usage.output} out${cost}`,
        html: parts.join(''),
        line: lineOf(said),
      };
    }
    case 'toolResult':
      if (results.get(message.toolCallId) === message) return undefined;
      return {
        kind: 'tool',
        heading: `Result of ${message.toolName}`,
        html: resultHtml(message),
        line: lineOf(`result ${plain(message.content)}`),
      };
    case 'bashExecution': {
      const code = message.cancelled ? 'cancelled' : `exit code ${message.exitCode ?? '?'}`;
      return {
        kind: 'tool',
        heading: `Command · ${code}`,
        html: `<pre class="hljs">${render.highlight(message.command, 'bash')}</pre><pre class="out">${ansiToHtml(message.output)}</pre>`,
        line: lineOf(`$ ${message.command}`),
      };
    }
    case 'custom':
      return {
        kind: 'note',
        heading: message.customType,
        html: contentHtml(message.content, render),
        line: lineOf(plain(message.content)),
      };
    case 'branchSummary':
    case 'compactionSummary':
      return { kind: 'note', heading: 'Summary', html: render.markdown(message.summary), line: lineOf(message.summary) };
    default:
      throw new Error('a role nobody here knows');
  }
}

function otherView(entry: StoredEntry, render: Renderers): EntryView | undefined {
  const note = (heading: string, html: string, line: string): EntryView => ({ kind: 'note', heading, html, line: lineOf(line) });
  const word = (value: unknown): string => (typeof value === 'string' ? value : '');
  switch (entry.type) {
    case 'compaction':
      return note(
        'Compaction: what came before, in short',
        render.markdown(word(entry.summary)),
        `compaction: ${word(entry.summary)}`,
      );
    case 'branch_summary':
      return note('What another branch was about', render.markdown(word(entry.summary)), `branch: ${word(entry.summary)}`);
    case 'custom_message':
      return note(
        word(entry.customType),
        contentHtml(entry.content as string | UserContent[], render),
        plain(entry.content as string | UserContent[]),
      );
    case 'model_change':
      return note(`Model: ${word(entry.provider)}/${word(entry.modelId)}`, '', `model ${word(entry.modelId)}`);
    case 'thinking_level_change':
      return note(`Thinking: ${word(entry.thinkingLevel)}`, '', `thinking ${word(entry.thinkingLevel)}`);
    case 'session_info':
      return note(`Name: ${word(entry.name)}`, '', `name ${word(entry.name)}`);
    case 'label':
      return undefined;
    default:
      return dataView(entry, render);
  }
}

function dataView(entry: StoredEntry, render: Renderers): EntryView {
  const html = `<details><summary>Data</summary><pre class="hljs">${render.highlight(JSON.stringify(entry, null, 2), 'json')}</pre></details>`;
  const name = typeof entry.customType === 'string' ? entry.customType : entry.type;
  return { kind: 'note', heading: name, html, line: lineOf(name) };
}

function contentHtml(content: string | readonly UserContent[], render: Renderers): string {
  if (typeof content === 'string') return render.markdown(content);
  return content
    .map((part) => (part.type === 'text' ? render.markdown(part.text) : imageHtml(part.data, part.mimeType)))
    .join('');
}

function plain(content: string | readonly UserContent[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '(image)')).join(' ');
}
