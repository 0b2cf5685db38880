import type { AgentMessage, ToolResultMessage } from '../protocol/messages.js';
import type { ModelFailure } from '../protocol/model-stream.js';
import { emptyAnswer } from './ask-model.js';
import { Conversation } from './conversation.js';
import type { MessageQueues, QueueKind, Sayable } from './message-queues.js';
import type { Patience } from './patience.js';
import type { Emit, PrepareArguments } from './ports.js';
import { runToolBatch } from './tool-batch.js';
import { type TurnOptions, takeAnswer } from './turn-answer.js';

export interface RunOptions extends TurnOptions {
  queues: MessageQueues;
  prepareArguments: PrepareArguments;
  emit: Emit;
  /** Called with the first good answer, before its `turn_end`. */
  onAnswered: () => void;
}

/** How a run ended, unless it came to its natural end. */
interface RunEnd {
  aborted?: boolean;
  failure?: ModelFailure;
  answerId?: string;
  errorMessage?: string;
}

export interface RunOutcome {
  /** Everything said during the run. */
  messages: AgentMessage[];
  aborted: boolean;
  /** The last answer failed for this reason. */
  failure?: ModelFailure;
  /** The entry of the last answer. */
  answerId?: string;
  errorMessage?: string;
}

/** A message to say at the start of a turn, and how to get it: queued ones leave their queue only when they are said. */
type Utterance = () => Sayable | undefined;

/**
 * One `agent_start` to the point before `agent_end`: turns until the model asks for no more tools and nothing is queued.
 * Ends early, but always in order, when an answer fails, the run is aborted, or something of ours throws.
 */
export class Run {
  readonly #options: RunOptions;
  readonly #conversation: Conversation;
  readonly #signal: AbortSignal;

  constructor(options: RunOptions, patience: Patience) {
    const { session, hooks, emit } = options;
    this.#options = options;
    this.#conversation = new Conversation({ session, hooks, emit, patience });
    this.#signal = patience.signal;
  }

  async execute(opening: readonly Sayable[]): Promise<RunOutcome> {
    const { queues } = this.#options;
    await this.#conversation.tell({ type: 'agent_start' });
    let utterances: Utterance[] = [...opening.map((message) => () => message), ...this.#queued('steering')];
    if (utterances.length === 0 && !this.#endsWithQuestion()) utterances = this.#queued('followUp');
    for (;;) {
      const outcome = await this.#turn(utterances);
      if (outcome.end) return this.#outcome(outcome.end);
      utterances = this.#queued('steering');
      if (outcome.moreWork || utterances.length > 0) continue;
      if (!queues.has('followUp')) return this.#outcome({});
      utterances = this.#queued('followUp');
    }
  }

  /** True when the stored branch waits for an answer: after a failed one was taken out, or a tool result. */
  #endsWithQuestion(): boolean {
    const last = this.#options.session.contextMessages().at(-1);
    return last !== undefined && last.role !== 'assistant';
  }

  #queued(kind: QueueKind): Utterance[] {
    const { queues } = this.#options;
    return Array.from({ length: queues.due(kind) }, () => () => queues.take(kind));
  }

  #outcome(end: RunEnd): RunOutcome {
    return { messages: this.#conversation.messages, aborted: false, ...end };
  }

  async #turn(utterances: readonly Utterance[]): Promise<{ end?: RunEnd; moreWork?: boolean }> {
    const { parts, hooks, now, budget, prepareArguments } = this.#options;
    const conversation = this.#conversation;
    await conversation.tell({ type: 'turn_start' });
    for (const utter of utterances) {
      const message = utter();
      if (message) await conversation.say(message);
    }
    const answer = await takeAnswer(this.#options, conversation);
    const { message, entryId: answerId } = await conversation.finish(answer.message);
    if (message.stopReason === 'error' || message.stopReason === 'aborted') {
      await conversation.tell({ type: 'turn_end', message, toolResults: [] });
      const aborted = message.stopReason === 'aborted';
      const errorMessage = message.errorMessage ?? 'The model gave no answer';
      const failure = answer.failure ?? { kind: 'fatal' };
      return { end: { errorMessage, ...(aborted ? { aborted } : { failure, answerId }) } };
    }
    this.#options.onAnswered();

    const calls = message.content.filter((part) => part.type === 'toolCall');
    // A result that a hook may still change is stored when it is announced; any other as soon as it is there (guarantee 28).
    const mayChange = hooks.mayChangeMessages();
    const { results, terminate } = await runToolBatch({
      calls,
      tools: parts.tools(),
      ...(message.stopReason === 'length'
        ? { refusal: 'This call was not run: the answer was cut at the output limit, so its arguments may be incomplete' }
        : {}),
      prepareArguments,
      hooks,
      conversation,
      onResult: (result) => {
        budget.spend(result.usage);
        if (!mayChange) conversation.store(result);
      },
      now,
    });
    const toolResults: ToolResultMessage[] = [];
    for (const result of results) {
      toolResults.push(mayChange ? (await conversation.say(result)).message : await conversation.announce(result));
    }
    await conversation.tell({ type: 'turn_end', message, toolResults });
    if (calls.length > 0 && this.#signal.aborted) return { end: await this.#sayAborted() };
    return { moreWork: calls.length > 0 && !terminate };
  }

  /** After aborted tools no model is asked; a last empty answer tells clients how the run ended. */
  async #sayAborted(): Promise<RunEnd> {
    const { model, now } = this.#options;
    const errorMessage = 'Request was aborted';
    await this.#conversation.tell({ type: 'turn_start' });
    const { message } = await this.#conversation.say(emptyAnswer(model(), 'aborted', errorMessage, now()));
    await this.#conversation.tell({ type: 'turn_end', message, toolResults: [] });
    return { aborted: true, errorMessage };
  }
}
