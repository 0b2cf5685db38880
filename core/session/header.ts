import type { SessionHeader } from '../protocol/entries.js';

/** The version this program writes. */
export const SESSION_VERSION = 3;

/** A new header, keys in the order existing readers know. */
export function createHeader(options: { id: string; cwd: string; now: Date; parentSession?: string | undefined }): SessionHeader {
  const { id, cwd, now, parentSession } = options;
  return {
    type: 'session',
    version: SESSION_VERSION,
    id,
    timestamp: now.toISOString(),
    cwd,
    ...(parentSession === undefined ? {} : { parentSession }),
  };
}

/**
 * The header a file's first line holds, or undefined when it is none. A missing version is 1; other fields that are missing or
 * of the wrong type get neutral values, unknown ones are kept. Source: session-format document, "SessionHeader".
 */
export function parseHeader(line: string): SessionHeader | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // No JSON is an answer: this is not a session.
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const header = value as Record<string, unknown>;
  const { id, version, timestamp, cwd, parentSession } = header;
  if (header.type !== 'session' || typeof id !== 'string' || id === '') return undefined;
  return {
    ...header,
    type: 'session',
    version: typeof version === 'number' ? version : 1,
    id,
    timestamp: typeof timestamp === 'string' ? timestamp : '',
    cwd: typeof cwd === 'string' ? cwd : '',
    ...(typeof parentSession === 'string' ? { parentSession } : {}),
  };
}
