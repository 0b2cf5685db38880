import { CodedError, isCoded, messageOf } from '../../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../errors.js';

/** What is said on a channel. `id` counts the calls of the one who asks; answers, progress and cancel carry the same. */
export type Message =
  | { type: 'call'; id: number; method: string; args: unknown }
  | { type: 'note'; method: string; args: unknown }
  | { type: 'result'; id: number; value: unknown }
  | { type: 'error'; id: number; error: WireError }
  | { type: 'progress'; id: number; value: unknown }
  | { type: 'cancel'; id: number };

export interface WireError {
  code: string;
  message: string;
  data?: unknown;
  stack?: string;
  cause?: WireError;
}

/** Errors keep this many causes when they cross. */
const MAX_CAUSES = 5;

/** One line of text. A value JSON can't write throws `BOUNDARY_UNWRITABLE_VALUE`. */
export function encodeMessage(message: Message): string {
  try {
    return JSON.stringify(message);
  } catch (error) {
    throw new CodedError(BOUNDARY_ERRORS.UNWRITABLE, `A value can't be sent: ${messageOf(error)}`, { cause: error });
  }
}

/** The message in a line, whose envelope is sound; arguments and values are still anything. Throws `BOUNDARY_BAD_MESSAGE`. */
export function decodeMessage(line: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, 'A message is not JSON', { cause: error });
  }
  if (isMessage(value)) return value;
  throw new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, 'A message has none of the known forms');
}

function isMessage(value: unknown): value is Message {
  if (typeof value !== 'object' || value === null) return false;
  const { type, id, method, error } = value as Record<string, unknown>;
  const named = typeof method === 'string' && Object.hasOwn(value, 'method');
  const numbered = typeof id === 'number' && Number.isSafeInteger(id) && id > 0;
  switch (type) {
    case 'call':
      return named && numbered;
    case 'note':
      return named;
    case 'result':
    case 'progress':
    case 'cancel':
      return numbered;
    case 'error':
      return numbered && isWireError(error);
    default:
      return false;
  }
}

export function isWireError(value: unknown): value is WireError {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as WireError).code === 'string' &&
    typeof (value as WireError).message === 'string'
  );
}

/** Anything thrown, as data. What has no code was thrown by an extension or is a bug; either way its stack goes along. */
export function toWireError(error: unknown, depth = 0): WireError {
  const wire: WireError = { code: isCoded(error) ? error.code : BOUNDARY_ERRORS.THREW, message: messageOf(error) };
  if (!(error instanceof Error)) return wire;
  if (typeof error.stack === 'string') wire.stack = error.stack;
  if (isCoded(error) && error.data !== undefined && isWritable(error.data)) wire.data = error.data;
  if (error.cause !== undefined && depth < MAX_CAUSES) wire.cause = toWireError(error.cause, depth + 1);
  return wire;
}

/** The error of the other side, rebuilt here; its stack is kept as the cause's. */
export function fromWireError(wire: WireError, depth = 0): CodedError {
  const cause =
    depth < MAX_CAUSES && isWireError(wire.cause) ? fromWireError(wire.cause, depth + 1) : withStack(wire.message, wire.stack);
  const data = typeof wire.data === 'object' && wire.data !== null ? (wire.data as Record<string, unknown>) : undefined;
  return new CodedError(wire.code, wire.message, { cause, ...(data && { data }) });
}

function withStack(message: string, stack: unknown): Error | undefined {
  if (typeof stack !== 'string') return undefined;
  const error = new Error(message);
  error.stack = stack;
  return error;
}

function isWritable(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    // The details are lost; code and message still cross.
    return false;
  }
}
