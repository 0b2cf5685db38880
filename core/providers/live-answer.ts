import { shortId } from '../base/id.js';
import type { AssistantContent, TextContent, ThinkingContent, ToolCall } from '../protocol/content.js';
import type { AssistantMessage, StopReason } from '../protocol/messages.js';
import type { Model } from '../protocol/model.js';
import type { ModelStreamEvent } from '../protocol/model-stream.js';
import { noUsage } from '../protocol/no-usage.js';
import { parseArguments } from './lenient-json.js';
import { priceUsage } from './usage-cost.js';

interface OpenBlock {
  block: AssistantContent;
  contentIndex: number;
  /** The arguments of a tool call as text so far. */
  json: string;
  closed: boolean;
}
export type OpenText = OpenBlock & { block: TextContent };
export type OpenThinking = OpenBlock & { block: ThinkingContent };
export type OpenCall = OpenBlock & { block: ToolCall };

/**
 * The one message of an answer, growing in place, and the events that say how. The dialects tell it what arrived; it keeps
 * the order of the contract: `start` before the first block, ends once, arguments parsed when a call is whole.
 */
export class LiveAnswer {
  readonly message: AssistantMessage;
  readonly #model: Model;
  readonly #emit: (event: ModelStreamEvent) => void;
  readonly #open: OpenBlock[] = [];
  #started = false;

  constructor(model: Model, emit: (event: ModelStreamEvent) => void, now: number) {
    this.#model = model;
    this.#emit = emit;
    this.message = {
      role: 'assistant',
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: noUsage(),
      stopReason: 'pending',
      timestamp: now,
    };
  }

  get hasCalls(): boolean {
    return this.#open.some(({ block }) => block.type === 'toolCall');
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#emit({ type: 'start', message: this.message });
  }

  openText(): OpenText {
    const open = this.#add<TextContent>({ type: 'text', text: '' });
    this.#emit({ type: 'text_start', contentIndex: open.contentIndex });
    return open;
  }

  openThinking(): OpenThinking {
    const open = this.#add<ThinkingContent>({ type: 'thinking', thinking: '' });
    this.#emit({ type: 'thinking_start', contentIndex: open.contentIndex });
    return open;
  }

  /** A call without an id (some local servers) gets one: its result must be able to name it. */
  openCall(id: string | undefined, name: string): OpenCall {
    const open = this.#add<ToolCall>({ type: 'toolCall', id: id || `call_${shortId()}`, name, arguments: {} });
    this.#emit({ type: 'toolcall_start', contentIndex: open.contentIndex, id: open.block.id, toolName: name });
    return open;
  }

  addText(open: OpenText, delta: string): void {
    if (delta === '') return;
    open.block.text += delta;
    this.#emit({ type: 'text_delta', contentIndex: open.contentIndex, delta });
  }

  addThinking(open: OpenThinking, delta: string): void {
    if (delta === '') return;
    open.block.thinking += delta;
    this.#emit({ type: 'thinking_delta', contentIndex: open.contentIndex, delta });
  }

  addArguments(open: OpenCall, delta: string): void {
    if (delta === '') return;
    open.json += delta;
    this.#emit({ type: 'toolcall_delta', contentIndex: open.contentIndex, delta });
  }

  /** Ends a block once; later calls do nothing. */
  close(open: OpenBlock): void {
    if (open.closed) return;
    open.closed = true;
    const { block, contentIndex } = open;
    if (block.type === 'text') this.#emit({ type: 'text_end', contentIndex, content: block.text });
    else if (block.type === 'thinking') this.#emit({ type: 'thinking_end', contentIndex, content: block.thinking });
    else {
      block.arguments = parseArguments(open.json);
      this.#emit({ type: 'toolcall_end', contentIndex, toolCall: block });
    }
  }

  closeAll(): void {
    for (const open of this.#open) this.close(open);
  }

  /** Call after `usage` changed. */
  price(): void {
    priceUsage(this.message.usage, this.#model);
  }

  /** The whole answer is here. */
  finish(stopReason: StopReason): void {
    this.start();
    this.closeAll();
    this.message.stopReason = stopReason;
  }

  /** Keeps what had arrived. Blocks that were not whole get no end, their calls the arguments that can be read. */
  fail(stopReason: 'error' | 'aborted', errorMessage: string): void {
    for (const { block, json, closed } of this.#open) {
      if (!closed && block.type === 'toolCall') block.arguments = parseArguments(json);
    }
    this.message.stopReason = stopReason;
    this.message.errorMessage = errorMessage;
    this.start();
  }

  #add<B extends AssistantContent>(block: B): OpenBlock & { block: B } {
    this.start();
    const open = { block, contentIndex: this.message.content.length, json: '', closed: false };
    this.message.content.push(block);
    this.#open.push(open);
    return open;
  }
}
