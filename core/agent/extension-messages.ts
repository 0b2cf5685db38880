import type { UserContent } from '../protocol/content.js';
import type { CustomMessage, UserMessage } from '../protocol/messages.js';
import type { NewCustomMessage } from './hooks.js';
import type { IdleTalk } from './idle-talk.js';
import type { MessageQueues, QueueKind } from './message-queues.js';

export interface CustomMessageOptions {
  /** Wakes an idle agent. Ignored with `nextTurn`. */
  triggerTurn?: boolean | undefined;
  /** `steer` (default) and `followUp` queue the message while a run is on; `nextTurn` always keeps it for the next prompt. */
  deliverAs?: 'steer' | 'followUp' | 'nextTurn' | undefined;
}

export interface ExtensionMessagesOptions {
  queues: MessageQueues;
  idleTalk: IdleTalk;
  isRunning: () => boolean;
  /** Accepts a user's message and lets its run begin. */
  prompt: (message: UserMessage, whileRunning: QueueKind | undefined) => Promise<'started' | 'queued'>;
  /** Rejects when no run could be started now. */
  checkStart: () => Promise<void>;
  start: (custom: CustomMessage) => void;
  now: () => number;
}

const QUEUE_OF = { steer: 'steering', followUp: 'followUp' } as const;

/** What extensions say to the model, in the order in which they say it. Source: extensions document, `sendMessage`, `sendUserMessage`. */
export class ExtensionMessages {
  readonly #options: ExtensionMessagesOptions;
  #starting: Promise<void> | undefined;

  constructor(options: ExtensionMessagesOptions) {
    this.#options = options;
  }

  /** A message is about to start a run; resolves when it has, or could not. */
  get starting(): Promise<void> | undefined {
    return this.#starting;
  }

  async user(content: string | UserContent[], deliverAs: 'steer' | 'followUp' | undefined): Promise<'started' | 'queued'> {
    while (this.#starting) await this.#starting;
    const blocks: UserContent[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const message: UserMessage = { role: 'user', content: blocks, timestamp: this.#options.now() };
    return this.#whileStarting(() => this.#options.prompt(message, deliverAs && QUEUE_OF[deliverAs]));
  }

  async custom(message: NewCustomMessage, { triggerTurn = false, deliverAs = 'steer' }: CustomMessageOptions): Promise<void> {
    const { queues, idleTalk, isRunning, checkStart, start, now } = this.#options;
    const custom: CustomMessage = { role: 'custom', ...message, timestamp: now() };
    if (deliverAs === 'nextTurn') return queues.holdForPrompt(custom);
    while (this.#starting) await this.#starting;
    const kind = QUEUE_OF[deliverAs];
    if (isRunning()) return queues.push(kind, custom);
    if (!triggerTurn) return idleTalk.say(custom);
    return this.#whileStarting(async () => {
      await checkStart();
      if (isRunning()) queues.push(kind, custom);
      else start(custom);
    });
  }

  async #whileStarting<T>(start: () => Promise<T>): Promise<T> {
    const started = start();
    this.#starting = started.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await started;
    } finally {
      this.#starting = undefined;
    }
  }
}
