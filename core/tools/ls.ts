import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError } from '../base/coded-error.js';
import type { Tool } from '../protocol/tool.js';
import { TOOL_ERRORS } from './errors.js';
import { fileError } from './file-errors.js';
import { IgnoreRules } from './ignore-rules.js';
import { listResult } from './list-result.js';
import type { PathBase } from './paths.js';
import { limitOf, searchRoot } from './search-root.js';

const USUAL_ENTRIES = 500;
const MAX_ENTRIES = 10_000;
/** Names of ignored entries that are still mentioned. */
const NAMED_IGNORED = 10;

/** The model's `ls`: one folder, sorted, folders with `/`. What git ignores is not listed but named at the end, lest it seem absent. */
export function createLsTool(base: PathBase): Tool {
  return {
    name: 'ls',
    label: 'ls',
    description:
      `List a folder: names in order, folders end with /, hidden files included, what .gitignore names left out. At most ${USUAL_ENTRIES} entries ` +
      'unless limit says otherwise.',
    promptSnippet: 'List a folder',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The folder (default: the working directory)' },
        limit: { type: 'number', description: `How many entries at most (default ${USUAL_ENTRIES})` },
      },
    },
    async execute(args, { signal }) {
      const limit = limitOf(args.limit, USUAL_ENTRIES, MAX_ENTRIES);
      const root = await searchRoot(args.path, base);
      if (!root.isFolder)
        throw new CodedError(TOOL_ERRORS.WRONG_FILE_KIND, `${root.given} is not a folder; look at it with read`);
      const entries = await readdir(root.path, { withFileTypes: true }).catch((error: unknown) => {
        throw fileError(error, 'list', root.given);
      });
      signal.throwIfAborted();
      const rules = await IgnoreRules.open(root.path);
      const names: string[] = [];
      const ignored: string[] = [];
      for (const entry of entries.sort(byName)) {
        const hidden = rules.ignores(join(root.path, entry.name), entry.isDirectory()) && entry.name !== '.git';
        const list = hidden ? ignored : names;
        if (list === names && names.length > limit) break;
        list.push(entry.name + ((await isFolder(root.path, entry)) ? '/' : ''));
      }
      const reached = names.length > limit;
      return listResult(names.slice(0, limit), {
        empty: '(empty folder)',
        notes: [
          ...(reached ? [`The limit of ${limit} entries was reached; there are ${entries.length} in all.`] : []),
          ...(ignored.length > 0 ? [ignoredNote(ignored)] : []),
        ],
        details: reached ? { entryLimitReached: limit } : {},
      });
    },
  };
}

const byName = (a: Dirent, b: Dirent): number => {
  const [x, y] = [a.name.toLowerCase(), b.name.toLowerCase()];
  return x < y ? -1 : x > y ? 1 : 0;
};

function ignoredNote(names: readonly string[]): string {
  const more = names.length > NAMED_IGNORED ? ', …' : '';
  return `Ignored by git and not listed: ${names.slice(0, NAMED_IGNORED).join(', ')}${more}`;
}

async function isFolder(parent: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  try {
    return (await stat(join(parent, entry.name))).isDirectory();
  } catch {
    // A link that leads nowhere is listed like a file.
    return false;
  }
}
