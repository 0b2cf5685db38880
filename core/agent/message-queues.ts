import type { QueueMode } from '../protocol/commands/state.js';
import type { CustomMessage, UserMessage } from '../protocol/messages.js';

export type QueueKind = 'steering' | 'followUp';

/** What can be said to the model from outside: by the user or by an extension. */
export type Sayable = UserMessage | CustomMessage;

/** The text of a user message, as queue listings show it. */
export function textOf(message: UserMessage): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

const isUsers = (message: Sayable): message is UserMessage => message.role === 'user';

/**
 * Messages waiting for their turn. A message leaves exactly once: by {@link take} when it is delivered or by {@link clear}.
 * Source: rpc-mode document, "Queue modes" and "queue_update".
 */
export class MessageQueues {
  readonly modes: Record<QueueKind, QueueMode>;
  readonly #queues: Record<QueueKind, Sayable[]> = { steering: [], followUp: [] };
  #forPrompt: CustomMessage[] = [];
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

  push(kind: QueueKind, message: Sayable): void {
    this.#queues[kind].push(message);
    this.#changed([message]);
  }

  /** Keeps a message for the next prompt; it is in neither queue. */
  holdForPrompt(message: CustomMessage): void {
    this.#forPrompt.push(message);
  }

  takeForPrompt(): CustomMessage[] {
    return this.#forPrompt.splice(0);
  }

  /** How many messages the next delivery of `kind` brings. */
  due(kind: QueueKind): number {
    const waiting = this.#queues[kind].length;
    return this.modes[kind] === 'all' ? waiting : Math.min(1, waiting);
  }

  /** Takes the oldest for delivery and tells clients what is left. */
  take(kind: QueueKind): Sayable | undefined {
    const message = this.#queues[kind].shift();
    if (message) this.#changed([message]);
    return message;
  }

  /** Takes everything back without delivering it; gives the texts of the user's messages. */
  clear(): { steering: string[]; followUp: string[] } {
    const texts = this.#texts();
    const taken = [...this.#queues.steering, ...this.#queues.followUp];
    this.#queues.steering = [];
    this.#queues.followUp = [];
    this.#forPrompt = [];
    this.#changed(taken);
    return texts;
  }

  #texts(): { steering: string[]; followUp: string[] } {
    const { steering, followUp } = this.#queues;
    return { steering: steering.filter(isUsers).map(textOf), followUp: followUp.filter(isUsers).map(textOf) };
  }

  /** Clients see the user's messages only, so they are not told when others come and go. */
  #changed(moved: readonly Sayable[]): void {
    if (!moved.some(isUsers)) return;
    const { steering, followUp } = this.#texts();
    this.#onChange(steering, followUp);
  }
}
