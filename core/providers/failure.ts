import type { ModelFailure } from '../protocol/model-stream.js';
import {
  EXHAUSTED_WORDINGS,
  FATAL_5XX,
  type FailureKind,
  KIND_OF_CODE,
  OVERFLOW_STATUSES,
  OVERFLOW_WORDINGS,
  TRANSIENT_4XX,
  TRANSIENT_WORDINGS,
  VAGUE_CODES,
} from './failure-table.js';

/** What is known of a failed request; every part may be missing. */
export interface FailureFacts {
  status?: number | undefined;
  /** The error body as it came: JSON text, a page, or its parsed form. */
  body?: unknown;
  /** A code of Node, of ours, or of the provider. */
  code?: string | undefined;
  message?: string | undefined;
  headers?: { get(name: string): string | null | undefined } | Readonly<Record<string, string>> | undefined;
}

/**
 * Decides what kind of failure this was: by code, then by status, by wording last. A 4xx that will be refused again is never
 * transient. Takes facts, or anything that was thrown.
 */
export function classifyFailure(failed: unknown, now: number = Date.now()): ModelFailure {
  const facts = factsOf(failed);
  const codes = codesOf(facts);
  const wording = `${facts.message ?? ''}\n${textOf(facts.body)}`;
  const retryAfterMs = retryAfter(facts, wording, now);
  const kind = kindOf(facts.status, codes, wording, retryAfterMs !== undefined);
  const [code] = codes;
  return {
    kind,
    ...(facts.status === undefined ? {} : { status: facts.status }),
    ...(code === undefined ? {} : { code }),
    ...(retryAfterMs !== undefined && kind === 'transient' ? { retryAfterMs } : {}),
  };
}

function kindOf(status: number | undefined, codes: readonly string[], wording: string, namesDelay: boolean): FailureKind {
  const says = (wordings: readonly RegExp[]): boolean => wordings.some((one) => one.test(wording));
  const known = codes.map((code) => ({ code, kind: KIND_OF_CODE[code] })).filter(({ kind }) => kind !== undefined);
  const clear = known.filter(({ code }) => !VAGUE_CODES.has(code)).map(({ kind }) => kind);
  if (clear.includes('overflow')) return 'overflow';
  // "tokens per minute" of one request larger than the minute's budget: the only rate limit that a shorter context passes.
  if ((status === undefined || OVERFLOW_STATUSES.has(status)) && says(OVERFLOW_WORDINGS)) return 'overflow';
  if (status === 413) return 'overflow';
  if (status !== undefined && status >= 400) {
    if (!isTransientStatus(status)) return 'fatal';
    if (clear.includes('fatal')) return 'fatal';
    // A provider that says when to come back means it, whatever else it says about plans.
    return status === 429 && !namesDelay && says(EXHAUSTED_WORDINGS) ? 'fatal' : 'transient';
  }
  if (clear[0] !== undefined) return clear[0];
  if (says(EXHAUSTED_WORDINGS)) return 'fatal';
  if (known[0]?.kind !== undefined) return known[0].kind;
  return says(TRANSIENT_WORDINGS) ? 'transient' : 'fatal';
}

const isTransientStatus = (status: number): boolean => (status < 500 ? TRANSIENT_4XX.has(status) : !FATAL_5XX.has(status));

function factsOf(failed: unknown): FailureFacts {
  if (typeof failed === 'string') return { message: failed };
  if (typeof failed !== 'object' || failed === null) return { message: String(failed) };
  const { status, code, message, headers, body, error } = failed as FailureFacts & { error?: unknown };
  const cause = failed instanceof Error && failed.cause !== undefined ? factsOf(failed.cause) : {};
  return {
    status: typeof status === 'number' ? status : cause.status,
    code: typeof code === 'string' ? code : cause.code,
    message: [message, cause.message].filter((text) => typeof text === 'string').join('\n'),
    headers: headers ?? cause.headers,
    body: body ?? error ?? cause.body,
  };
}

/** The codes of the facts, the most telling first: the thrown code, then what the body names. */
function codesOf({ code, body }: FailureFacts): string[] {
  const found = new Set<string>();
  if (code !== undefined) found.add(code);
  const parsed = typeof body === 'string' ? parseJson(body) : body;
  const errors = [parsed].flat().flatMap((one) => (isRecord(one) ? [isRecord(one.error) ? one.error : one] : []));
  for (const error of errors) {
    for (const value of [error.code, error.type, error.status])
      if (typeof value === 'string' && value !== 'error') found.add(value);
  }
  return [...found];
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An error page, or half a body: only its wording can tell.
    return undefined;
  }
}

function textOf(body: unknown): string {
  if (body === undefined || body === null) return '';
  return typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
}

/** Source: RFC 9110, "Retry-After"; `retry-after-ms` of OpenAI; `retryDelay` of Google; "try again in 1m2.5s" of OpenAI and Groq. */
function retryAfter({ headers }: FailureFacts, wording: string, now: number): number | undefined {
  const ms = Number.parseFloat(header(headers, 'retry-after-ms') ?? '');
  if (ms >= 0) return ms;
  const after = header(headers, 'retry-after')?.trim();
  if (after) {
    if (/^\d+(\.\d+)?$/.test(after)) return Math.round(Number(after) * 1000);
    const date = Date.parse(after);
    if (!Number.isNaN(date)) return Math.max(0, date - now);
  }
  const said = /"retryDelay"\s*:\s*"([\d.]+)s"|(?:try again|retry) in ((?:[\d.]+(?:ms|h|m|s)\s*)+)/i.exec(wording);
  if (!said) return undefined;
  return said[1] === undefined ? durationMs(said[2] ?? '') : Math.round(Number(said[1]) * 1000);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function durationMs(text: string): number {
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(ms|h|m|s)/gi)) {
    total += Number(amount) * (UNIT_MS[unit?.toLowerCase() ?? ''] ?? 0);
  }
  return Math.round(total);
}

function header(headers: FailureFacts['headers'], name: string): string | undefined {
  if (!headers) return undefined;
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const own = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return typeof own?.[1] === 'string' ? own[1] : undefined;
}
