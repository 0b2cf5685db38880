import { messageOf } from '../base/coded-error.js';
import type { Logger } from '../base/logger.js';
import type { AgentMessage } from '../protocol/messages.js';
import type { Model, ThinkingLevel } from '../protocol/model.js';
import type { ModelAnswer } from '../protocol/model-stream.js';
import { askModel, emptyAnswer } from './ask-model.js';
import type { Budget } from './budget.js';
import type { Conversation } from './conversation.js';
import { AGENT_ERRORS } from './errors.js';
import type { AgentHooks } from './hooks.js';
import type { ModelSource, RequestParts, SessionLog, ToModelMessages } from './ports.js';
import { requestHooks } from './request-hooks.js';

export interface TurnOptions {
  /** The one in force: a change counts from the next request. */
  model: () => Model;
  thinkingLevel: () => ThinkingLevel;
  thinkingBudgets: Partial<Record<ThinkingLevel, number>>;
  idleTimeoutMs: number;
  session: SessionLog;
  source: ModelSource;
  parts: RequestParts;
  /** Takes the place of the system prompt of `parts`. */
  systemPrompt: string | undefined;
  budget: Budget;
  toModelMessages: ToModelMessages;
  hooks: AgentHooks;
  log: Logger;
  now: () => number;
}

/**
 * Makes the request of one turn from what the session shows, lets the hooks have their say, and asks. Never rejects: what went
 * wrong before the model could be asked is an answer too. `message_end` is the caller's.
 */
export async function takeAnswer(options: TurnOptions, conversation: Conversation): Promise<ModelAnswer> {
  const { source, parts, session, now, log } = options;
  const model = options.model();
  const { signal } = conversation.patience;
  const own = async (stopReason: 'error' | 'aborted', text: string): Promise<ModelAnswer> => {
    const message = emptyAnswer(model, stopReason, text, now());
    await conversation.tell({ type: 'message_start', message });
    return stopReason === 'error' ? { message, failure: { kind: 'fatal' } } : { message };
  };
  if (signal.aborted) return own('aborted', 'Request was aborted');
  const stream = source.streamOf(model);
  if (!stream) {
    const known = `the model ${model.provider}/${model.id} uses the API "${model.api}"`;
    return own('error', `${AGENT_ERRORS.UNKNOWN_API}: ${known}, which nothing here can speak`);
  }
  try {
    options.budget.check();
    const [credentials, systemPrompt] = await Promise.all([
      source.credentials(model),
      options.systemPrompt ?? parts.systemPrompt(),
    ]);
    const context = {
      systemPrompt,
      messages: options.toModelMessages(await contextOf(options, conversation), model),
      tools: parts.tools(),
    };
    const hooked = await requestHooks(options.hooks, credentials.headers, conversation.patience);
    const request = {
      signal,
      apiKey: credentials.apiKey,
      thinkingLevel: options.thinkingLevel(),
      thinkingBudgets: options.thinkingBudgets,
      sessionId: session.id,
      idleTimeoutMs: options.idleTimeoutMs,
      ...hooked,
    };
    const answer = await askModel(model, stream, context, request, conversation, now);
    options.budget.turn(answer.message.usage);
    return answer;
  } catch (error) {
    log.debug('a request could not be made', { error: messageOf(error) });
    return own(signal.aborted ? 'aborted' : 'error', signal.aborted ? 'Request was aborted' : messageOf(error));
  }
}

async function contextOf({ session, hooks }: TurnOptions, { patience }: Conversation): Promise<readonly AgentMessage[]> {
  const asked = hooks.context(session.contextMessages());
  return (asked && (await patience.answer(asked))) ?? session.contextMessages();
}
