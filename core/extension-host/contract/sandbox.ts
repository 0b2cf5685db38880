import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from './errors.js';
import { STATE_TOPICS, type StateRead } from './state.js';
import type { WireError } from './wire/messages.js';

/**
 * Descriptors of a process that runs one restricted extension. There is no second thread that could wait for it: it writes frames with calls
 * that block, and takes answers it waits for from a pipe that nothing else reads.
 */
export const SANDBOX_FDS = { fromCore: 3, toCore: 4, answers: 5 } as const;

/** What such a process is started with, as one JSON argument. */
export interface SandboxStart {
  loadMs: number;
  shutdownMs: number;
  /** Everything is allowed, and what is used is written to this file. */
  auditFile?: string;
}

/** Code of a file that the process has read is wanted, for which it waits. */
export interface CodeAsk {
  code: string;
  source: string;
  request: number;
}

/** In a frame of kind `state` from the process. */
export type SandboxQuestion = StateRead | CodeAsk;

/** First line of the answer, in a frame of the same kind; what it is about follows as bytes. */
export type SandboxAnswer =
  | { request: number; version: number; reset: boolean }
  | { request: number }
  | { request: number; error: WireError };

/** Longest source, in characters. */
const MAX_SOURCE = 4 * 1024 * 1024;

export function parseQuestion(text: string): SandboxQuestion {
  const { request, read, since, code, source } = (JSON.parse(text) ?? {}) as Record<string, unknown>;
  const topic = STATE_TOPICS.find((one) => one === read);
  if (isNumber(request) && topic && isNumber(since)) return { request, read: topic, since };
  if (isNumber(request) && typeof code === 'string' && typeof source === 'string' && source.length <= MAX_SOURCE)
    return { request, code, source };
  throw new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, 'A question of no known form');
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
