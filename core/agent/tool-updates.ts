/** At least this long between two progress reports of one call (guarantee 3). */
export const UPDATE_INTERVAL_MS = 15;

/**
 * Passes the first value on at once, then at most one per interval: the newest. `finish` sends what is still held back, so the
 * last report is never lost, and drops whatever comes after it.
 */
export class UpdateCoalescer<T> {
  readonly #send: (value: T) => void;
  #held: { value: T } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #finished = false;

  constructor(send: (value: T) => void) {
    this.#send = send;
  }

  push(value: T): void {
    if (this.#finished) return;
    if (this.#timer) {
      this.#held = { value };
      return;
    }
    this.#send(value);
    this.#arm();
  }

  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    clearTimeout(this.#timer);
    if (this.#held) this.#send(this.#held.value);
    this.#held = undefined;
  }

  #arm(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#held) return;
      this.#send(this.#held.value);
      this.#held = undefined;
      this.#arm();
    }, UPDATE_INTERVAL_MS);
  }
}
