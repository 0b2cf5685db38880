import type { AgentToolResult } from './tool-shape.js';
import { type Component, Text } from './tui.js';

interface Colors {
  fg(color: string, text: string): string;
  bold(text: string): string;
}

/** Lines of a result that is not unfolded. */
const FOLDED_LINES = 10;
const MAX_ARGUMENT = 200;

/** How a built-in tool shows its call: its name and its main argument. */
export function renderToolCall(name: string, args: Record<string, unknown>, theme: Colors): Component {
  const main = [args.command, args.path, args.pattern].find((value) => typeof value === 'string');
  const more = name === 'grep' || name === 'find' ? args.path : undefined;
  const shown = [main, more && main !== more ? `in ${String(more)}` : undefined].filter(Boolean).join(' ');
  const text = shown.length > MAX_ARGUMENT ? `${shown.slice(0, MAX_ARGUMENT)}…` : shown;
  return new Text(`${theme.fg('toolTitle', theme.bold(name))} ${theme.fg('accent', text)}`.trimEnd(), 0, 0);
}

/** How a built-in tool shows its result: the beginning of it, or all. */
export function renderToolResult(
  result: AgentToolResult,
  { expanded = false }: { expanded?: boolean },
  theme: Colors,
): Component {
  const text = result.content
    .map((block) => (block.type === 'text' ? block.text : `[image: ${block.mimeType}]`))
    .join('\n')
    .trimEnd();
  const lines = text.split('\n');
  const left = expanded ? 0 : lines.length - FOLDED_LINES;
  const shown = left > 0 ? lines.slice(0, FOLDED_LINES) : lines;
  const note = left > 0 ? `\n${theme.fg('muted', `… ${left} more lines`)}` : '';
  return new Text(shown.map((line) => theme.fg('toolOutput', line)).join('\n') + note, 0, 0);
}
