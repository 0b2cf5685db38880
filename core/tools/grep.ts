import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { Tool } from '../protocol/tool.js';
import { fileKind, KIND_BYTES } from './file-kind.js';
import { createGlob } from './globs.js';
import { createLineMatcher, type TextFile } from './line-matcher.js';
import { listResult } from './list-result.js';
import { truncateLine } from './output-limits.js';
import { type PathBase, shownPath } from './paths.js';
import { limitOf, searchRoot } from './search-root.js';
import { walk } from './walk.js';

const USUAL_MATCHES = 100;
const MAX_MATCHES = 5000;
const MAX_CONTEXT = 50;
const MAX_LINE_BYTES = 500;
/** Larger files are data, not text for a model; they are counted and left out. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Files are matched together up to this many characters or files: one bounded run for all of them. */
const BATCH_UNITS = 256 * 1024;
const BATCH_FILES = 64;

/** The model's `grep`: matching lines of the files below a folder (or of one file), without what git ignores. */
export function createGrepTool(base: PathBase): Tool {
  return {
    name: 'grep',
    label: 'grep',
    description:
      'Search the contents of files for a regular expression or a literal text. Leaves out binary files and what .gitignore names. Gives ' +
      `path:line: text, at most ${USUAL_MATCHES} matches unless limit says otherwise; long lines are cut to ${MAX_LINE_BYTES} bytes.`,
    promptSnippet: 'Search file contents by pattern (respects .gitignore)',
    parameters: {
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'Regular expression, or text when literal is set' },
        path: { type: 'string', description: 'Folder or file to search (default: the working directory)' },
        glob: { type: 'string', description: 'Only files that match, for example *.ts or src/**/*.md' },
        ignoreCase: { type: 'boolean', description: 'Upper and lower case are the same (default false)' },
        literal: { type: 'boolean', description: 'The pattern is a text, not a regular expression (default false)' },
        context: { type: 'number', description: 'Lines to show before and after each match (default 0)' },
        limit: { type: 'number', description: `How many matches at most (default ${USUAL_MATCHES})` },
      },
      required: ['pattern'],
    },
    async execute(args, { signal }) {
      const pattern = String(args.pattern);
      const limit = limitOf(args.limit, USUAL_MATCHES, MAX_MATCHES);
      const root = await searchRoot(args.path, base);
      const match = createLineMatcher(pattern, { literal: args.literal === true, ignoreCase: args.ignoreCase === true });
      const wanted = typeof args.glob === 'string' && args.glob !== '' ? await createGlob(args.glob) : () => true;
      const report = new MatchReport(
        limit,
        typeof args.context === 'number' ? Math.min(Math.max(0, Math.floor(args.context)), MAX_CONTEXT) : 0,
      );
      let skipped = 0;
      let batch: TextFile[] = [];
      let units = 0;
      const matchBatch = (): void => {
        const found = match(batch);
        for (const [index, file] of batch.entries()) report.add(file, found[index] ?? []);
        batch = [];
        units = 0;
      };
      const files = root.isFolder ? filesBelow(root.path, signal, wanted, () => (skipped += 1)) : [root.path];
      for await (const path of files) {
        signal.throwIfAborted();
        const text = await textOf(path);
        if (text === 'skipped') skipped += 1;
        if (text === 'skipped' || text === 'binary') continue;
        batch.push({ shown: shownPath(path, base), lines: text.replace(/\n$/, '').split(/\r?\n/) });
        units += text.length;
        if (units >= BATCH_UNITS || batch.length >= BATCH_FILES) matchBatch();
        if (report.isFull) break;
      }
      matchBatch();
      return listResult(report.lines, {
        empty: `No match for ${pattern} in ${root.given}`,
        notes: [
          ...(report.isFull
            ? [`The limit of ${limit} matches was reached; there are more. Use a narrower pattern or a larger limit.`]
            : []),
          ...(report.cutLines > 0 ? [`${report.cutLines} long lines were cut; see them with read.`] : []),
          ...(skipped > 0 ? [`${skipped} files or folders were left out: too large or not readable.`] : []),
        ],
        details: {
          ...(report.isFull ? { matchLimitReached: limit } : {}),
          ...(report.cutLines > 0 ? { linesTruncated: true } : {}),
        },
      });
    },
  };
}

/** Turns matches into `path:12: text` lines, context lines as `path-11- text`, groups apart by `--`. */
class MatchReport {
  readonly lines: string[] = [];
  isFull = false;
  cutLines = 0;
  readonly #limit: number;
  readonly #context: number;
  #matches = 0;

  constructor(limit: number, context: number) {
    this.#limit = limit;
    this.#context = context;
  }

  add(file: TextFile, found: readonly number[]): void {
    const room = this.#limit - this.#matches;
    if (found.length > room) this.isFull = true;
    const kept = new Set(found.slice(0, room));
    this.#matches += kept.size;
    let shownTo = -1;
    for (const index of kept) {
      const from = Math.max(shownTo + 1, index - this.#context);
      if (this.#context > 0 && this.lines.length > 0 && (shownTo < 0 || from > shownTo + 1)) this.lines.push('--');
      const to = Math.min(file.lines.length - 1, index + this.#context);
      for (let at = from; at <= to; at += 1) this.#show(file, at, kept.has(at));
      shownTo = Math.max(shownTo, to);
    }
  }

  #show(file: TextFile, index: number, isMatch: boolean): void {
    const { text, wasTruncated } = truncateLine(file.lines[index] ?? '', MAX_LINE_BYTES);
    if (wasTruncated) this.cutLines += 1;
    const mark = isMatch ? ':' : '-';
    this.lines.push(`${file.shown}${mark}${index + 1}${mark} ${text}`);
  }
}

async function* filesBelow(
  root: string,
  signal: AbortSignal,
  wanted: (path: string) => boolean,
  onUnreadable: () => void,
): AsyncGenerator<string> {
  for await (const { path, kind } of walk(root, { signal, onUnreadable })) {
    if (kind === 'file' && wanted(relative(root, path).split(sep).join('/'))) yield path;
  }
}

/** The text of a file; `binary` needs no mention, `skipped` does. */
async function textOf(path: string): Promise<string | 'binary' | 'skipped'> {
  try {
    // Opening a named pipe would wait for a writer for ever.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.size > MAX_FILE_BYTES) return 'skipped';
      const data = await file.readFile();
      return fileKind(data.subarray(0, KIND_BYTES)).kind === 'text' ? data.toString('utf8') : 'binary';
    } finally {
      await file.close();
    }
  } catch {
    // Gone or closed to us since it was listed: counted, and the search goes on.
    return 'skipped';
  }
}
