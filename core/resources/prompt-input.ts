import { resolve } from 'node:path';
import { CodedError, isCoded, messageOf } from '../base/coded-error.js';
import type { ImageContent } from '../protocol/content.js';
import { expandHome } from './agent-dir.js';
import { decodeText } from './decode-text.js';
import { RESOURCE_ERRORS } from './errors.js';
import { readCapped } from './read-capped.js';

/** Largest `@file`; more than any model can take in. */
export const MAX_PROMPT_FILE_BYTES = 32 * 1024 * 1024;

export interface PromptInput {
  /** The first prompt. Missing when there is no prompt at all: no message, no file, nothing piped in. */
  readonly first?: { readonly text: string; readonly images: readonly ImageContent[] };
  /** The prompts after it, as they were given. */
  readonly rest: readonly string[];
}

/**
 * Puts the first prompt together: what was piped in, the files, the message, in this order; other messages stay alone.
 * Files that are images become image blocks, with an empty tag to name them.
 * Throws, before anything else happens, `PROMPT_FILE_NOT_FOUND`, `PROMPT_FILE_UNREADABLE`, `PROMPT_FILE_BINARY` or
 * `PROMPT_TOO_LARGE`, each naming the file.
 * Source: observed; "Using Pi", File Arguments.
 */
export async function readPromptInput(input: {
  messages: readonly string[];
  fileArgs: readonly string[];
  /** From {@link readAllStdin}. One line break at its end is dropped; blank is as good as none. */
  stdinText?: string;
  cwd: string;
  home: string;
}): Promise<PromptInput> {
  const [message, ...rest] = input.messages;
  const piped =
    input.stdinText === undefined || input.stdinText.trim() === '' ? undefined : input.stdinText.replace(/\r?\n$/, '');
  if (message === undefined && piped === undefined && input.fileArgs.length === 0) return { rest };

  const images: ImageContent[] = [];
  // Only a message follows the piped text directly: a tag must begin its line.
  let text = piped === undefined ? '' : input.fileArgs.length === 0 ? piped : `${piped}\n`;
  for (const arg of input.fileArgs) {
    const path = resolve(input.cwd, expandHome(arg, input.home));
    const bytes = await readFileArg(arg, path);
    const mimeType = imageType(bytes);
    const name = path.replaceAll('"', '&quot;').replaceAll('\n', '&#10;');
    if (mimeType !== undefined) {
      images.push({ type: 'image', data: bytes.toString('base64'), mimeType });
      text += `<file name="${name}"></file>\n`;
    } else {
      if (isBinary(bytes)) {
        const message = `@${arg} is neither text nor an image that can be sent (PNG, JPEG, GIF or WebP): ${path}`;
        throw new CodedError(RESOURCE_ERRORS.PROMPT_FILE_BINARY, message, { data: { path } });
      }
      text += `<file name="${name}">\n${decodeText(bytes)}\n</file>\n`;
    }
  }
  return { first: { text: text + (message ?? ''), images }, rest };
}

async function readFileArg(arg: string, path: string): Promise<Buffer> {
  let read: { bytes: Buffer; cut: boolean };
  try {
    read = await readCapped(path, MAX_PROMPT_FILE_BYTES);
  } catch (cause) {
    const data = { path };
    if (isCoded(cause, 'ENOENT') || isCoded(cause, 'ENOTDIR')) {
      throw new CodedError(RESOURCE_ERRORS.PROMPT_FILE_NOT_FOUND, `@${arg}: there is no file ${path}`, { cause, data });
    }
    const why = isCoded(cause, 'EISDIR') ? 'it is a directory' : messageOf(cause);
    throw new CodedError(RESOURCE_ERRORS.PROMPT_FILE_UNREADABLE, `@${arg} can't be read: ${why}`, { cause, data });
  }
  if (read.cut) {
    const message = `@${arg} is larger than ${MAX_PROMPT_FILE_BYTES / 1024 / 1024} MB; name it in the message and let the agent read parts of it`;
    throw new CodedError(RESOURCE_ERRORS.PROMPT_TOO_LARGE, message, { data: { path } });
  }
  return read.bytes;
}

/** MIME type of an image that providers accept, told by its first bytes: names lie. */
function imageType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return undefined;
}

/** A NUL near the start, in a file that no byte order mark declares to be UTF-16. */
function isBinary(bytes: Uint8Array): boolean {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !utf16 && bytes.subarray(0, 8192).includes(0);
}
