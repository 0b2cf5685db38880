import { join, relative } from 'node:path';
import { CodedError } from '../../../base/coded-error.js';
import type { Tool } from '../../../protocol/tool.js';
import { TOOL_ERRORS } from '../../../tools/errors.js';
import { createFindTool } from '../../../tools/find.js';
import { createGlob } from '../../../tools/globs.js';
import { createGrepTool } from '../../../tools/grep.js';
import { createLineMatcher } from '../../../tools/line-matcher.js';
import { listResult } from '../../../tools/list-result.js';
import { createLsTool } from '../../../tools/ls.js';
import { type PathBase, resolvePath, shownPath } from '../../../tools/paths.js';
import { limitOf } from '../../../tools/search-root.js';
import { walk } from '../../../tools/walk.js';
import type { FindOperations, GrepOperations, LsOperations } from './tool-operations.js';
import { truncateLine } from './truncation.js';

const USUAL_ENTRIES = 500;
const USUAL_RESULTS = 1000;
const USUAL_MATCHES = 100;
const MAX = 10_000;
const IGNORED = ['**/node_modules/**', '**/.git/**'];

const rootOf = (value: unknown, base: PathBase): { given: string; path: string } => {
  const given = typeof value === 'string' && value !== '' ? value : '.';
  return { given, path: resolvePath(given, base) };
};

const missing = (given: string): CodedError =>
  new CodedError(TOOL_ERRORS.FILE_NOT_FOUND, `Could not search ${given}: no such file or folder`);

/** `ls`, where the files are elsewhere. */
export function createRemoteLsTool(base: PathBase, operations: LsOperations): Tool {
  return {
    ...createLsTool(base),
    async execute(args, { signal }) {
      const limit = limitOf(args.limit, USUAL_ENTRIES, MAX);
      const root = rootOf(args.path, base);
      if (!(await operations.exists(root.path))) throw missing(root.given);
      if (!(await operations.stat(root.path)).isDirectory())
        throw new CodedError(TOOL_ERRORS.WRONG_FILE_KIND, `${root.given} is not a folder; look at it with read`);
      const all = (await operations.readdir(root.path)).sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase()));
      const names: string[] = [];
      for (const name of all.slice(0, limit)) {
        signal.throwIfAborted();
        names.push(name + ((await operations.stat(join(root.path, name))).isDirectory() ? '/' : ''));
      }
      const reached = all.length > limit;
      return listResult(names, {
        empty: '(empty folder)',
        notes: reached ? [`The limit of ${limit} entries was reached; there are ${all.length} in all.`] : [],
        details: reached ? { entryLimitReached: limit } : {},
      });
    },
  };
}

/** `find`, where the files are elsewhere. */
export function createRemoteFindTool(base: PathBase, operations: FindOperations): Tool {
  return {
    ...createFindTool(base),
    async execute(args, { signal }) {
      const pattern = String(args.pattern);
      const limit = limitOf(args.limit, USUAL_RESULTS, MAX);
      const root = rootOf(args.path, base);
      if (!(await operations.exists(root.path))) throw missing(root.given);
      const found = await operations.glob(pattern, root.path, { ignore: [...IGNORED], limit });
      signal.throwIfAborted();
      const reached = found.length >= limit;
      return listResult(
        found.slice(0, limit).map((path) => (path.startsWith(root.path) ? relative(root.path, path) : path)),
        {
          empty: `Nothing matches ${pattern} in ${root.given}`,
          notes: reached ? [`The limit of ${limit} results was reached; there may be more.`] : [],
          details: reached ? { resultLimitReached: limit } : {},
        },
      );
    },
  };
}

/** `grep`, where the contents are elsewhere. Names of files come from this machine, as in the existing program. */
export function createRemoteGrepTool(base: PathBase, operations: GrepOperations): Tool {
  return {
    ...createGrepTool(base),
    async execute(args, { signal }) {
      const pattern = String(args.pattern);
      const limit = limitOf(args.limit, USUAL_MATCHES, MAX);
      const context = typeof args.context === 'number' ? Math.max(0, Math.floor(args.context)) : 0;
      const root = rootOf(args.path, base);
      const match = createLineMatcher(pattern, { literal: args.literal === true, ignoreCase: args.ignoreCase === true });
      const wanted = typeof args.glob === 'string' && args.glob !== '' ? await createGlob(args.glob) : () => true;
      const isFolder = await operations.isDirectory(root.path);
      const shown: string[] = [];
      let matches = 0;
      for await (const path of isFolder ? filesBelow(root.path, signal, wanted) : [root.path]) {
        signal.throwIfAborted();
        const name = shownPath(path, base);
        const lines = (await operations.readFile(path)).split(/\r?\n/);
        for (const at of match([{ shown: name, lines }])[0] ?? []) {
          if (matches === limit) break;
          matches += 1;
          for (let near = Math.max(0, at - context); near <= Math.min(lines.length - 1, at + context); near++) {
            const mark = near === at ? ':' : '-';
            shown.push(`${name}${mark}${near + 1}${mark} ${truncateLine(lines[near] ?? '').text}`);
          }
        }
        if (matches === limit) break;
      }
      const reached = matches === limit;
      return listResult(shown, {
        empty: `No match for ${pattern} in ${root.given}`,
        notes: reached ? [`The limit of ${limit} matches was reached; there may be more.`] : [],
        details: reached ? { matchLimitReached: limit } : {},
      });
    },
  };
}

async function* filesBelow(root: string, signal: AbortSignal, wanted: (path: string) => boolean): AsyncGenerator<string> {
  for await (const { path, kind } of walk(root, { signal })) {
    if (kind === 'file' && wanted(relative(root, path))) yield path;
  }
}
