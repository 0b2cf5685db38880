import { messageOf } from '../base/coded-error.js';
import type { Logger } from '../base/logger.js';
import type { AgentEvent } from '../protocol/events.js';
import type { AgentMessage, AssistantMessage, ToolResultMessage, UserMessage } from '../protocol/messages.js';
import type { Model, ThinkingLevel } from '../protocol/model.js';
import type { ModelAnswer, ModelFailure } from '../protocol/model-stream.js';
import { askModel, emptyAnswer } from './ask-model.js';
import type { Budget } from './budget.js';
import { AGENT_ERRORS } from './errors.js';
import type { MessageQueues, QueueKind } from './message-queues.js';
import type { ModelSource, PrepareArguments, RequestParts, SessionLog, ToModelMessages } from './ports.js';
import { runToolBatch } from './tool-batch.js';

export interface RunOptions {
  model: Model;
  thinkingLevel: () => ThinkingLevel;
  thinkingBudgets: Partial<Record<ThinkingLevel, number>>;
  idleTimeoutMs: number;
  session: SessionLog;
  source: ModelSource;
  parts: RequestParts;
  queues: MessageQueues;
  budget: Budget;
  toModelMessages: ToModelMessages;
  prepareArguments: PrepareArguments;
  emit: (event: AgentEvent) => void;
  /** Called with the first good answer, before its `turn_end`. */
  onAnswered: () => void;
  log: Logger;
  now: () => number;
}

export interface RunOutcome {
  /** Everything said during the run. */
  messages: AgentMessage[];
  aborted: boolean;
  /** The last answer failed for this reason, and its entry is still the leaf. */
  failure?: ModelFailure;
  errorMessage?: string;
}

/** A user message to say at the start of a turn, and how to get it: queued ones leave their queue only when they are said. */
type Utterance = () => UserMessage | undefined;

/**
 * One `agent_start` to the point before `agent_end`: turns until the model asks for no more tools and nothing is queued.
 * Ends early, but always in order, when an answer fails, the signal fires, or something of ours throws.
 */
export class Run {
  readonly #options: RunOptions;
  readonly #messages: AgentMessage[] = [];
  readonly #signal: AbortSignal;

  constructor(options: RunOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  async execute(prompt: readonly UserMessage[]): Promise<RunOutcome> {
    const { queues } = this.#options;
    let utterances: Utterance[] = [...prompt.map((message) => () => message), ...this.#queued('steering')];
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

  #outcome(end: { aborted?: boolean; failure?: ModelFailure; errorMessage?: string }): RunOutcome {
    return { messages: this.#messages, aborted: false, ...end };
  }

  async #turn(
    utterances: readonly Utterance[],
  ): Promise<{ end?: { aborted?: boolean; failure?: ModelFailure; errorMessage?: string }; moreWork?: boolean }> {
    const { emit, session, parts, now } = this.#options;
    emit({ type: 'turn_start' });
    for (const utter of utterances) {
      const message = utter();
      if (message) this.#say(message);
    }
    const answer = await this.#ask();
    const { message, failure } = answer;
    this.#remember(message);
    session.append({ type: 'message', message });
    emit({ type: 'message_end', message });
    if (message.stopReason === 'error' || message.stopReason === 'aborted') {
      emit({ type: 'turn_end', message, toolResults: [] });
      const aborted = message.stopReason === 'aborted';
      const errorMessage = message.errorMessage ?? 'The model gave no answer';
      return { end: aborted ? { aborted, errorMessage } : { failure: failure ?? { kind: 'fatal' }, errorMessage } };
    }
    this.#options.onAnswered();

    const calls = message.content.filter((part) => part.type === 'toolCall');
    const { results, terminate } = await runToolBatch({
      calls,
      tools: parts.tools(),
      signal: this.#signal,
      ...(message.stopReason === 'length'
        ? { refusal: 'This call was not run: the answer was cut at the output limit, so its arguments may be incomplete' }
        : {}),
      prepareArguments: this.#options.prepareArguments,
      emit,
      onResult: (result) => {
        this.#options.budget.spend(result.usage);
        session.append({ type: 'message', message: result });
      },
      now,
    });
    for (const result of results) this.#announce(result);
    emit({ type: 'turn_end', message, toolResults: results });
    if (calls.length > 0 && this.#signal.aborted) return { end: this.#sayAborted() };
    return { moreWork: calls.length > 0 && !terminate };
  }

  #say(message: UserMessage): void {
    const { emit, session } = this.#options;
    emit({ type: 'message_start', message });
    session.append({ type: 'message', message });
    this.#remember(message);
    emit({ type: 'message_end', message });
  }

  #announce(result: ToolResultMessage): void {
    this.#remember(result);
    this.#options.emit({ type: 'message_start', message: result });
    this.#options.emit({ type: 'message_end', message: result });
  }

  /** After aborted tools no model is asked; a last empty answer tells clients how the run ended. */
  #sayAborted(): { aborted: boolean; errorMessage: string } {
    const { emit, session, model, now } = this.#options;
    const errorMessage = 'Request was aborted';
    const message = emptyAnswer(model, 'aborted', errorMessage, now());
    emit({ type: 'turn_start' });
    emit({ type: 'message_start', message });
    session.append({ type: 'message', message });
    this.#remember(message);
    emit({ type: 'message_end', message });
    emit({ type: 'turn_end', message, toolResults: [] });
    return { aborted: true, errorMessage };
  }

  #remember(message: AgentMessage): void {
    this.#messages.push(message);
  }

  async #ask(): Promise<ModelAnswer> {
    const { model, source, parts, session, emit, now, log } = this.#options;
    const own = (stopReason: 'error' | 'aborted', text: string): ModelAnswer => {
      const message: AssistantMessage = emptyAnswer(model, stopReason, text, now());
      emit({ type: 'message_start', message });
      return stopReason === 'error' ? { message, failure: { kind: 'fatal' } } : { message };
    };
    if (this.#signal.aborted) return own('aborted', 'Request was aborted');
    const stream = source.streamOf(model);
    if (!stream) {
      const known = `the model ${model.provider}/${model.id} uses the API "${model.api}"`;
      return own('error', `${AGENT_ERRORS.UNKNOWN_API}: ${known}, which nothing here can speak`);
    }
    try {
      this.#options.budget.check();
      const [credentials, systemPrompt] = await Promise.all([source.credentials(model), parts.systemPrompt()]);
      const context = {
        systemPrompt,
        messages: this.#options.toModelMessages(session.contextMessages(), model),
        tools: parts.tools(),
      };
      const request = {
        signal: this.#signal,
        apiKey: credentials.apiKey,
        headers: { ...credentials.headers },
        thinkingLevel: this.#options.thinkingLevel(),
        thinkingBudgets: this.#options.thinkingBudgets,
        sessionId: session.id,
        idleTimeoutMs: this.#options.idleTimeoutMs,
      };
      const answer = await askModel(model, stream, context, request, emit, now);
      this.#options.budget.turn(answer.message.usage);
      return answer;
    } catch (error) {
      log.debug('a request could not be made', { error: messageOf(error) });
      return own(this.#signal.aborted ? 'aborted' : 'error', messageOf(error));
    }
  }
}
