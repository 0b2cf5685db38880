import type { Logger } from '../base/logger.js';
import type { CustomMessage } from '../protocol/messages.js';
import { Conversation } from './conversation.js';
import type { AgentHooks } from './hooks.js';
import { endlessPatience } from './patience.js';
import type { Emit, SessionLog } from './ports.js';

export interface IdleTalkOptions {
  session: () => SessionLog;
  hooks: AgentHooks;
  emit: Emit;
  log: Logger;
}

/** What extensions say while no run is on, one message after the other; said at once where nobody has to be waited for. */
export class IdleTalk {
  readonly #options: IdleTalkOptions;
  #last: Promise<void> | undefined;

  constructor(options: IdleTalkOptions) {
    this.#options = options;
  }

  /** Resolves when everything is said; undefined when nothing is being said. */
  get unfinished(): Promise<void> | undefined {
    return this.#last;
  }

  /** Rejects when the message can't be stored. */
  async say(message: CustomMessage): Promise<void> {
    const { session, hooks, emit, log } = this.#options;
    const conversation = new Conversation({ session: session(), hooks, emit, patience: endlessPatience(log) });
    const said = this.#last ? this.#last.then(() => conversation.say(message)) : conversation.say(message);
    const last = said.then(
      () => undefined,
      () => undefined,
    );
    this.#last = last;
    try {
      await said;
    } finally {
      if (this.#last === last) this.#last = undefined;
    }
  }
}
