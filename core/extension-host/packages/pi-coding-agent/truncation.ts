import * as limits from '../../../tools/output-limits.js';

export const { DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES } = limits;

/** What `truncateLine` leaves of a line when nothing else is said, in characters. */
const LINE_CHARS = 500;

/**
 * The beginning of a text, in whole lines. Differs from the tools' own cut in what extensions print after it: no newline at the end, and
 * nothing at all of a first line that is too long by itself. Source: extensions document, "Output Truncation"; observed, 0.84.0.
 */
export function truncateHead(text: string, options: limits.OutputLimits = {}): limits.TruncationResult {
  const cut = limits.truncateHead(text, options);
  if (!cut.firstLineExceedsLimit) return withoutLastNewline(cut);
  return { ...cut, content: '', outputLines: 0, outputBytes: 0, lastLinePartial: false };
}

/** The end of a text, in whole lines, or the end of one long line. */
export function truncateTail(text: string, options: limits.OutputLimits = {}): limits.TruncationResult {
  return withoutLastNewline(limits.truncateTail(text, options));
}

export function truncateLine(line: string, maxChars = LINE_CHARS): { text: string; wasTruncated: boolean } {
  if (line.length <= maxChars) return { text: line, wasTruncated: false };
  return { text: `${line.slice(0, maxChars)}... [truncated]`, wasTruncated: true };
}

/** `12B`, `2.0KB`, `1.5MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / (1024 * 1024)).toFixed(1)}MB`;
}

function withoutLastNewline(cut: limits.TruncationResult): limits.TruncationResult {
  if (!cut.truncated || !cut.content.endsWith('\n')) return cut;
  const content = cut.content.slice(0, -1);
  return { ...cut, content, outputBytes: cut.outputBytes - 1 };
}
