import type { NewEntry } from '../protocol/entries.js';
import type { AgentEvent } from '../protocol/events.js';
import type { AgentMessage, ToolResultMessage } from '../protocol/messages.js';
import type { AgentHooks } from './hooks.js';
import type { Patience } from './patience.js';
import type { Emit, SessionLog } from './ports.js';

export interface ConversationOptions {
  session: SessionLog;
  hooks: AgentHooks;
  emit: Emit;
  patience: Patience;
}

/** A message as it was stored, and its entry. */
export interface Said<M extends AgentMessage> {
  message: M;
  entryId: string;
}

/**
 * What is said while one thing lasts, a run for instance: every message is announced, may be changed by a hook, is stored and
 * shown, in this order. Where nobody has to be waited for, all of it happens before the call returns.
 */
export class Conversation {
  readonly patience: Patience;
  /** Everything said, oldest first. */
  readonly messages: AgentMessage[] = [];
  readonly #options: ConversationOptions;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.patience = options.patience;
  }

  /** Sends an event whose listeners are waited for; undefined when there is nobody to wait for. */
  tell(event: AgentEvent): Promise<unknown> | undefined {
    const heard = this.#options.emit(event);
    return heard ? this.patience.lastWord(heard) : undefined;
  }

  /** Sends an event and goes on at once. */
  mention(event: AgentEvent): void {
    void this.#options.emit(event);
  }

  /** Says a whole message. */
  async say<M extends AgentMessage>(message: M): Promise<Said<M>> {
    const heard = this.tell({ type: 'message_start', message });
    if (heard) await heard;
    return this.finish(message);
  }

  /** Ends a message whose `message_start` was sent. */
  async finish<M extends AgentMessage>(message: M): Promise<Said<M>> {
    const asked = this.#options.hooks.messageEnd(message);
    const final = asked ? sameRole(message, await this.patience.lastWord(asked)) : message;
    const entryId = this.store(final);
    return { message: await this.#end(final), entryId };
  }

  /** Announces a tool result that was stored when it came in: by now nothing can change it. */
  async announce(result: ToolResultMessage): Promise<ToolResultMessage> {
    const heard = this.tell({ type: 'message_start', message: result });
    if (heard) await heard;
    const asked = this.#options.hooks.messageEnd(result);
    if (asked) await this.patience.lastWord(asked);
    return this.#end(result);
  }

  /** Gives the id of the entry. */
  store(message: AgentMessage): string {
    return this.#options.session.append(toEntry(message)).id;
  }

  async #end<M extends AgentMessage>(message: M): Promise<M> {
    this.messages.push(message);
    const heard = this.tell({ type: 'message_end', message });
    if (heard) await heard;
    return message;
  }
}

/** A hook may change everything but who speaks. */
function sameRole<M extends AgentMessage>(message: M, changed: AgentMessage | undefined): M {
  // The role tells the members of the union apart, so one with the same role is of the same type.
  return changed?.role === message.role ? (changed as M) : message;
}

function toEntry(message: AgentMessage): NewEntry {
  if (message.role !== 'custom') return { type: 'message', message };
  const { customType, content, display, details } = message;
  return { type: 'custom_message', customType, content, display, ...(details === undefined ? {} : { details }) };
}
