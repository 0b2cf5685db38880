/** Waits before the first, second and every later restart within five minutes. */
const DELAYS_MS = [200, 1_000, 5_000] as const;
const WINDOW_MS = 5 * 60 * 1_000;

/** Says how long to wait after an end nobody asked for. */
export class BackOff {
  readonly #now: () => number;
  #ends: number[] = [];

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Counts one end. Milliseconds to wait. */
  next(): number {
    const now = this.#now();
    this.#ends = [...this.#ends.filter((at) => now - at < WINDOW_MS), now];
    return DELAYS_MS[Math.min(this.#ends.length, DELAYS_MS.length) - 1] ?? 0;
  }
}
