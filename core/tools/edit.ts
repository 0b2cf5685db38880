import { readFile, stat } from 'node:fs/promises';
import { CodedError } from '../base/coded-error.js';
import type { Tool } from '../protocol/tool.js';
import { describeChange } from './edit-diff.js';
import { TOOL_ERRORS } from './errors.js';
import { fileError } from './file-errors.js';
import { withFileMutationQueue } from './mutation-queue.js';
import { type PathBase, resolvePath } from './paths.js';
import { replaceText, type TextEdit } from './replace-text.js';
import { replaceFile } from './write-file.js';

/** A file beyond this is no source text, and would be held in memory several times. */
const MAX_EDIT_BYTES = 100 * 1024 * 1024;

export interface EditToolDetails {
  diff: string;
  patch: string;
  firstChangedLine?: number;
}

/** The model's `edit`: exact replacements, all or none. Source: FACTS "Bash and tools", sdk.md (details). */
export function createEditTool(base: PathBase): Tool {
  return {
    name: 'edit',
    label: 'edit',
    description:
      'Change a text file by exact replacement. Each oldText must be in the file exactly once, white space included, and all of them are ' +
      'matched against the file as it is before the call. If one does not fit, nothing is changed.',
    promptSnippet: 'Change parts of a file by exact text replacement, several at once',
    promptGuidelines: [
      'Make several changes of one file with one edit call and several entries in edits; they must not overlap',
      'Keep each oldText as short as it can be while it is still unique in the file',
    ],
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file, relative to the working directory or absolute' },
        edits: {
          type: 'array',
          minItems: 1,
          description: 'The replacements',
          items: {
            type: 'object',
            properties: {
              oldText: { type: 'string', description: 'Exact text that is in the file once' },
              newText: { type: 'string', description: 'What to put in its place' },
            },
            required: ['oldText', 'newText'],
          },
        },
      },
      required: ['path', 'edits'],
    },
    prepareArguments: acceptOldForm,
    async execute(args, { signal }) {
      const given = String(args.path);
      const path = resolvePath(given, base);
      // The schema vouches for the shape.
      const edits = args.edits as TextEdit[];
      const replaced = await withFileMutationQueue(path, async () => {
        signal.throwIfAborted();
        try {
          const stats = await stat(path);
          // Reading a named pipe would wait for a writer for ever.
          if (!stats.isFile() && !stats.isDirectory())
            throw new CodedError(TOOL_ERRORS.WRONG_FILE_KIND, `${given} is not a regular file`);
          if (stats.size > MAX_EDIT_BYTES)
            throw new CodedError(TOOL_ERRORS.WRONG_FILE_KIND, `${given} is too large to edit; use a program`);
          const result = replaceText(await readFile(path), edits, given);
          signal.throwIfAborted();
          await replaceFile(path, result.data);
          return result;
        } catch (error) {
          throw fileError(error, 'edit', given);
        }
      });
      const { firstChangedLine, ...texts } = await describeChange(given, replaced.before, replaced.after);
      const details: EditToolDetails = { ...texts, ...(firstChangedLine === undefined ? {} : { firstChangedLine }) };
      const what = edits.length === 1 ? 'one text' : `${edits.length} texts`;
      return { content: [{ type: 'text', text: `Replaced ${what} in ${given}` }], details };
    },
  };
}

/** Calls stored by earlier versions have `oldText` and `newText` beside `path`. */
function acceptOldForm(args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const { oldText, newText, ...rest } = args as Record<string, unknown>;
  if (typeof oldText !== 'string' || typeof newText !== 'string') return args;
  if (typeof rest.edits === 'string') return args;
  const edit = { oldText, newText };
  return { ...rest, edits: Array.isArray(rest.edits) ? [...rest.edits, edit] : [edit] };
}
