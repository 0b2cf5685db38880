import type { Tool } from '../protocol/tool.js';
import { fileError } from './file-errors.js';
import { withFileMutationQueue } from './mutation-queue.js';
import { type PathBase, resolvePath } from './paths.js';
import { replaceFile } from './write-file.js';

/** The model's `write`: makes missing folders, replaces what is there. */
export function createWriteTool(base: PathBase): Tool {
  return {
    name: 'write',
    label: 'write',
    description: 'Write a text file. Makes the folders it needs and replaces a file that is already there.',
    promptSnippet: 'Create files or replace them as a whole',
    promptGuidelines: ['Use write for new files and complete rewrites only; change existing files with edit'],
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file, relative to the working directory or absolute' },
        content: { type: 'string', description: 'Everything the file shall contain' },
      },
      required: ['path', 'content'],
    },
    async execute(args, { signal }) {
      const given = String(args.path);
      const path = resolvePath(given, base);
      const data = Buffer.from(String(args.content));
      await withFileMutationQueue(path, async () => {
        signal.throwIfAborted();
        await replaceFile(path, data).catch((error: unknown) => {
          throw fileError(error, 'write', given);
        });
      });
      return { content: [{ type: 'text', text: `Wrote ${data.length} bytes to ${given}` }] };
    },
  };
}
