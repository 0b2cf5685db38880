import { CodedError, messageOf } from '../base/coded-error.js';
import { runBounded } from './bounded-run.js';
import { TOOL_ERRORS } from './errors.js';

/** Longest time one batch may take. A pattern that needs more has nested repetition: real ones do megabytes in it. */
const BATCH_MS = 250;

export interface MatchOptions {
  literal: boolean;
  ignoreCase: boolean;
}

export interface TextFile {
  shown: string;
  lines: readonly string[];
}

/** Finds the matching lines (indexes from 0) of several files. Throws `TOOL_PATTERN_TOO_SLOW`. */
export type LineMatcher = (files: readonly TextFile[]) => number[][];

/** A matcher for single lines. Regular expressions are JavaScript's, with Unicode where the pattern allows it. Throws `TOOL_BAD_ARGUMENT`. */
export function createLineMatcher(pattern: string, options: MatchOptions): LineMatcher {
  if (pattern === '') throw new CodedError(TOOL_ERRORS.BAD_ARGUMENT, 'The pattern is empty');
  const plain = options.literal || /^[\w \t"'`#%&,:;<=>@~!/-]*$/.test(pattern);
  if (plain && !options.ignoreCase) return (files) => files.map(({ lines }) => indexes(lines, (line) => line.includes(pattern)));
  const regex = compile(plain ? pattern.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&') : pattern, options.ignoreCase, pattern);
  const match: LineMatcher = (files) => files.map(({ lines }) => indexes(lines, (line) => regex.test(line)));
  if (plain) return match;
  return (files) =>
    runBounded(() => match(files), BATCH_MS, `The pattern ${pattern} in ${files[0]?.shown ?? 'a file'} or a file after it`);
}

function indexes(lines: readonly string[], test: (line: string) => boolean): number[] {
  const found: number[] = [];
  for (let index = 0; index < lines.length; index += 1) if (test(lines[index] ?? '')) found.push(index);
  return found;
}

/** Inline flags as other engines know them: `(?i)` at the start. */
const INLINE_IGNORE_CASE = /^\(\?i\)/;

function compile(source: string, ignoreCase: boolean, given: string): RegExp {
  const inline = INLINE_IGNORE_CASE.test(source);
  const body = inline ? source.replace(INLINE_IGNORE_CASE, '') : source;
  const flags = ignoreCase || inline ? 'i' : '';
  try {
    return new RegExp(body, `${flags}u`);
  } catch {
    // Unicode mode refuses needless escapes such as \- that models write; the older mode takes them.
    try {
      return new RegExp(body, flags);
    } catch (error) {
      throw new CodedError(
        TOOL_ERRORS.BAD_ARGUMENT,
        `${given} is not a valid regular expression (${messageOf(error)}). Set literal to search for the text itself`,
        {
          cause: error,
        },
      );
    }
  }
}
