import { CodedError } from './coded-error.js';
import { BASE_ERRORS } from './errors.js';

/** Resolves after `ms`, or rejects with `ABORTED` as soon as `signal` fires. The timer never outlives either. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortedError(signal));
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(abortedError(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** `promise`, or a `DEADLINE_EXCEEDED` error naming `what` after `ms`. The work itself is not stopped: pass it a signal for that. */
export async function withDeadline<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CodedError(BASE_ERRORS.DEADLINE_EXCEEDED, `${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The error for work that its owner withdrew. */
export function abortedError(signal?: AbortSignal): CodedError {
  return new CodedError(BASE_ERRORS.ABORTED, 'The operation was aborted', { cause: signal?.reason });
}

/** Resolves when `promise` has settled or `ms` are over, whichever comes first; true when it was the promise. Leaves no timer behind. */
export async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}
