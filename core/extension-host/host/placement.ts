import { BackOff } from './back-off.js';

/** Where an extension runs: one of the processes, one of its workers. */
export interface Place {
  /** `shared`, or a word for the extension that has the process for itself. */
  process: string;
  /** `shared`, or a word for the extension that has the worker for itself. */
  worker: string;
}

/** The process, and the worker in it, that extensions share. */
export const SHARED = 'shared';
const WINDOW_MS = 5 * 60 * 1_000;
const MAX_ENDS = 3;

/** What ended: a worker thread or the whole process, and whose code it was where that is known. */
export interface EndOf {
  what: 'worker' | 'process';
  culprit: string | undefined;
  members: readonly string[];
}

/**
 * Decides where each extension runs. All share one worker at first; one that ended it gets a worker of its own, one that ended the process
 * a process of its own, and one that did so three times within five minutes is not started again. An end nobody can be named for puts all
 * who were there on trial, each for itself.
 */
export class Placement {
  readonly #places = new Map<string, Place>();
  readonly #ends = new Map<string, number[]>();
  readonly #backOffs = new Map<string, BackOff>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  of(extension: string): Place {
    return this.#places.get(extension) ?? { process: SHARED, worker: SHARED };
  }

  /** Gives the extension a worker, or a process, of its own from the start. */
  separate(extension: string, how: 'worker' | 'process'): void {
    // A name of an extension may be any word, `shared` too.
    const own = `own:${extension}`;
    this.#places.set(extension, { process: how === 'process' ? own : SHARED, worker: own });
  }

  /** Takes note of an end. Names those that are to be started no more. */
  ended({ what, culprit, members }: EndOf): { quarantined: string[] } {
    const suspects = culprit !== undefined ? [culprit] : members;
    const quarantined: string[] = [];
    for (const name of suspects) {
      const place = this.of(name);
      // Alone where it ended: no doubt about who it was.
      const alone = culprit !== undefined || members.length === 1;
      if (alone && this.#count(name) >= MAX_ENDS) quarantined.push(name);
      else if (what === 'process') this.separate(name, 'process');
      else if (place.worker === SHARED) this.separate(name, 'worker');
    }
    return { quarantined };
  }

  /** Milliseconds until the process is started again. */
  delayMs(process: string): number {
    const backOff = this.#backOffs.get(process) ?? new BackOff(this.#now);
    this.#backOffs.set(process, backOff);
    return backOff.next();
  }

  #count(extension: string): number {
    const now = this.#now();
    const ends = [...(this.#ends.get(extension) ?? []).filter((at) => now - at < WINDOW_MS), now];
    this.#ends.set(extension, ends);
    return ends.length;
  }
}
