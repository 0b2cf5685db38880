import type { Disposable } from '../../../base/disposable.js';
import type { HostSettings } from '../../contract/settings.js';
import { type Usage, usageOf } from './process-usage.js';

/** Share of one CPU above which a silent process burns rather than waits; low, because the machine may be busy with others. */
const BURNING_SHARE = 0.25;

export interface SandboxWatchOptions {
  settings: Pick<HostSettings, 'beatMs' | 'slowMs' | 'burningMs' | 'blockedMs' | 'rssMb'>;
  pid: () => number | undefined;
  /** Asks the process whether it is there. */
  ask: () => Promise<unknown>;
  onSlow: () => void;
  /** Called once. */
  onBad: (reason: string) => void;
  usage?: (pid: number) => Usage | undefined;
}

/**
 * Watches one process from outside: silence, CPU, memory. Silence is counted in our own looks: when this process could not run, the answer may
 * be waiting unread.
 */
export class SandboxWatch implements Disposable {
  readonly #options: SandboxWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #open = false;
  #silentMs = 0;
  #cpuAtFirst: number | undefined;

  constructor(options: SandboxWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.settings.beatMs);
    this.#timer.unref();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { settings, pid, ask, onSlow, usage = usageOf } = this.#options;
    const id = pid();
    const now = id === undefined ? undefined : usage(id);
    if (now && now.rssBytes > settings.rssMb * 1024 * 1024) {
      this.#end(`it uses more than ${settings.rssMb} MB of memory`);
      return;
    }
    if (!this.#open) {
      this.#open = true;
      this.#silentMs = 0;
      this.#cpuAtFirst = now?.cpuMs;
      const answered = (): void => {
        this.#open = false;
      };
      // A failed call means the channel is closed; whoever closed it knows.
      ask().then(answered, answered);
      return;
    }
    const before = this.#silentMs;
    this.#silentMs += settings.beatMs;
    if (before < settings.slowMs && this.#silentMs >= settings.slowMs) onSlow();
    const burned = now && this.#cpuAtFirst !== undefined ? now.cpuMs - this.#cpuAtFirst : 0;
    const isBurning = burned >= this.#silentMs * BURNING_SHARE;
    if (this.#silentMs >= settings.blockedMs || (isBurning && this.#silentMs >= settings.burningMs))
      this.#end(`it was ${isBurning ? 'busy' : 'blocked'} and silent for ${this.#silentMs} ms`);
  }

  #end(reason: string): void {
    this.dispose();
    this.#options.onBad(reason);
  }
}
