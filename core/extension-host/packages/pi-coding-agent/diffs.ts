import { defaultTheme } from '../theme.js';
import { diffLibrary } from './sync-libraries.js';

/** Unchanged lines around a change. */
const CONTEXT_LINES = 4;

interface Hunk {
  oldStart: number;
  newStart: number;
  lines: string[];
}

/** Numbered lines of what changed, for people. Source: observed, 0.84.0. */
export function generateDiffString(
  oldContent: string,
  newContent: string,
  contextLines = CONTEXT_LINES,
): { diff: string; firstChangedLine: number | undefined } {
  const { structuredPatch } = diffLibrary();
  const { hunks } = structuredPatch('', '', oldContent, newContent, undefined, undefined, { context: contextLines });
  const lastLine = Math.max(lineCount(oldContent), lineCount(newContent));
  const width = String(lastLine).length;
  const shown: string[] = [];
  let firstChangedLine: number | undefined;
  for (const [at, hunk] of hunks.entries()) {
    if (at > 0) shown.push(` ${' '.repeat(width)} ...`);
    for (const { sign, number, newLine, text } of numbered(hunk)) {
      shown.push(`${sign}${String(number).padStart(width)} ${text}`);
      if (sign !== ' ') firstChangedLine ??= newLine;
    }
  }
  return { diff: shown.join('\n'), firstChangedLine };
}

/** A unified patch without the header lines that version control adds. */
export function generateUnifiedPatch(path: string, oldContent: string, newContent: string, contextLines = CONTEXT_LINES): string {
  const { createTwoFilesPatch } = diffLibrary();
  const patch = createTwoFilesPatch(path, path, oldContent, newContent, undefined, undefined, { context: contextLines });
  return patch.slice(Math.max(0, patch.indexOf('--- ')));
}

/** Colours what {@link generateDiffString} made. */
export function renderDiff(diffText: string, _options: { filePath?: string } = {}): string {
  const theme = defaultTheme();
  return diffText
    .split('\n')
    .map((line) => {
      if (line.startsWith('+')) return theme.fg('toolDiffAdded', line);
      return theme.fg(line.startsWith('-') ? 'toolDiffRemoved' : 'toolDiffContext', line);
    })
    .join('\n');
}

function* numbered(hunk: Hunk): Generator<{ sign: string; number: number; newLine: number; text: string }> {
  let [oldLine, newLine] = [hunk.oldStart, hunk.newStart];
  for (const line of hunk.lines) {
    const sign = line[0] ?? ' ';
    if (sign === '\\') continue;
    yield { sign, number: sign === '-' ? oldLine : newLine, newLine: Math.max(1, newLine), text: line.slice(1) };
    if (sign !== '+') oldLine += 1;
    if (sign !== '-') newLine += 1;
  }
}

const lineCount = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
