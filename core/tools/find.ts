import { relative, sep } from 'node:path';
import { CodedError } from '../base/coded-error.js';
import type { Tool } from '../protocol/tool.js';
import { runBounded } from './bounded-run.js';
import { TOOL_ERRORS } from './errors.js';
import { createGlob } from './globs.js';
import { listResult } from './list-result.js';
import { type PathBase, shownPath } from './paths.js';
import { limitOf, searchRoot } from './search-root.js';
import { walk } from './walk.js';

const USUAL_RESULTS = 1000;
const MAX_RESULTS = 10_000;
const MATCH_MS = 250;
/** Names tested in one bounded run. */
const BATCH = 256;

/** The model's `find`: files and folders by glob, without what git ignores. */
export function createFindTool(base: PathBase): Tool {
  return {
    name: 'find',
    label: 'find',
    description:
      'Find files and folders by glob pattern. Leaves out what .gitignore names. A pattern without / matches names in any folder. ' +
      `Gives paths relative to the working directory, at most ${USUAL_RESULTS} unless limit says otherwise.`,
    promptSnippet: 'Find files by glob pattern (respects .gitignore)',
    parameters: {
      type: 'object',
      properties: {
        pattern: { type: 'string', description: 'Glob, for example *.ts or src/**/*.test.ts' },
        path: { type: 'string', description: 'Folder to search (default: the working directory)' },
        limit: { type: 'number', description: `How many results at most (default ${USUAL_RESULTS})` },
      },
      required: ['pattern'],
    },
    async execute(args, { signal }) {
      const pattern = String(args.pattern);
      const limit = limitOf(args.limit, USUAL_RESULTS, MAX_RESULTS);
      const root = await searchRoot(args.path, base);
      if (!root.isFolder) throw new CodedError(TOOL_ERRORS.WRONG_FILE_KIND, `${root.given} is not a folder`);
      const matches = await createGlob(pattern);
      const found: string[] = [];
      let unreadable = 0;
      let batch: { path: string; suffix: string }[] = [];
      const testBatch = (): void => {
        const test = () => batch.filter(({ path }) => matches(relative(root.path, path).split(sep).join('/')));
        for (const { path, suffix } of runBounded(test, MATCH_MS, `The pattern ${pattern}`))
          found.push(shownPath(path, base) + suffix);
        batch = [];
      };
      for await (const { path, kind } of walk(root.path, { signal, onUnreadable: () => (unreadable += 1) })) {
        batch.push({ path, suffix: kind === 'folder' ? '/' : '' });
        if (batch.length >= BATCH) testBatch();
        if (found.length > limit) break;
      }
      testBatch();
      const reached = found.length > limit;
      return listResult(found.slice(0, limit), {
        empty: `Nothing matches ${pattern} in ${root.given}`,
        notes: [
          ...(reached
            ? [`The limit of ${limit} results was reached; there are more. Use a narrower pattern or a larger limit.`]
            : []),
          ...(unreadable > 0 ? [`${unreadable} folders could not be read.`] : []),
        ],
        details: reached ? { resultLimitReached: limit } : {},
      });
    },
  };
}
