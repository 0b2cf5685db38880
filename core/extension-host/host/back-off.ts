/** Waits before the first, second and every later restart. */
const DELAYS_MS = [200, 1_000, 5_000] as const;
const WINDOW_MS = 5 * 60 * 1_000;
const MAX_ENDS = 3;

/** Says how long to wait after an end nobody asked for, and when to give up: the third end within five minutes. */
export class BackOff {
  readonly #now: () => number;
  #ends: number[] = [];

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Counts one end. Undefined: give up. */
  next(): number | undefined {
    const now = this.#now();
    this.#ends = [...this.#ends.filter((at) => now - at < WINDOW_MS), now];
    if (this.#ends.length >= MAX_ENDS) return undefined;
    return DELAYS_MS[Math.min(this.#ends.length, DELAYS_MS.length) - 1];
  }
}
