/** Longest line shown. */
const MAX_LINE = 200;

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export const code = (text: string): string => (text.includes('`') ? `"${text}"` : `\`${text}\``);

/** Lines in a fence that none of them can close, with a note of how many are missing. */
export function excerpt(lines: readonly string[], maxLines: number, keep: 'start' | 'end' = 'start'): string {
  const shown = keep === 'start' ? lines.slice(0, maxLines) : lines.slice(-maxLines);
  const missing = lines.length - shown.length;
  const cut = shown.map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line));
  const longest = Math.max(2, ...cut.map((line) => /^\s*(`{3,})/.exec(line)?.[1]?.length ?? 0));
  const fence = '`'.repeat(longest + 1);
  const note = missing === 0 ? '' : keep === 'start' ? `\n… and ${plural(missing, 'more line')}` : '';
  const before = missing > 0 && keep === 'end' ? `(${plural(missing, 'earlier line')} not shown)\n` : '';
  return `${before}${fence}\n${cut.join('\n')}\n${fence}${note}`;
}

export function bullets(items: readonly string[], max: number): string {
  const shown = items.slice(0, max).map((item) => `- ${code(item)}`);
  if (items.length > max) shown.push(`- … and ${items.length - max} more`);
  return shown.join('\n');
}

/** Lines of an output; its last newline begins none. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r/g, '').replace(/\n+$/, '').split('\n'));
