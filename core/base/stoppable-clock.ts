import { CodedError } from './coded-error.js';
import { BASE_ERRORS } from './errors.js';

interface Watched {
  leftMs: number;
  startedAt: number;
  timer: NodeJS.Timeout | undefined;
  expire: () => void;
}

/** Taken when the program starts: where other people's code runs, theirs are recorded and may be replaced. */
const later = setTimeout;

/** Deadlines that stand still while somebody is being waited for who may take any time: a person, mostly. */
export class StoppableClock {
  readonly #watched = new Set<Watched>();
  #stops = 0;

  get isStopped(): boolean {
    return this.#stops > 0;
  }

  /** Calls nest: the clock runs again after as many `go`s. */
  stop(): void {
    if (++this.#stops > 1) return;
    for (const one of this.#watched) {
      clearTimeout(one.timer);
      one.leftMs -= performance.now() - one.startedAt;
    }
  }

  go(): void {
    if (--this.#stops > 0) return;
    for (const one of this.#watched) this.#start(one);
  }

  /** Settles as `work` does, or rejects with DEADLINE_EXCEEDED when the clock has run `ms`. 0: no limit. */
  limit<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
    if (ms <= 0) return work;
    return new Promise((resolve, reject) => {
      const one: Watched = {
        leftMs: ms,
        startedAt: 0,
        timer: undefined,
        expire: () => {
          this.#watched.delete(one);
          reject(new CodedError(BASE_ERRORS.DEADLINE_EXCEEDED, `${what} took longer than ${ms / 1000} s`));
        },
      };
      this.#watched.add(one);
      if (!this.isStopped) this.#start(one);
      const over = (): void => {
        clearTimeout(one.timer);
        this.#watched.delete(one);
      };
      work.then(
        (value) => {
          over();
          resolve(value);
        },
        (error: unknown) => {
          over();
          reject(error);
        },
      );
    });
  }

  #start(one: Watched): void {
    one.startedAt = performance.now();
    one.timer = later(one.expire, Math.max(0, one.leftMs));
  }
}
