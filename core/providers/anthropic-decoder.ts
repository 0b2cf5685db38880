import type { StopReason } from '../protocol/messages.js';
import type { LiveAnswer, OpenCall, OpenText, OpenThinking } from './live-answer.js';
import { type AnswerDecoder, declinedError, reportedError } from './stream-answer.js';
import { numberOf, textOf, type Wire, wireOf } from './wire-values.js';

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'toolUse',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
};

type OpenPart = { kind: 'text'; open: OpenText } | { kind: 'thinking'; open: OpenThinking } | { kind: 'call'; open: OpenCall };

/** Reads Anthropic's events; each block ends before the next one starts. */
export class AnthropicDecoder implements AnswerDecoder {
  readonly #answer: LiveAnswer;
  readonly #parts = new Map<number, OpenPart>();
  #rawStop: string | undefined;

  constructor(answer: LiveAnswer) {
    this.#answer = answer;
  }

  event(data: Wire): boolean {
    switch (data.type) {
      case 'content_block_delta':
        this.#delta(numberOf(data.index) ?? 0, wireOf(data.delta) ?? {});
        return false;
      case 'content_block_start':
        this.#start(numberOf(data.index) ?? 0, wireOf(data.content_block) ?? {});
        return false;
      case 'content_block_stop':
        this.#stop(numberOf(data.index) ?? 0);
        return false;
      case 'message_start': {
        const message = wireOf(data.message);
        const id = textOf(message?.id);
        if (id !== undefined) this.#answer.message.responseId = id;
        this.#usage(wireOf(message?.usage));
        return false;
      }
      case 'message_delta':
        this.#rawStop = textOf(wireOf(data.delta)?.stop_reason) ?? this.#rawStop;
        this.#usage(wireOf(data.usage));
        return false;
      case 'message_stop':
        this.#finish();
        return true;
      case 'error':
        throw reportedError(data);
      default:
        return false;
    }
  }

  /** Without `message_stop` the answer may have been cut. */
  end(): boolean {
    return false;
  }

  #start(index: number, block: Wire): void {
    const answer = this.#answer;
    switch (block.type) {
      case 'text': {
        const open = answer.openText();
        this.#parts.set(index, { kind: 'text', open });
        answer.addText(open, textOf(block.text) ?? '');
        return;
      }
      case 'thinking': {
        const open = answer.openThinking();
        open.block.thinkingSignature = textOf(block.signature) ?? '';
        this.#parts.set(index, { kind: 'thinking', open });
        answer.addThinking(open, textOf(block.thinking) ?? '');
        return;
      }
      case 'redacted_thinking': {
        const open = answer.openThinking();
        open.block.redacted = true;
        open.block.thinkingSignature = textOf(block.data) ?? '';
        this.#parts.set(index, { kind: 'thinking', open });
        return;
      }
      case 'tool_use': {
        const open = answer.openCall(textOf(block.id), textOf(block.name) ?? '');
        this.#parts.set(index, { kind: 'call', open });
        // Some compatible servers send the whole input at once.
        const input = wireOf(block.input);
        if (input && Object.keys(input).length > 0) answer.addArguments(open, JSON.stringify(input));
        return;
      }
      default:
      // Blocks of tools that run at the provider; we ask for none.
    }
  }

  #delta(index: number, delta: Wire): void {
    const part = this.#parts.get(index);
    if (!part) return;
    const answer = this.#answer;
    if (part.kind === 'text') {
      if (delta.type === 'text_delta') answer.addText(part.open, textOf(delta.text) ?? '');
    } else if (part.kind === 'call') {
      if (delta.type === 'input_json_delta') answer.addArguments(part.open, textOf(delta.partial_json) ?? '');
    } else if (delta.type === 'thinking_delta') {
      answer.addThinking(part.open, textOf(delta.thinking) ?? '');
    } else if (delta.type === 'signature_delta') {
      part.open.block.thinkingSignature = `${part.open.block.thinkingSignature ?? ''}${textOf(delta.signature) ?? ''}`;
    }
  }

  #stop(index: number): void {
    const part = this.#parts.get(index);
    if (!part) return;
    this.#parts.delete(index);
    this.#answer.close(part.open);
  }

  /** Counts are totals so far; those that a later event leaves out stay. */
  #usage(sent: Wire | undefined): void {
    if (!sent) return;
    const { usage } = this.#answer.message;
    usage.input = numberOf(sent.input_tokens) ?? usage.input;
    usage.output = numberOf(sent.output_tokens) ?? usage.output;
    usage.cacheRead = numberOf(sent.cache_read_input_tokens) ?? usage.cacheRead;
    usage.cacheWrite = numberOf(sent.cache_creation_input_tokens) ?? usage.cacheWrite;
    usage.cacheWrite1h = numberOf(wireOf(sent.cache_creation)?.ephemeral_1h_input_tokens) ?? usage.cacheWrite1h ?? 0;
    this.#answer.price();
  }

  #finish(): void {
    const raw = this.#rawStop;
    if (raw !== undefined) this.#answer.message.rawStopReason = raw;
    if (raw === 'refusal') {
      this.#answer.closeAll();
      throw declinedError('The model declined to answer (stop reason "refusal")');
    }
    this.#answer.finish(STOP_REASONS[raw ?? ''] ?? (this.#answer.hasCalls ? 'toolUse' : 'stop'));
  }
}
