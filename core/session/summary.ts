import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isCoded } from '../base/coded-error.js';
import type { SessionHeader } from '../protocol/entries.js';
import { parseHeader } from './header.js';

/** What a listing shows of a session, from the two ends of its file. */
export interface SessionSummary {
  path: string;
  id: string;
  cwd: string;
  parentSession?: string;
  /** When it was started, as the header has it. */
  created: string;
  /** Last write, milliseconds since the epoch. */
  modifiedMs: number;
  sizeBytes: number;
  /** Messages in the file, counted in its ends; `isEstimate` when there is more between them. */
  messages: number;
  isEstimate: boolean;
  /** The newest name within the ends that were read. */
  name?: string;
  /** Beginning of the first user message, when it is within the head. */
  firstMessage?: string;
}

const HEAD = 16 * 1024;
const TAIL = 16 * 1024;
const MAX_TEXT = 200;

/** Reads a file's header alone; undefined when it is no session, or cannot be read. */
export function readHeader(path: string): SessionHeader | undefined {
  return readEnds(path, (fd, size) => headerIn(readAt(fd, 0, Math.min(size, HEAD))));
}

/** Reads a session's head and tail, whatever its length. Undefined when it is no session, or cannot be read. */
export function summarize(path: string): SessionSummary | undefined {
  return readEnds(path, (fd, size, modifiedMs) => {
    const head = readAt(fd, 0, Math.min(size, HEAD));
    const header = headerIn(head);
    if (!header) return undefined;
    const tailStart = Math.max(Math.min(size, HEAD), size - TAIL);
    const tail = tailStart < size ? readAt(fd, tailStart, size - tailStart) : '';
    const read = Math.min(size, HEAD) + size - tailStart;
    const isEstimate = read < size;
    const seen = countMessages(head) + countMessages(tail);
    const headLines = head.split('\n');
    const name = lastName(tail.split('\n')) ?? lastName(headLines);
    const firstMessage = firstUserText(headLines);
    return {
      path,
      id: header.id,
      cwd: header.cwd,
      ...(header.parentSession === undefined ? {} : { parentSession: header.parentSession }),
      created: header.timestamp,
      modifiedMs,
      sizeBytes: size,
      messages: Math.round(seen * (isEstimate ? size / read : 1)),
      isEstimate,
      ...(name === undefined ? {} : { name }),
      ...(firstMessage === undefined ? {} : { firstMessage }),
    };
  });
}

function readEnds<T>(path: string, read: (fd: number, size: number, modifiedMs: number) => T | undefined): T | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (error) {
    if (isCoded(error)) return undefined; // gone or not ours to read: not in the list
    throw error;
  }
  try {
    const { size, mtimeMs } = fstatSync(fd);
    return read(fd, size, mtimeMs);
  } catch (error) {
    if (isCoded(error)) return undefined; // a directory, an unreadable disk …: no session
    throw error;
  } finally {
    closeSync(fd);
  }
}

function readAt(fd: number, offset: number, length: number): string {
  const bytes = Buffer.alloc(length);
  return bytes.toString('utf8', 0, readSync(fd, bytes, 0, length, offset));
}

function headerIn(head: string): SessionHeader | undefined {
  const first = head.split('\n').find((line) => line.trim() !== '');
  return first === undefined ? undefined : parseHeader(first.replace(/^\ufeff/, ''));
}

/** By how both this program and the existing one begin them. */
const countMessages = (text: string): number => text.split('{"type":"message",').length - 1;

/** Only lines that can matter are parsed. */
function lastName(lines: readonly string[]): string | undefined {
  for (const line of lines.toReversed()) {
    if (!line.includes('"session_info"')) continue;
    const entry = parse(line);
    if (entry?.type === 'session_info') return typeof entry.name === 'string' && entry.name !== '' ? entry.name : undefined;
  }
  return undefined;
}

function firstUserText(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    if (!line.includes('"role":"user"')) continue;
    const message = parse(line)?.message;
    if (typeof message !== 'object' || message === null || !('content' in message)) continue;
    const { content } = message;
    const text = typeof content === 'string' ? content : Array.isArray(content) ? firstText(content) : undefined;
    if (text !== undefined) return text.slice(0, MAX_TEXT);
  }
  return undefined;
}

function firstText(content: readonly unknown[]): string | undefined {
  for (const block of content) {
    if (typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string') return block.text;
  }
  return undefined;
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    // A JSON object: its members are unknown until looked at.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Cut by the end of what was read, or damaged.
    return undefined;
  }
}
