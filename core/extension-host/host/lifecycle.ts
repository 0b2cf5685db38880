/**
 * The states of the extension host as the core sees it, and where each may lead. `starting` is also what a restart goes through;
 * `failed` is left only by a new `start`.
 */
const NEXT = {
  idle: ['starting', 'stopped'],
  starting: ['ready', 'starting', 'stopping', 'stopped', 'failed'],
  ready: ['starting', 'stopping', 'failed'],
  stopping: ['stopped'],
  stopped: [],
  failed: ['starting', 'stopping', 'stopped'],
} as const satisfies Record<string, readonly string[]>;

export type HostState = keyof typeof NEXT;

/** Holds the state and refuses steps the table does not have: those are bugs of ours. */
export class Lifecycle {
  readonly #onChange: (state: HostState, from: HostState) => void;
  #state: HostState = 'idle';

  constructor(onChange: (state: HostState, from: HostState) => void) {
    this.#onChange = onChange;
  }

  get state(): HostState {
    return this.#state;
  }

  is(...states: HostState[]): boolean {
    return states.includes(this.#state);
  }

  to(next: HostState): void {
    const from = this.#state;
    if (!(NEXT[from] as readonly HostState[]).includes(next))
      throw new Error(`The extension host can't go from ${from} to ${next}`);
    this.#state = next;
    this.#onChange(next, from);
  }
}
