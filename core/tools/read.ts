import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CodedError } from '../base/coded-error.js';
import type { Tool, ToolResult } from '../protocol/tool.js';
import { TOOL_ERRORS } from './errors.js';
import { fileError } from './file-errors.js';
import { fileKind, KIND_BYTES } from './file-kind.js';
import { readLines } from './line-slice.js';
import {
  countLines,
  cutHead,
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  type TruncationDetails,
} from './output-limits.js';
import { type PathBase, resolvePath } from './paths.js';

/** Larger images are refused by providers (5 MB of base64). */
export const MAX_IMAGE_BYTES = 3_750_000;

export interface ReadToolDetails {
  truncation?: TruncationDetails;
}

/** The model's `read`: lines of a text file, or an image. Source: FACTS "Bash and tools". */
export function createReadTool(base: PathBase): Tool {
  return {
    name: 'read',
    label: 'read',
    description:
      `Read a text file, or look at an image (PNG, JPEG, GIF, WebP). Gives at most ${DEFAULT_MAX_LINES} lines or ` +
      `${formatSize(DEFAULT_MAX_BYTES)} at once; go on with offset.`,
    promptSnippet: 'Read files',
    promptGuidelines: ['Read a file before you change it'],
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file, relative to the working directory or absolute' },
        offset: { type: 'number', description: 'First line to read, counted from 1' },
        limit: { type: 'number', description: 'How many lines to read' },
      },
      required: ['path'],
    },
    async execute(args, { signal }) {
      const given = String(args.path);
      const path = resolvePath(given, base);
      try {
        // Opening a named pipe would wait for a writer for ever.
        const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
        try {
          return await readFile(file, given, args, signal);
        } finally {
          await file.close();
        }
      } catch (error) {
        throw fileError(error, 'read', given);
      }
    },
  };
}

async function readFile(
  file: FileHandle,
  given: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const stats = await file.stat();
  if (stats.isDirectory()) throw new CodedError(TOOL_ERRORS.WRONG_FILE_KIND, `${given} is a folder; list it with ls`);
  if (!stats.isFile()) throw new CodedError(TOOL_ERRORS.WRONG_FILE_KIND, `${given} is not a regular file`);
  const start = Buffer.alloc(KIND_BYTES);
  const { bytesRead } = await file.read(start, 0, KIND_BYTES, 0);
  const kind = fileKind(start.subarray(0, bytesRead));
  if (kind.kind === 'binary') {
    throw new CodedError(TOOL_ERRORS.WRONG_FILE_KIND, `${given} cannot be read as text: ${kind.why} (${formatSize(stats.size)})`);
  }
  if (kind.kind === 'image') return readImage(file, given, kind.mimeType, stats.size);
  return readText(file, given, args, signal);
}

async function readImage(file: FileHandle, given: string, mimeType: string, size: number): Promise<ToolResult> {
  if (size > MAX_IMAGE_BYTES) {
    const limit = formatSize(MAX_IMAGE_BYTES);
    throw new CodedError(
      TOOL_ERRORS.WRONG_FILE_KIND,
      `${given} is an image of ${formatSize(size)}, more than the ${limit} a model takes; make it smaller first`,
    );
  }
  const data = await file.readFile();
  return {
    content: [
      { type: 'text', text: `Image ${given} [${mimeType}, ${formatSize(data.length)}]` },
      { type: 'image', data: data.toString('base64'), mimeType },
    ],
  };
}

async function readText(
  file: FileHandle,
  given: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ToolResult> {
  const firstLine = wholeNumber(args.offset, 'offset') ?? 1;
  const limit = wholeNumber(args.limit, 'limit');
  const maxLines = Math.min(limit ?? DEFAULT_MAX_LINES, DEFAULT_MAX_LINES);
  const slice = await readLines(file, { firstLine, maxLines, maxBytes: DEFAULT_MAX_BYTES, signal });
  if (firstLine > 1 && firstLine > slice.totalLines) {
    throw new CodedError(
      TOOL_ERRORS.BAD_ARGUMENT,
      `Offset ${firstLine} is beyond the end of ${given} (${slice.totalLines} lines)`,
    );
  }
  const text = slice.bytes.toString('utf8').replace(firstLine === 1 ? /^\ufeff/ : /$^/, '');
  if (slice.longLineBytes !== undefined) {
    const part = cutHead(withoutPartialCharacter(slice.bytes), DEFAULT_MAX_BYTES);
    const size = Buffer.byteLength(part);
    const more =
      `[Line ${firstLine} is ${formatSize(slice.longLineBytes)} long; this is its beginning. ` +
      `Read on with bash: sed -n '${firstLine}p' ${quoted(given)} | tail -c +${size + 1} | head -c ${DEFAULT_MAX_BYTES}]`;
    return {
      content: [{ type: 'text', text: `${part}\n\n${more}${rest(slice.totalLines - firstLine, firstLine + 1, ' ')}` }],
      details: { truncation: truncation(slice, part, true) },
    };
  }
  const next = firstLine + slice.lines;
  const left = slice.totalLines - next + 1;
  if (left <= 0) return { content: [{ type: 'text', text }] };
  // The reader's own limit is no truncation: only ours is reported.
  const ours = slice.cutBy === 'bytes' || limit === undefined || limit > DEFAULT_MAX_LINES;
  return {
    content: [{ type: 'text', text: `${text.replace(/\r?\n$/, '')}${rest(left, next, '\n\n')}` }],
    ...(ours ? { details: { truncation: truncation(slice, text, false) } } : {}),
  };
}

function rest(lines: number, next: number, before: string): string {
  return lines > 0 ? `${before}[${lines} more lines in file. Use offset=${next} to continue.]` : '';
}

function truncation(
  slice: { totalLines: number; totalBytes: number; cutBy: 'lines' | 'bytes' | undefined },
  shown: string,
  partial: boolean,
): TruncationDetails {
  return {
    truncated: true,
    truncatedBy: slice.cutBy ?? 'lines',
    totalLines: slice.totalLines,
    totalBytes: slice.totalBytes,
    outputLines: countLines(shown),
    outputBytes: Buffer.byteLength(shown),
    lastLinePartial: partial,
    firstLineExceedsLimit: partial,
    maxLines: DEFAULT_MAX_LINES,
    maxBytes: DEFAULT_MAX_BYTES,
  };
}

/** The bytes end anywhere; a character cut in two at the end is dropped rather than shown broken. */
function withoutPartialCharacter(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

function wholeNumber(value: unknown, name: string): number | undefined {
  if (typeof value !== 'number') return undefined;
  // Models count from 0 now and then, and mean the first.
  if (value === 0 && name === 'offset') return 1;
  if (value >= 1) return Math.floor(value);
  throw new CodedError(TOOL_ERRORS.BAD_ARGUMENT, `${name} must be 1 or more, not ${value}`);
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
