import type { StopReason } from '../protocol/messages.js';
import { REASONING_FIELDS } from './completions-request.js';
import type { LiveAnswer, OpenCall, OpenText, OpenThinking } from './live-answer.js';
import type { Quirks } from './quirks.js';
import { type AnswerDecoder, declinedError, reportedError } from './stream-answer.js';
import { listOf, numberOf, textOf, type Wire, wireOf } from './wire-values.js';

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  end: 'stop',
  eos: 'stop',
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'toolUse',
  function_call: 'toolUse',
};

interface StreamedCall {
  open: OpenCall;
  index: number | undefined;
  /** The provider's id; ours when it gave none. */
  id: string | undefined;
}

/** Reads Chat Completions chunks. Nothing says that a block ends: all ends come with the end of the answer. */
export class CompletionsDecoder implements AnswerDecoder {
  readonly #answer: LiveAnswer;
  readonly #quirks: Quirks;
  readonly #calls: StreamedCall[] = [];
  /** Encrypted reasoning that came before the call it belongs to, by the call's id. */
  readonly #signatures = new Map<string, string>();
  #last: { kind: 'text'; open: OpenText } | { kind: 'thinking'; open: OpenThinking } | undefined;
  #rawStop: string | undefined;

  constructor(answer: LiveAnswer, quirks: Quirks) {
    this.#answer = answer;
    this.#quirks = quirks;
  }

  event(chunk: Wire): boolean {
    if (chunk.error !== undefined && chunk.error !== null) throw reportedError(chunk);
    const id = textOf(chunk.id);
    if (id) this.#answer.message.responseId ??= id;
    const choice = listOf(chunk.choices)[0];
    if (choice) {
      const delta = wireOf(choice.delta);
      if (delta) this.#delta(delta);
      this.#rawStop = textOf(choice.finish_reason) || this.#rawStop;
      if (choice.error !== undefined && choice.error !== null) throw reportedError(choice);
    }
    this.#usage(wireOf(chunk.usage) ?? wireOf(choice?.usage));
    // The usage comes after the finish reason: only `[DONE]` or the end of the body ends the answer.
    return false;
  }

  end(): boolean {
    const raw = this.#rawStop;
    if (raw === undefined && (this.#quirks.supportsFinishReason || this.#answer.message.content.length === 0)) return false;
    if (raw !== undefined) this.#answer.message.rawStopReason = raw;
    if (raw === 'content_filter' || raw === 'sensitive') {
      this.#answer.closeAll();
      throw declinedError(`A filter of the provider stopped the answer (finish reason "${raw}")`);
    }
    if (raw === 'error' || raw === 'network_error')
      throw reportedError({ error: { code: 'upstream_error', message: `finish reason "${raw}"` } });
    const reason = STOP_REASONS[raw ?? ''] ?? 'stop';
    this.#sign();
    this.#answer.finish(reason === 'stop' && this.#answer.hasCalls ? 'toolUse' : reason);
    return true;
  }

  #delta(delta: Wire): void {
    for (const field of REASONING_FIELDS) {
      const thinking = textOf(delta[field]);
      if (!thinking) continue;
      const open = this.#thinking();
      open.block.thinkingSignature ??= field;
      this.#answer.addThinking(open, thinking);
      break;
    }
    const text = textOf(delta.content) || textOf(delta.refusal);
    if (text) this.#answer.addText(this.#text(), text);
    if (delta.tool_calls !== undefined) for (const call of listOf(delta.tool_calls)) this.#call(call);
    for (const detail of listOf(delta.reasoning_details)) {
      const owner = textOf(detail.id);
      if (detail.type === 'reasoning.encrypted' && owner) this.#signatures.set(owner, JSON.stringify(detail));
    }
  }

  #text(): OpenText {
    if (this.#last?.kind === 'text') return this.#last.open;
    const open = this.#answer.openText();
    this.#last = { kind: 'text', open };
    return open;
  }

  #thinking(): OpenThinking {
    if (this.#last?.kind === 'thinking') return this.#last.open;
    const open = this.#answer.openThinking();
    this.#last = { kind: 'thinking', open };
    return open;
  }

  #call(delta: Wire): void {
    const named = wireOf(delta.function);
    const index = numberOf(delta.index);
    const id = textOf(delta.id) || undefined;
    let call = this.#find(index, id);
    if (!call) {
      // Text after a call is another block.
      this.#last = undefined;
      call = { open: this.#answer.openCall(id, textOf(named?.name) ?? ''), index, id };
      this.#calls.push(call);
    } else if (call.open.block.name === '') {
      call.open.block.name = textOf(named?.name) ?? '';
    }
    const google = wireOf(wireOf(delta.extra_content)?.google);
    if (google) call.open.block.thoughtSignature = JSON.stringify({ google });
    const args = named?.arguments;
    // Some servers give the arguments as the object they are.
    this.#answer.addArguments(call.open, textOf(args) ?? (wireOf(args) ? JSON.stringify(args) : ''));
  }

  /** By index; services that leave it out, or number all calls 0, tell them apart by id. */
  #find(index: number | undefined, id: string | undefined): StreamedCall | undefined {
    if (index === undefined && id === undefined) return this.#calls.at(-1);
    return this.#calls.findLast((call) => (index === undefined || call.index === index) && (id === undefined || call.id === id));
  }

  #sign(): void {
    for (const { open } of this.#calls) {
      const signature = this.#signatures.get(open.block.id);
      if (signature !== undefined) open.block.thoughtSignature = signature;
    }
  }

  #usage(sent: Wire | undefined): void {
    if (!sent) return;
    const { usage } = this.#answer.message;
    const prompt = wireOf(sent.prompt_tokens_details);
    const input = numberOf(sent.prompt_tokens) ?? 0;
    const output = numberOf(sent.completion_tokens) ?? 0;
    const reasoning = numberOf(wireOf(sent.completion_tokens_details)?.reasoning_tokens) ?? 0;
    usage.cacheRead =
      numberOf(prompt?.cached_tokens) ?? numberOf(sent.prompt_cache_hit_tokens) ?? numberOf(sent.cached_tokens) ?? 0;
    usage.cacheWrite = numberOf(prompt?.cache_write_tokens) ?? 0;
    usage.input = Math.max(0, input - usage.cacheRead - usage.cacheWrite);
    // xAI counts reasoning beside the completion, which the total gives away.
    const isBeside = reasoning > 0 && numberOf(sent.total_tokens) === input + output + reasoning;
    usage.output = isBeside ? output + reasoning : output;
    usage.reasoning = reasoning;
    this.#answer.price();
  }
}
