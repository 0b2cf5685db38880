import type { ModelFailure } from '../protocol/model-stream.js';

export interface RetrySettings {
  enabled: boolean;
  /** Attempts after the first. */
  maxRetries: number;
  /** Wait before the first retry; doubles with each further one. */
  baseDelayMs: number;
  /** A provider that asks for a longer wait than this is not waited for. */
  maxDelayMs: number;
}

/** What to do after a failed answer. `attempt` counts the retries already made for this prompt. */
export function nextRetry(
  settings: RetrySettings,
  failure: ModelFailure,
  attempt: number,
): { attempt: number; maxAttempts: number; delayMs: number } | undefined {
  if (!settings.enabled || failure.kind !== 'transient' || attempt >= settings.maxRetries) return undefined;
  const wished = failure.retryAfterMs ?? 0;
  if (wished > settings.maxDelayMs) return undefined;
  return {
    attempt: attempt + 1,
    maxAttempts: settings.maxRetries,
    delayMs: Math.max(settings.baseDelayMs * 2 ** attempt, wished),
  };
}
