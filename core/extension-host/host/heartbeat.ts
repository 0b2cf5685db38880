import type { Disposable } from '../../base/disposable.js';

export interface HeartbeatOptions {
  everyMs: number;
  /** Silence after which `onSilent` is called, once. */
  silentMs: number;
  /** Asks the other side; resolves with its answer. */
  ask: () => Promise<unknown>;
  onSilent: () => void;
}

/**
 * Asks again and again whether the other side still answers. Silence is counted in our own ticks: when this process could not run (a long
 * step of its own, a suspended machine), the answer may be waiting unread.
 */
export class Heartbeat implements Disposable {
  readonly #options: HeartbeatOptions;
  readonly #timer: NodeJS.Timeout;
  #open = false;
  #silentMs = 0;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), options.everyMs);
    this.#timer.unref();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    if (!this.#open) {
      this.#open = true;
      this.#silentMs = 0;
      const answered = (): void => {
        this.#open = false;
      };
      // A failed call means the channel is closed; whoever closed it knows.
      this.#options.ask().then(answered, answered);
      return;
    }
    this.#silentMs += this.#options.everyMs;
    if (this.#silentMs < this.#options.silentMs) return;
    this.dispose();
    this.#options.onSilent();
  }
}
