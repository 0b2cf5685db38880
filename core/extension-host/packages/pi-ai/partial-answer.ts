import type { AssistantContent, ToolCall } from '../../../protocol/content.js';
import type { AssistantMessage } from '../../../protocol/messages.js';
import type { Model } from '../../../protocol/model.js';
import type { ModelStreamEvent } from '../../../protocol/model-stream.js';
import { noUsage } from '../../../protocol/no-usage.js';
import type { AnswerEvent } from './answer-event.js';
import { parseStreamingJson } from './json.js';

/**
 * The message an answer has grown to, put together again from its steps, wherever they were made: what extensions read as `partial`.
 * One object for the whole answer; the final message takes its place in it.
 */
export class PartialAnswer {
  readonly message: AssistantMessage;
  /** Argument text of tool calls, by index. */
  readonly #json = new Map<number, string>();

  constructor(model: Model) {
    this.message = {
      role: 'assistant',
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: noUsage(),
      stopReason: 'pending',
      timestamp: Date.now(),
    };
  }

  apply(event: ModelStreamEvent): AnswerEvent {
    const { message } = this;
    switch (event.type) {
      case 'start': {
        // Its content may have grown since the step was made; the steps tell the same.
        const { content: _, ...rest } = event.message;
        Object.assign(message, rest);
        return { type: 'start', partial: message };
      }
      case 'text_start':
        this.#begin(event.contentIndex, { type: 'text', text: '' });
        break;
      case 'thinking_start':
        this.#begin(event.contentIndex, { type: 'thinking', thinking: '' });
        break;
      case 'toolcall_start':
        this.#begin(event.contentIndex, this.#call(event.contentIndex, event.id ?? '', event.toolName ?? ''));
        break;
      case 'text_delta':
      case 'thinking_delta':
      case 'toolcall_delta':
        this.#grow(event.contentIndex, event.delta);
        break;
      case 'text_end':
        message.content[event.contentIndex] = { ...message.content[event.contentIndex], type: 'text', text: event.content };
        break;
      case 'thinking_end':
        message.content[event.contentIndex] = {
          ...message.content[event.contentIndex],
          type: 'thinking',
          thinking: event.content,
        };
        break;
      case 'toolcall_end':
        message.content[event.contentIndex] = event.toolCall;
        break;
    }
    return { ...event, partial: message };
  }

  /** The last step: the whole message as the model's side knows it. */
  finish(whole: AssistantMessage): AnswerEvent {
    const message = Object.assign(this.message, whole);
    const { stopReason } = message;
    if (stopReason === 'error' || stopReason === 'aborted') return { type: 'error', reason: stopReason, error: message };
    return { type: 'done', reason: stopReason === 'pending' ? 'stop' : stopReason, message };
  }

  /** The last step of an answer that broke off. */
  fail(reason: 'error' | 'aborted', errorMessage: string): AnswerEvent {
    // What was read of the arguments so far becomes plain data.
    const content = this.message.content.map((block) =>
      block.type === 'toolCall' ? { ...block, arguments: block.arguments } : block,
    );
    return this.finish({ ...this.message, content, stopReason: reason, errorMessage });
  }

  #begin(index: number, block: AssistantContent): void {
    this.message.content[index] = block;
  }

  #grow(index: number, delta: string): void {
    const block = this.message.content[index];
    if (block?.type === 'text') block.text += delta;
    else if (block?.type === 'thinking') block.thinking += delta;
    else this.#json.set(index, (this.#json.get(index) ?? '') + delta);
  }

  /** Arguments are read when somebody looks: reading them at each step would cost the square of their length. */
  #call(index: number, id: string, name: string): ToolCall {
    const json = this.#json;
    let read = { text: '', value: {} };
    return {
      type: 'toolCall',
      id,
      name,
      get arguments() {
        const text = json.get(index) ?? '';
        if (text !== read.text) {
          const value = parseStreamingJson(text);
          read = { text, value: typeof value === 'object' && value !== null ? value : {} };
        }
        return read.value;
      },
    };
  }
}
