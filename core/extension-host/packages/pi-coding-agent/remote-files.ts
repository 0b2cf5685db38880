import { dirname } from 'node:path';
import { CodedError } from '../../../base/coded-error.js';
import type { Tool, ToolResult } from '../../../protocol/tool.js';
import { createEditTool } from '../../../tools/edit.js';
import { describeChange } from '../../../tools/edit-diff.js';
import { TOOL_ERRORS } from '../../../tools/errors.js';
import { fileError } from '../../../tools/file-errors.js';
import { fileKind, KIND_BYTES } from '../../../tools/file-kind.js';
import { withFileMutationQueue } from '../../../tools/mutation-queue.js';
import { DEFAULT_MAX_LINES } from '../../../tools/output-limits.js';
import { type PathBase, resolvePath } from '../../../tools/paths.js';
import { createReadTool } from '../../../tools/read.js';
import { replaceText, type TextEdit } from '../../../tools/replace-text.js';
import { createWriteTool } from '../../../tools/write.js';
import type { EditOperations, ReadOperations, WriteOperations } from './tool-operations.js';
import { formatSize, truncateHead } from './truncation.js';

/** `read`, where the files are elsewhere. */
export function createRemoteReadTool(base: PathBase, operations: ReadOperations): Tool {
  return {
    ...createReadTool(base),
    async execute(args, { signal }) {
      const given = String(args.path);
      const path = resolvePath(given, base);
      signal.throwIfAborted();
      try {
        await operations.access(path);
        const mimeType = (await operations.detectImageMimeType?.(path)) ?? undefined;
        const data = Buffer.from(await operations.readFile(path));
        signal.throwIfAborted();
        const kind = mimeType ? ({ kind: 'image', mimeType } as const) : fileKind(data.subarray(0, KIND_BYTES));
        if (kind.kind === 'image') return image(given, kind.mimeType, data);
        if (kind.kind === 'binary') {
          const text = `${given} cannot be read as text: ${kind.why} (${formatSize(data.length)})`;
          throw new CodedError(TOOL_ERRORS.WRONG_FILE_KIND, text);
        }
        return lines(given, data.toString('utf8'), args);
      } catch (error) {
        throw fileError(error, 'read', given);
      }
    },
  };
}

function image(given: string, mimeType: string, data: Buffer): ToolResult {
  return {
    content: [
      { type: 'text', text: `Image ${given} [${mimeType}, ${formatSize(data.length)}]` },
      { type: 'image', data: data.toString('base64'), mimeType },
    ],
  };
}

function lines(given: string, text: string, args: Record<string, unknown>): ToolResult {
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  const offset = typeof args.offset === 'number' ? Math.max(1, Math.floor(args.offset)) : 1;
  const limit = typeof args.limit === 'number' ? Math.max(1, Math.floor(args.limit)) : undefined;
  if (offset > 1 && offset > all.length) {
    const message = `Offset ${offset} is beyond the end of ${given} (${all.length} lines)`;
    throw new CodedError(TOOL_ERRORS.BAD_ARGUMENT, message);
  }
  const wanted = all.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
  const { content, ...truncation } = truncateHead(wanted.join('\n'), { maxLines: DEFAULT_MAX_LINES });
  if (truncation.firstLineExceedsLimit) {
    const note = `[Line ${offset} is longer than ${formatSize(truncation.maxBytes)}. Read a part of it with bash.]`;
    return { content: [{ type: 'text', text: note }], details: { truncation } };
  }
  const next = offset + truncation.outputLines;
  const left = all.length - next + 1;
  const note = left > 0 ? `\n\n[${left} more lines in file. Use offset=${next} to continue.]` : '';
  return {
    content: [{ type: 'text', text: content + note }],
    ...(truncation.truncated ? { details: { truncation } } : {}),
  };
}

/** `write`, where the files are elsewhere. */
export function createRemoteWriteTool(base: PathBase, operations: WriteOperations): Tool {
  return {
    ...createWriteTool(base),
    async execute(args, { signal }) {
      const given = String(args.path);
      const path = resolvePath(given, base);
      const content = String(args.content);
      await withFileMutationQueue(path, async () => {
        signal.throwIfAborted();
        try {
          await operations.mkdir(dirname(path));
          await operations.writeFile(path, content);
        } catch (error) {
          throw fileError(error, 'write', given);
        }
      });
      return { content: [{ type: 'text', text: `Wrote ${Buffer.byteLength(content)} bytes to ${given}` }] };
    },
  };
}

/** `edit`, where the files are elsewhere. */
export function createRemoteEditTool(base: PathBase, operations: EditOperations): Tool {
  return {
    ...createEditTool(base),
    async execute(args, { signal }) {
      const given = String(args.path);
      const path = resolvePath(given, base);
      const edits = args.edits as TextEdit[]; // the schema vouches for the shape
      const { before, after } = await withFileMutationQueue(path, async () => {
        signal.throwIfAborted();
        try {
          await operations.access(path);
          const replaced = replaceText(Buffer.from(await operations.readFile(path)), edits, given);
          signal.throwIfAborted();
          await operations.writeFile(path, replaced.data.toString('utf8'));
          return replaced;
        } catch (error) {
          throw fileError(error, 'edit', given);
        }
      });
      const { firstChangedLine, ...texts } = await describeChange(given, before, after);
      const what = edits.length === 1 ? 'one text' : `${edits.length} texts`;
      return {
        content: [{ type: 'text', text: `Replaced ${what} in ${given}` }],
        details: { ...texts, ...(firstChangedLine === undefined ? {} : { firstChangedLine }) },
      };
    },
  };
}
