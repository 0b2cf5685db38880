import type { AgentEvent } from '../../../protocol/events.js';
import type { AssistantMessage } from '../../../protocol/messages.js';
import type { Model } from '../../../protocol/model.js';
import type { AnswerEvent } from '../pi-ai/answer-event.js';
import { PartialAnswer } from '../pi-ai/partial-answer.js';

type MessageUpdate = { type: 'message_update'; message: AssistantMessage; assistantMessageEvent: AnswerEvent };
/** The agent's events as the sdk has them: updates carry the message so far. Source: sdk document, "Events". */
export type AgentSessionEvent = Exclude<AgentEvent, { type: 'message_update' }> | MessageUpdate;

/** Puts the message so far beside each step of an answer. */
export class SessionEvents {
  #partial: PartialAnswer | undefined;
  readonly #model: () => Model | undefined;

  constructor(model: () => Model | undefined) {
    this.#model = model;
  }

  /** The answer that is being written. */
  get streaming(): AssistantMessage | undefined {
    return this.#partial?.message;
  }

  /** Undefined for a step of an answer that nobody began. */
  translate(event: AgentEvent): AgentSessionEvent | undefined {
    if (event.type === 'message_update') {
      const step = this.#partial?.apply(event.assistantMessageEvent);
      return this.#partial && step
        ? { type: 'message_update', message: this.#partial.message, assistantMessageEvent: step }
        : undefined;
    }
    if (event.type === 'message_start' && event.message.role === 'assistant') this.#begin(event.message);
    if (event.type === 'message_end') this.#partial = undefined;
    return event;
  }

  #begin(message: AssistantMessage): void {
    const model = this.#model();
    if (!model) return;
    this.#partial = new PartialAnswer(model);
    this.#partial.apply({ type: 'start', message });
  }
}
