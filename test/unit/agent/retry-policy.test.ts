import { describe, expect, it } from 'vitest';
import { nextRetry } from '../../../core/agent/retry-policy.js';

const settings = { enabled: true, maxRetries: 3, baseDelayMs: 100, maxDelayMs: 60_000 };

describe('whether and when to ask again', () => {
  it.each([
    [{ kind: 'transient' } as const, 0, { attempt: 1, maxAttempts: 3, delayMs: 100 }],
    [{ kind: 'transient' } as const, 1, { attempt: 2, maxAttempts: 3, delayMs: 200 }],
    [{ kind: 'transient' } as const, 2, { attempt: 3, maxAttempts: 3, delayMs: 400 }],
    [{ kind: 'transient' } as const, 3, undefined],
    [{ kind: 'transient', retryAfterMs: 5000 } as const, 0, { attempt: 1, maxAttempts: 3, delayMs: 5000 }],
    [{ kind: 'transient', retryAfterMs: 90_000 } as const, 0, undefined],
    [{ kind: 'fatal' } as const, 0, undefined],
    [{ kind: 'overflow' } as const, 0, undefined],
  ])('%j after %i retries gives %j', (failure, attempt, wanted) => {
    expect(nextRetry(settings, failure, attempt)).toEqual(wanted);
  });

  it('never asks again when retries are off', () => {
    expect(nextRetry({ ...settings, enabled: false }, { kind: 'transient' }, 0)).toBeUndefined();
  });
});
