import { messageOf } from '../base/coded-error.js';
import { abortedError } from '../base/deadline.js';
import type { Logger } from '../base/logger.js';

/** After an abort, what runs has this long to end by itself; then it is not waited for any more. Source: SANDBOX "Limits". */
export const ABORT_GRACE_MS = 2000;

/** What `promise` gives, or a rejection with `ABORTED` as soon as `signal` fires. The work itself goes on: give it the signal. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(abortedError(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** What `work` gives, or what `giveUp` gives when it has not ended a while after `signal` fired. */
export async function orGivenUp<T>(work: Promise<T>, signal: AbortSignal, giveUp: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => undefined;
  const givenUp = new Promise<T>((resolve) => {
    onAbort = () => {
      timer = setTimeout(() => resolve(giveUp()), ABORT_GRACE_MS);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * How long work that `signal` ends waits for those who listen or have a say: as long as they like before an abort, hardly after
 * it. Their failures are logged and count as having nothing to say.
 */
export class Patience {
  readonly signal: AbortSignal;
  readonly #log: Logger;
  #isLost = false;

  constructor(signal: AbortSignal, log: Logger) {
    this.signal = signal;
    this.#log = log;
  }

  /** An answer that is of no use after an abort: rejects with `ABORTED` then. */
  async answer<T>(asked: Promise<T>): Promise<T | undefined> {
    return orAborted(this.#forgiving(asked), this.signal);
  }

  /** A word that counts after an abort too. Once somebody used up the time, nobody else is waited for. */
  async lastWord<T>(said: Promise<T>): Promise<T | undefined> {
    const word = this.#forgiving(said);
    if (this.#isLost) return undefined;
    return orGivenUp(word, this.signal, () => {
      this.#isLost = true;
      return undefined;
    });
  }

  #forgiving<T>(promise: Promise<T>): Promise<T | undefined> {
    return promise.catch((error: unknown) => {
      this.#log.error('someone with a say in a run failed', { error: messageOf(error) });
      return undefined;
    });
  }
}

/** For what no abort ends. */
export const endlessPatience = (log: Logger): Patience => new Patience(new AbortController().signal, log);
