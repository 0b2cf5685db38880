import type { ToolCall } from '../protocol/content.js';
import type { AgentMessage, AssistantMessage, ModelMessage, ToolResultMessage, UserMessage } from '../protocol/messages.js';
import type { Model } from '../protocol/model.js';
import { Memo } from './memo.js';
import { bashText, branchText, compactionText } from './message-texts.js';
import { isOwnAnswer, sendableAnswer, sendableResult, sendableUser } from './model-content.js';
import { type ImageHolder, imageSizes, limitImages } from './model-images.js';
import { CallIds } from './tool-call-ids.js';

const INTERRUPTED = 'The tool call was interrupted before it gave a result.';

/** Stands before a history whose beginning is lost: providers want the user to speak first. */
const LOST_BEGINNING: UserMessage = {
  role: 'user',
  content: [{ type: 'text', text: '(The beginning of this conversation is not available.)' }],
  timestamp: 0,
};

/** What a stored message is for a model; `null` when it is nothing. Only what differs from the stored message is remembered. */
type Made = ModelMessage | null;
const made = new Memo<AgentMessage, Made>();
const renamed = new Memo<ModelMessage, ModelMessage>();
const emptyPrompts = new Memo<UserMessage, ModelMessage>();
const interrupted = new Memo<AssistantMessage, ToolResultMessage>();

/** The work done for a list of messages, to go on with when the same list has grown. */
const begun = new WeakMap<readonly AgentMessage[], RequestBuilder>();

/**
 * Turns a stored branch into messages that are valid for `model`, whatever happened to the branch: each tool call has exactly
 * one result, directly after it and in the order of the calls; nothing is empty; signatures go only to the model that made them;
 * text is well-formed; images fit a budget (newest kept); the user speaks first. Failed and aborted answers are left out.
 * Messages of one role may follow each other: joining them is the dialect's business.
 *
 * Pure. The same stored messages give the same objects, so adapters may cache by them too; a list that has only grown since
 * the last call costs what is new. Source: transcripts (bash text, omitted images, aborted answers); compaction document.
 */
export function toModelMessages(messages: readonly AgentMessage[], model: Model): readonly ModelMessage[] {
  const earlier = begun.get(messages);
  const request = earlier?.isBeginningOf(messages, model) ? earlier : new RequestBuilder(model);
  if (request !== earlier) begun.set(messages, request);
  for (let at = request.size; at < messages.length; at++) {
    const message = messages[at];
    if (message) request.add(message);
  }
  return request.finish();
}

class RequestBuilder {
  readonly #model: Model;
  readonly #seesImages: boolean;
  /** What was added, to compare a list with. */
  readonly #added: AgentMessage[] = [];
  readonly #out: ModelMessage[] = [];
  readonly #images: ImageHolder[] = [];
  readonly #ids = new CallIds();
  /** An answer whose calls still take results, and what was said meanwhile. */
  #open: OpenCalls | undefined;
  /** A prompt without content that nothing followed yet. */
  #emptyPrompt: UserMessage | undefined;

  constructor(model: Model) {
    this.#model = model;
    this.#seesImages = model.input.includes('image');
  }

  get size(): number {
    return this.#added.length;
  }

  /** True when the list begins with exactly what was added, and the model is one that makes no difference. */
  isBeginningOf(messages: readonly AgentMessage[], model: Model): boolean {
    const { api, provider, id, input } = this.#model;
    if (model.api !== api || model.provider !== provider || model.id !== id) return false;
    if (model.input.includes('image') !== input.includes('image')) return false;
    return this.#added.every((message, at) => message === messages[at]);
  }

  add(message: AgentMessage): void {
    this.#added.push(message);
    if (message.role === 'assistant') this.#addAnswer(message);
    else if (message.role === 'toolResult') this.#addResult(message);
    else this.#addSaid(message);
  }

  /** The request so far. More may be added afterwards. */
  finish(): readonly ModelMessage[] {
    const out = [...this.#out];
    const images = [...this.#images];
    if (this.#open) for (const message of this.#written(this.#open)) push(message, out, images);
    if (this.#emptyPrompt && (out.length === 0 || out.at(-1)?.role === 'assistant')) out.push(emptyPrompt(this.#emptyPrompt));
    return limitImages(out, images);
  }

  #addAnswer(message: AssistantMessage): void {
    // Aborted, failed and never finished answers are not part of what was said.
    if (message.stopReason === 'aborted' || message.stopReason === 'error' || message.stopReason === 'pending') return;
    const model = this.#model;
    const isOwn = isOwnAnswer(message, model);
    // No signature is left in another model's answer, so it is the same for all the others.
    const answer = remembered(message, isOwn ? 'own' : 'foreign', () => sendableAnswer(message, model));
    if (answer?.role !== 'assistant') return;
    this.#close();
    this.#emptyPrompt = undefined;
    const calls = answer.content.filter((block) => block.type === 'toolCall');
    if (calls.length === 0) {
      push(answer, this.#out, this.#images);
      return;
    }
    const ids = calls.map((call) => this.#ids.take(call.id, isOwn, model.api));
    const isSame = ids.every((id, at) => id === calls[at]?.id);
    const sent = isSame ? answer : renamed.get(answer, ids.join(' '), () => withCallIds(answer, ids));
    this.#open = { answer, sent, calls, ids, results: [], said: [] };
  }

  #addResult(message: ToolResultMessage): void {
    // One that no answer asks for any more is left out with the answer.
    this.#open?.results.push(message);
  }

  #addSaid(message: Exclude<AgentMessage, AssistantMessage | ToolResultMessage>): void {
    const said = remembered(message, this.#seesImages ? 'images' : 'text', () => sendableSaid(message, this.#model));
    if (!said) {
      if (message.role === 'user') this.#emptyPrompt = message;
      return;
    }
    this.#emptyPrompt = undefined;
    if (this.#open) this.#open.said.push(said);
    else push(said, this.#out, this.#images);
  }

  #close(): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    for (const message of this.#written(open)) push(message, this.#out, this.#images);
  }

  /** An answer, its results in the order of its calls, and what was said while they ran. */
  #written(open: OpenCalls): ModelMessage[] {
    const results = new Map<string, ToolResultMessage[]>();
    for (const result of open.results) {
      const queue = results.get(result.toolCallId);
      if (queue) queue.push(result);
      else results.set(result.toolCallId, [result]);
    }
    const answers = open.calls.map((call, at) => {
      const id = open.ids[at] ?? call.id;
      const stored = results.get(call.id)?.shift();
      return stored ? this.#result(stored, id, call.name) : missingResult(open.answer, id, call.name);
    });
    return [open.sent, ...answers, ...open.said];
  }

  #result(stored: ToolResultMessage, toolCallId: string, toolName: string): ModelMessage {
    const variant = this.#seesImages ? 'images' : 'text';
    const result = remembered(stored, variant, () => sendableResult(stored, this.#model));
    if (result?.role !== 'toolResult') return stored; // a result is always made of a result
    if (result.toolCallId === toolCallId && result.toolName === toolName) return result;
    return renamed.get(result, `${toolCallId} ${toolName}`, () => ({ ...result, toolCallId, toolName }));
  }
}

/** Adds to a request; the user speaks first in it. */
function push(message: ModelMessage, out: ModelMessage[], images: ImageHolder[]): void {
  if (out.length === 0 && message.role !== 'user') out.push(LOST_BEGINNING);
  const sizes = imageSizes(message);
  if (sizes.length > 0) images.push({ at: out.length, sizes });
  out.push(message);
}

/** What `make` makes of a message: the message itself, or the same other object every time, or nothing. */
function remembered(message: AgentMessage, variant: string, make: () => ModelMessage | undefined): Made {
  const known = made.peek(message, variant);
  if (known !== undefined) return known;
  const value = make() ?? null;
  return value === message ? value : made.get(message, variant, () => value);
}

interface OpenCalls {
  answer: AssistantMessage;
  /** The answer with the ids it is sent with. */
  sent: ModelMessage;
  calls: ToolCall[];
  ids: string[];
  /** As they came; which call each answers is sorted out when they are written. */
  results: ToolResultMessage[];
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
