import type { HostSettings } from '../contract/settings.js';
import { SHARED_WORDS } from '../contract/shared-memory.js';
import { threadCpuMs, threadHasChild } from './thread-activity.js';

/** Share of one CPU above which a silent thread burns rather than waits; low, because the machine may be busy with others. */
const BURNING_SHARE = 0.25;

export interface WatchOptions {
  words: Int32Array;
  settings: HostSettings;
  onSlow: () => void;
  /** Called once; the watch is over then. */
  onSilent: (reason: 'busy' | 'blocked', silentMs: number) => void;
  cpuMs?: (threadId: number) => number | undefined;
  hasChild?: (threadId: number) => boolean;
}

/**
 * Looks at a worker's heartbeat. Silence is counted in our own looks, not by the clock: when this thread could not run either (suspended
 * process, starved machine) that is not the worker's fault.
 */
export class WorkerWatch {
  readonly #options: WatchOptions;
  #lastBeat: number;
  #silentMs = 0;
  #firstLook: { cpuMs: number | undefined; silentMs: number } | undefined;
  #done = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#lastBeat = Atomics.load(options.words, SHARED_WORDS.beat);
  }

  /** To be called every `beatMs`. */
  look(): void {
    if (this.#done) return;
    const { words, settings, onSlow, onSilent } = this.#options;
    const cpuMs = this.#options.cpuMs ?? threadCpuMs;
    const threadId = Atomics.load(words, SHARED_WORDS.threadId);
    const beat = Atomics.load(words, SHARED_WORDS.beat);
    // A thread that waits for our own answer is not silent.
    if (beat !== this.#lastBeat || Atomics.load(words, SHARED_WORDS.reading) === 1) {
      this.#lastBeat = beat;
      this.#silentMs = 0;
      this.#firstLook = undefined;
      return;
    }
    const before = this.#silentMs;
    this.#silentMs += settings.beatMs;
    // The system is asked only about silent threads.
    this.#firstLook ??= { cpuMs: cpuMs(threadId), silentMs: this.#silentMs };
    if (before < settings.slowMs && this.#silentMs >= settings.slowMs) onSlow();
    if (this.#silentMs < settings.burningMs) return;
    if (this.#isBurning(cpuMs(threadId))) this.#end(onSilent, 'busy');
    else if (this.#silentMs >= this.#blockedLimit(threadId)) this.#end(onSilent, 'blocked');
  }

  #isBurning(cpuMs: number | undefined): boolean {
    if (cpuMs === undefined || this.#firstLook?.cpuMs === undefined) return false;
    return cpuMs - this.#firstLook.cpuMs >= (this.#silentMs - this.#firstLook.silentMs) * BURNING_SHARE;
  }

  #blockedLimit(threadId: number): number {
    const { settings, hasChild = threadHasChild } = this.#options;
    return hasChild(threadId) ? settings.blockedOnChildMs : settings.blockedMs;
  }

  #end(onSilent: WatchOptions['onSilent'], reason: 'busy' | 'blocked'): void {
    this.#done = true;
    onSilent(reason, this.#silentMs);
  }
}
