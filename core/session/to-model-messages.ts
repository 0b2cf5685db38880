import type { ToolCall } from '../protocol/content.js';
import type { AgentMessage, AssistantMessage, ModelMessage, ToolResultMessage, UserMessage } from '../protocol/messages.js';
import type { Model } from '../protocol/model.js';
import { Memo } from './memo.js';
import { bashText, branchText, compactionText } from './message-texts.js';
import { isOwnAnswer, sendableAnswer, sendableResult, sendableUser } from './model-content.js';
import { limitImages } from './model-images.js';
import { CallIds } from './tool-call-ids.js';

const INTERRUPTED = 'The tool call was interrupted before it gave a result.';

/** Stands before a history whose beginning is lost: providers want the user to speak first. */
const LOST_BEGINNING: UserMessage = {
  role: 'user',
  content: [{ type: 'text', text: '(The beginning of this conversation is not available.)' }],
  timestamp: 0,
};

/** What a stored message is for a model; `null` when it is nothing. */
type Made = ModelMessage | null;
const made = new Memo<AgentMessage, Made>();
const renamed = new Memo<ModelMessage, ModelMessage>();
const emptyPrompts = new Memo<UserMessage, ModelMessage>();
const interrupted = new Memo<AssistantMessage, ToolResultMessage>();

/**
 * Turns a stored branch into messages that are valid for `model`, whatever happened to the branch: each tool call has exactly
 * one result, directly after it and in the order of the calls; nothing is empty; signatures go only to the model that made them;
 * text is well-formed; images fit a budget (newest kept); the user speaks first. Failed and aborted answers are left out.
 * Messages of one role may follow each other: joining them is the dialect's business.
 *
 * Pure. The same stored messages give the same objects, so adapters may cache by them too. Source: FACTS of the transcripts
 * (bash text, omitted images, aborted answers); compaction document.
 */
export function toModelMessages(messages: readonly AgentMessage[], model: Model): readonly ModelMessage[] {
  const request = new RequestBuilder(model);
  for (const message of messages) request.add(message);
  return request.finish();
}

class RequestBuilder {
  readonly #model: Model;
  /** What the conversion of a message depends on besides the message. */
  readonly #variant: string;
  readonly #out: ModelMessage[] = [];
  readonly #ids = new CallIds();
  /** An answer whose calls still take results, and what was said meanwhile. */
  #open: OpenCalls | undefined;
  /** A prompt without content that nothing followed yet. */
  #emptyPrompt: UserMessage | undefined;

  constructor(model: Model) {
    this.#model = model;
    this.#variant = model.input.includes('image') ? 'images' : 'text';
  }

  add(message: AgentMessage): void {
    if (message.role === 'assistant') this.#addAnswer(message);
    else if (message.role === 'toolResult') this.#addResult(message);
    else this.#addSaid(message);
  }

  finish(): readonly ModelMessage[] {
    this.#close();
    const out = this.#out;
    if (this.#emptyPrompt && (out.length === 0 || out.at(-1)?.role === 'assistant')) out.push(emptyPrompt(this.#emptyPrompt));
    if (out.length > 0 && out[0]?.role !== 'user') out.unshift(LOST_BEGINNING);
    return limitImages(out);
  }

  #addAnswer(message: AssistantMessage): void {
    // Aborted, failed and never finished answers are not part of what was said.
    if (message.stopReason === 'aborted' || message.stopReason === 'error' || message.stopReason === 'pending') return;
    const model = this.#model;
    const isOwn = isOwnAnswer(message, model);
    // No signature is left in another model's answer, so it is the same for all the others.
    const answer = made.get(message, isOwn ? 'own' : 'foreign', () => sendableAnswer(message, model) ?? null);
    if (answer?.role !== 'assistant') return;
    this.#close();
    this.#emptyPrompt = undefined;
    const calls = answer.content.filter((block) => block.type === 'toolCall');
    if (calls.length === 0) {
      this.#out.push(answer);
      return;
    }
    const ids = calls.map((call) => this.#ids.take(call.id, isOwn, model.api));
    const isSame = ids.every((id, at) => id === calls[at]?.id);
    const sent = isSame ? answer : renamed.get(answer, ids.join(' '), () => withCallIds(answer, ids));
    this.#open = { answer, sent, calls, ids, results: new Map(), said: [] };
  }

  #addResult(message: ToolResultMessage): void {
    const open = this.#open;
    // No answer asked for it any more: it is left out with the answer.
    if (!open?.calls.some((call) => call.id === message.toolCallId)) return;
    const queue = open.results.get(message.toolCallId);
    if (queue) queue.push(message);
    else open.results.set(message.toolCallId, [message]);
  }

  #addSaid(message: Exclude<AgentMessage, AssistantMessage | ToolResultMessage>): void {
    const said = made.get(message, this.#variant, () => sendableSaid(message, this.#model) ?? null);
    if (!said) {
      if (message.role === 'user') this.#emptyPrompt = message;
      return;
    }
    this.#emptyPrompt = undefined;
    if (this.#open) this.#open.said.push(said);
    else this.#out.push(said);
  }

  /** Writes the open answer, its results in the order of its calls, and what was said while they ran. */
  #close(): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    this.#out.push(open.sent);
    for (const [at, call] of open.calls.entries()) {
      const id = open.ids[at] ?? call.id;
      const stored = open.results.get(call.id)?.shift();
      this.#out.push(stored ? this.#result(stored, id, call.name) : missingResult(open.answer, id, call.name));
    }
    this.#out.push(...open.said);
  }

  #result(stored: ToolResultMessage, toolCallId: string, toolName: string): ModelMessage {
    const result = made.get(stored, this.#variant, () => sendableResult(stored, this.#model));
    if (result?.role !== 'toolResult') return stored; // a result is always made of a result
    if (result.toolCallId === toolCallId && result.toolName === toolName) return result;
    return renamed.get(result, `${toolCallId} ${toolName}`, () => ({ ...result, toolCallId, toolName }));
  }
}

interface OpenCalls {
  answer: AssistantMessage;
  /** The answer with the ids it is sent with. */
  sent: ModelMessage;
  calls: ToolCall[];
  ids: string[];
  results: Map<string, ToolResultMessage[]>;
  said: ModelMessage[];
}

function sendableSaid(
  message: Exclude<AgentMessage, AssistantMessage | ToolResultMessage>,
  model: Model,
): UserMessage | undefined {
  const { timestamp } = message;
  const text = (content: string) => sendableUser({ content: [{ type: 'text', text: content }], timestamp }, model);
  switch (message.role) {
    case 'user':
    case 'custom':
      return sendableUser(message, model);
    case 'bashExecution':
      return message.excludeFromContext ? undefined : text(bashText(message));
    case 'branchSummary':
      return text(branchText(message));
    case 'compactionSummary':
      return text(compactionText(message));
    default:
      // Roles of other programs are kept in the session and mean nothing to a model.
      return undefined;
  }
}

function emptyPrompt(message: UserMessage): ModelMessage {
  const { timestamp } = message;
  return emptyPrompts.get(message, '', () => ({
    role: 'user',
    content: [{ type: 'text', text: '(The message is empty.)' }],
    timestamp,
  }));
}

function withCallIds(answer: AssistantMessage, ids: readonly string[]): AssistantMessage {
  let at = 0;
  return {
    ...answer,
    content: answer.content.map((block) => (block.type === 'toolCall' ? { ...block, id: ids[at++] ?? block.id } : block)),
  };
}

function missingResult(answer: AssistantMessage, toolCallId: string, toolName: string): ToolResultMessage {
  return interrupted.get(answer, `${toolCallId} ${toolName}`, () => ({
    role: 'toolResult',
    toolCallId,
    toolName,
    content: [{ type: 'text', text: INTERRUPTED }],
    isError: true,
    timestamp: answer.timestamp,
  }));
}
