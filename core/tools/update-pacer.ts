/** Shortest time between two updates; the agent sends no more either (guarantee 3). */
const MIN_INTERVAL_MS = 15;
/** What an update of this many characters may take of the time: each carries everything so far, so long output is shown less often. */
const UNITS_PER_MS = 500;

/** Calls `send` at once for the first request, then as rarely as the size that `send` returns asks for. The last request is never lost. */
export class UpdatePacer {
  readonly #send: () => number;
  #timer: NodeJS.Timeout | undefined;
  #pending = false;
  #stopped = false;

  constructor(send: () => number) {
    this.#send = send;
  }

  request(): void {
    if (this.#stopped) return;
    this.#pending = true;
    if (!this.#timer) this.#fire();
  }

  /** Sends now what is still held back. */
  flush(): void {
    if (this.#pending && !this.#stopped) this.#fire();
  }

  /** Nothing is sent from here on. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #fire(): void {
    clearTimeout(this.#timer);
    this.#pending = false;
    const size = this.#send();
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        if (this.#pending && !this.#stopped) this.#fire();
      },
      MIN_INTERVAL_MS + size / UNITS_PER_MS,
    );
  }
}
