import type { ToolCall } from '../protocol/content.js';
import type { ToolResultMessage } from '../protocol/messages.js';
import { ansiToHtml } from './ansi.js';
import { escapeHtml } from './escape.js';
import type { HighlightCode } from './markdown.js';

type Args = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value));

/** What stands in the folded line of a call, by tool; tools that are not here show their arguments. */
const SUMMARIES: Readonly<Record<string, (args: Args) => string>> = {
  bash: (args) => text(args.command),
  read: (args) => text(args.path) + (args.offset === undefined ? '' : `:${text(args.offset)}`),
  write: (args) => text(args.path),
  edit: (args) => text(args.path),
  grep: (args) => `${text(args.pattern)} ${text(args.path)}`,
  find: (args) => `${text(args.pattern)} ${text(args.path)}`,
  ls: (args) => text(args.path) || '.',
};

const MAX_SUMMARY = 160;

/** One line that tells what a call does. Plain text. */
export function callSummary(call: ToolCall): string {
  const line = (SUMMARIES[call.name] ?? ((args: Args) => JSON.stringify(args)))(call.arguments).replace(/\s+/g, ' ').trim();
  return line.length > MAX_SUMMARY ? `${line.slice(0, MAX_SUMMARY)}…` : line;
}

/** Lines, with ANSI codes, that an extension makes of its tool's call and result; null where it has nothing to say. */
export interface RenderedTool {
  call: readonly string[] | null;
  result: readonly string[] | null;
}

/** A call and what came of it, folded; open when it failed. What the tool's own extension makes of it goes before ours. */
export function toolHtml(
  call: ToolCall,
  result: ToolResultMessage | undefined,
  highlight: HighlightCode,
  rendered?: RenderedTool,
): string {
  const failed = result?.isError === true;
  const state = result === undefined ? 'no result' : failed ? 'failed' : '';
  return `<details class="tool${failed ? ' failed' : ''}"${failed ? ' open' : ''}><summary><b>${escapeHtml(call.name)}</b> <code>${escapeHtml(callSummary(call))}</code>${
    state ? ` <em>${state}</em>` : ''
  }</summary>${linesHtml(rendered?.call) ?? argumentsHtml(call, result, highlight)}${
    result ? (linesHtml(rendered?.result) ?? resultHtml(result)) : ''
  }</details>`;
}

const linesHtml = (lines: readonly string[] | null | undefined): string | undefined =>
  lines ? `<pre class="out">${ansiToHtml(lines.join('\n'))}</pre>` : undefined;

/** The output of a tool, with images. */
export function resultHtml(result: ToolResultMessage): string {
  return result.content
    .map((part) =>
      part.type === 'text'
        ? part.text === ''
          ? ''
          : `<pre class="out">${ansiToHtml(part.text)}</pre>`
        : imageHtml(part.data, part.mimeType),
    )
    .join('');
}

/** An inline image; what is no image type is only named. */
export function imageHtml(data: string, mimeType: string): string {
  const isImage = /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType) && /^[A-Za-z0-9+/=\s]*$/.test(data);
  if (!isImage) return `<p class="note">(attachment of type ${escapeHtml(mimeType)})</p>`;
  return `<img src="data:${mimeType};base64,${data.replace(/\s/g, '')}" alt="image" loading="lazy">`;
}

function argumentsHtml(call: ToolCall, result: ToolResultMessage | undefined, highlight: HighlightCode): string {
  const diff = diffOf(result);
  if (call.name === 'edit' && diff !== undefined) return diffHtml(diff);
  if (call.name === 'write' && typeof call.arguments.content === 'string') {
    return `<pre class="hljs">${highlight(call.arguments.content, extensionOf(call.arguments.path))}</pre>`;
  }
  if (call.name === 'bash' && typeof call.arguments.command === 'string') {
    return `<pre class="hljs">${highlight(call.arguments.command, 'bash')}</pre>`;
  }
  return `<pre class="hljs">${highlight(JSON.stringify(call.arguments, null, 2), 'json')}</pre>`;
}

function diffOf(result: ToolResultMessage | undefined): string | undefined {
  const { details } = result ?? {};
  if (typeof details !== 'object' || details === null) return undefined;
  const patch: unknown = Reflect.get(details, 'patch') ?? Reflect.get(details, 'diff');
  return typeof patch === 'string' ? patch : undefined;
}

function diffHtml(diff: string): string {
  const lines = diff.split('\n').map((line) => {
    const kind = line.startsWith('+') ? 'add' : line.startsWith('-') ? 'del' : line.startsWith('@@') ? 'at' : '';
    return kind ? `<span class="d-${kind}">${escapeHtml(line)}</span>` : escapeHtml(line);
  });
  return `<pre class="diff">${lines.join('\n')}</pre>`;
}

function extensionOf(path: unknown): string | undefined {
  return typeof path === 'string' ? /\.(\w+)$/.exec(path)?.[1] : undefined;
}
