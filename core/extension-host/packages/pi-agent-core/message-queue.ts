import type { AgentMessage } from './types.js';

export type QueueMode = 'one-at-a-time' | 'all';

/** Messages that wait to be said. */
export class MessageQueue {
  mode: QueueMode;
  #waiting: AgentMessage[] = [];

  constructor(mode: QueueMode) {
    this.mode = mode;
  }

  get size(): number {
    return this.#waiting.length;
  }

  push(message: AgentMessage): void {
    this.#waiting.push(message);
  }

  /** Takes what is due: the oldest, or all. */
  take(): AgentMessage[] {
    return this.#waiting.splice(0, this.mode === 'all' ? this.#waiting.length : 1);
  }

  clear(): void {
    this.#waiting = [];
  }
}
