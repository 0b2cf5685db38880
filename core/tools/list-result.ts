import type { ToolResult } from '../protocol/tool.js';
import { formatSize, type TruncationDetails, truncateHead } from './output-limits.js';

export interface ListResultOptions {
  /** What to say when there is nothing. */
  empty: string;
  notes: readonly string[];
  details: Readonly<Record<string, unknown>>;
  maxLines?: number;
}

/** Lines as a tool result within the byte limit, remarks at the end in brackets. */
export function listResult(lines: readonly string[], options: ListResultOptions): ToolResult {
  const { content, ...cut } = truncateHead(lines.join('\n'), { maxLines: options.maxLines ?? Number.MAX_SAFE_INTEGER });
  const notes = [
    ...(cut.truncated ? [`Cut at ${formatSize(cut.maxBytes)}: ${cut.outputLines} of ${cut.totalLines} lines are shown.`] : []),
    ...options.notes,
  ];
  const text = lines.length === 0 ? options.empty : content.replace(/\n$/, '');
  const truncation: TruncationDetails | undefined = cut.truncated ? cut : undefined;
  const details = { ...options.details, ...(truncation ? { truncation } : {}) };
  return {
    content: [{ type: 'text', text: notes.length === 0 ? text : `${text}\n\n[${notes.join(' ')}]` }],
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}
