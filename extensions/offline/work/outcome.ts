import type { ToolResultMessage } from '../model-api.js';

/** What a tool call gave. */
export interface Outcome {
  text: string;
  isError: boolean;
  images: number;
}

export function toOutcome(result: ToolResultMessage): Outcome {
  const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return { text, isError: result.isError, images: result.content.filter((block) => block.type === 'image').length };
}

export interface CommandOutcome {
  output: string;
  /** 0 when it ended well; undefined when it was ended or never ran. */
  exitCode: number | undefined;
  /** "Command timed out after 5 seconds" and the like. */
  ending: string | undefined;
}

/** Takes apart what the bash tool says: the output, then how it ended. */
export function commandOutcome({ text, isError }: Outcome): CommandOutcome {
  const ending = isError ? /(?:^|\n\n?)(Command [^\n]*)\s*$/.exec(text) : null;
  const output = (ending ? text.slice(0, ending.index) : text).replace(/^\(no output\)\s*$/, '');
  const code = ending?.[1] === undefined ? null : /code (\d+)/.exec(ending[1]);
  if (!isError) return { output, exitCode: 0, ending: undefined };
  return { output, exitCode: code ? Number(code[1]) : undefined, ending: ending?.[1] };
}

/** Lines of a listing, without the tools' remarks in brackets. */
const listLines = (text: string): string[] =>
  text.split('\n').filter((line) => line.trim() !== '' && !/^\[.*\]$/.test(line) && !/^\(.*\)$/.test(line));

/** Names of a folder's entries, folders with a slash, from the ls tool or `ls -la`. */
export function listedNames(outcome: Outcome, tool: string): string[] {
  if (tool === 'find') return [...new Set(listLines(outcome.text).map((path) => path.replace(/^\.\//, '')))];
  if (tool === 'ls') return listLines(outcome.text).filter((line) => !isNote(line));
  const names: string[] = [];
  for (const line of commandOutcome(outcome).output.split('\n')) {
    const entry = /^([a-z-])\S{9,}\s+\d+\s+\S+\s+\S+\s+\d+(?:,\s*\d+)?\s+\S+\s+\S+\s+\S+\s(.*)$/.exec(line);
    const name = entry?.[2]?.replace(/ -> .*$/, '');
    if (name === undefined || name === '.' || name === '..') continue;
    names.push(entry?.[1] === 'd' ? `${name}/` : name);
  }
  return names;
}

const isNote = (line: string): boolean => /^Ignored by git and not listed:|^The limit of \d+ /.test(line);

/** Paths from the find tool or command; none when it says in words that nothing matches. */
export function foundPaths(outcome: Outcome, tool: string): string[] {
  const text = tool === 'bash' ? commandOutcome(outcome).output : outcome.text;
  if (/^(no files|nothing matches|no match)/i.test(text)) return [];
  const paths = listLines(text)
    .filter((line) => !isNote(line) && !/^\d+ folders could not be read/.test(line) && !/^find: /.test(line))
    .map((path) => path.replace(/^\.\//, ''));
  // The order of a folder's entries is the file system's; ours is the same everywhere.
  return paths.sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : a > b ? 1 : 0));
}

const depth = (path: string): number => path.split('/').length;

export interface Match {
  path: string;
  line: number;
  text: string;
}

/** Matches from the grep tool or command. `path` is the file that was searched, when it was one: then lines may come without it. */
export function foundMatches(outcome: Outcome, tool: string, path: string): Match[] {
  const text = tool === 'bash' ? commandOutcome(outcome).output : outcome.text;
  if (/^no match/i.test(text) && !/^[^\n]*:\d+:/.test(text)) return [];
  const matches: Match[] = [];
  for (const line of text.split('\n')) {
    const found = /^(.+?):(\d+): ?(.*)$/.exec(line);
    const bare = found ? null : /^(\d+):(.*)$/.exec(line);
    if (found?.[1]) matches.push({ path: found[1].replace(/^\.\//, ''), line: Number(found[2]), text: found[3] ?? '' });
    else if (bare) matches.push({ path, line: Number(bare[1]), text: bare[2] ?? '' });
  }
  return matches.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

export interface ReadText {
  text: string;
  /** Where to read on, when this is not all. */
  next: number | undefined;
  /** How many lines follow. */
  left: number;
}

/** What the read tool gave, without its remark about the rest. */
export function readText(outcome: Outcome): ReadText {
  const more = /\n*\[(\d+) more lines in file\. Use offset=(\d+) to continue\.\]\s*$/.exec(outcome.text);
  if (!more) return { text: outcome.text, next: undefined, left: 0 };
  return { text: outcome.text.slice(0, more.index), next: Number(more[2]), left: Number(more[1]) };
}

/** A line too long for the read tool: what it gave is not the file. */
export const isCutLine = (text: string): boolean => /\n\[Line \d+ is \S+ long; this is its beginning\./.test(text);

export const countLines = (text: string): number => (text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0));
