import type { QueueMode } from '../protocol/commands/state.js';
import type { UserMessage } from '../protocol/messages.js';

export type QueueKind = 'steering' | 'followUp';

/** The text of a user message, as queue listings show it. */
export function textOf(message: UserMessage): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/**
 * Messages waiting for their turn. A message leaves exactly once: by {@link take} when it is delivered or by {@link clear}.
 * Source: rpc-mode document, "Queue modes" and "queue_update".
 */
export class MessageQueues {
  readonly modes: Record<QueueKind, QueueMode>;
  readonly #queues: Record<QueueKind, UserMessage[]> = { steering: [], followUp: [] };
  readonly #onChange: (steering: string[], followUp: string[]) => void;

  constructor(modes: Record<QueueKind, QueueMode>, onChange: (steering: string[], followUp: string[]) => void) {
    this.modes = { ...modes };
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#queues.steering.length + this.#queues.followUp.length;
  }

  has(kind: QueueKind): boolean {
    return this.#queues[kind].length > 0;
  }

  push(kind: QueueKind, message: UserMessage): void {
    this.#queues[kind].push(message);
    this.#changed();
  }

  /** How many messages the next delivery of `kind` brings. */
  due(kind: QueueKind): number {
    const waiting = this.#queues[kind].length;
    return this.modes[kind] === 'all' ? waiting : Math.min(1, waiting);
  }

  /** Takes the oldest for delivery and tells clients what is left. */
  take(kind: QueueKind): UserMessage | undefined {
    const message = this.#queues[kind].shift();
    if (message) this.#changed();
    return message;
  }

  /** Takes everything back without delivering it. */
  clear(): { steering: string[]; followUp: string[] } {
    const taken = this.#texts();
    if (this.size === 0) return taken;
    this.#queues.steering = [];
    this.#queues.followUp = [];
    this.#changed();
    return taken;
  }

  #texts(): { steering: string[]; followUp: string[] } {
    return { steering: this.#queues.steering.map(textOf), followUp: this.#queues.followUp.map(textOf) };
  }

  #changed(): void {
    const { steering, followUp } = this.#texts();
    this.#onChange(steering, followUp);
  }
}
