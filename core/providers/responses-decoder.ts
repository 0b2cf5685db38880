import type { LiveAnswer, OpenCall, OpenText, OpenThinking } from './live-answer.js';
import { type AnswerDecoder, declinedError, reportedError } from './stream-answer.js';
import { listOf, numberOf, textOf, type Wire, wireOf } from './wire-values.js';

type OpenItem =
  | { kind: 'text'; open: OpenText }
  | { kind: 'thinking'; open: OpenThinking; parts: number }
  | { kind: 'call'; open: OpenCall };

const BETWEEN_PARTS = '\n\n';

/** Reads the events of the Responses API; each item ends before the next one starts. */
export class ResponsesDecoder implements AnswerDecoder {
  readonly #answer: LiveAnswer;
  readonly #items = new Map<number, OpenItem>();

  constructor(answer: LiveAnswer) {
    this.#answer = answer;
  }

  event(data: Wire): boolean {
    switch (data.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#text(data);
        return false;
      case 'response.function_call_arguments.delta':
        this.#arguments(data);
        return false;
      case 'response.reasoning_summary_part.added':
      case 'response.content_part.added':
        this.#thinkingPart(data);
        return false;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#thinking(data);
        return false;
      case 'response.output_item.added':
        this.#added(indexOf(data), wireOf(data.item) ?? {});
        return false;
      case 'response.output_item.done':
        this.#done(indexOf(data), wireOf(data.item) ?? {});
        return false;
      case 'response.created':
      case 'response.in_progress': {
        const id = textOf(wireOf(data.response)?.id);
        if (id !== undefined) this.#answer.message.responseId = id;
        return false;
      }
      case 'response.completed':
      case 'response.incomplete':
        this.#finish(wireOf(data.response) ?? {});
        return true;
      case 'response.failed': {
        const response = wireOf(data.response) ?? {};
        this.#usage(wireOf(response.usage));
        throw reportedError({ error: response.error ?? { code: 'server_error', message: 'The response failed' } });
      }
      case 'error':
        throw reportedError(wireOf(data.error) ? { error: data.error } : { error: { code: data.code, message: data.message } });
      default:
        return false;
    }
  }

  /** Without its last event the answer may have been cut. */
  end(): boolean {
    return false;
  }

  #added(index: number, item: Wire): void {
    if (item.type === 'message') this.#items.set(index, { kind: 'text', open: this.#answer.openText() });
    else if (item.type === 'reasoning') this.#items.set(index, { kind: 'thinking', open: this.#answer.openThinking(), parts: 0 });
    else if (item.type === 'function_call') {
      const open = this.#answer.openCall(callId(item), textOf(item.name) ?? '');
      this.#items.set(index, { kind: 'call', open });
      this.#answer.addArguments(open, textOf(item.arguments) ?? '');
    }
  }

  #text(data: Wire): void {
    const item = this.#items.get(indexOf(data));
    if (item?.kind === 'text') this.#answer.addText(item.open, textOf(data.delta) ?? '');
  }

  #arguments(data: Wire): void {
    const item = this.#items.get(indexOf(data));
    if (item?.kind === 'call') this.#answer.addArguments(item.open, textOf(data.delta) ?? '');
  }

  #thinkingPart(data: Wire): void {
    const item = this.#items.get(indexOf(data));
    if (item?.kind !== 'thinking') return;
    if (item.parts++ > 0) this.#answer.addThinking(item.open, BETWEEN_PARTS);
  }

  #thinking(data: Wire): void {
    const item = this.#items.get(indexOf(data));
    if (item?.kind === 'thinking') this.#answer.addThinking(item.open, textOf(data.delta) ?? '');
  }

  /** The whole item: what no delta brought is taken from it, and what must be sent back next time is kept. */
  #done(index: number, item: Wire): void {
    if (!this.#items.has(index)) this.#added(index, { ...item, arguments: '' });
    const part = this.#items.get(index);
    if (!part) return;
    this.#items.delete(index);
    const answer = this.#answer;
    if (part.kind === 'text') {
      if (part.open.block.text === '') answer.addText(part.open, contentText(item));
      const phase = textOf(item.phase);
      const id = textOf(item.id);
      if (id) part.open.block.textSignature = JSON.stringify({ v: 1, id, ...(phase === undefined ? {} : { phase }) });
    } else if (part.kind === 'thinking') {
      if (part.open.block.thinking === '') answer.addThinking(part.open, summaryText(item));
      part.open.block.thinkingSignature = JSON.stringify(item);
    } else if (part.open.json === '') {
      answer.addArguments(part.open, textOf(item.arguments) ?? '');
    }
    answer.close(part.open);
  }

  #usage(sent: Wire | undefined): void {
    if (!sent) return;
    const { usage } = this.#answer.message;
    const details = wireOf(sent.input_tokens_details);
    usage.cacheRead = numberOf(details?.cached_tokens) ?? 0;
    usage.cacheWrite = numberOf(details?.cache_write_tokens) ?? 0;
    usage.input = Math.max(0, (numberOf(sent.input_tokens) ?? 0) - usage.cacheRead - usage.cacheWrite);
    usage.output = numberOf(sent.output_tokens) ?? 0;
    usage.reasoning = numberOf(wireOf(sent.output_tokens_details)?.reasoning_tokens) ?? 0;
    this.#answer.price();
  }

  #finish(response: Wire): void {
    const { message } = this.#answer;
    const id = textOf(response.id);
    if (id !== undefined) message.responseId = id;
    this.#usage(wireOf(response.usage));
    const status = textOf(response.status) ?? 'completed';
    const reason = textOf(wireOf(response.incomplete_details)?.reason);
    message.rawStopReason = status === 'incomplete' && reason !== undefined ? `incomplete.${reason}` : status;
    if (status === 'incomplete' && reason === 'content_filter') {
      this.#answer.closeAll();
      throw declinedError('A filter of the provider stopped the answer (incomplete: content_filter)');
    }
    if (status === 'incomplete') this.#answer.finish('length');
    else this.#answer.finish(this.#answer.hasCalls ? 'toolUse' : 'stop');
  }
}

const indexOf = (data: Wire): number => numberOf(data.output_index) ?? 0;

/** Both ids of a call: results name the first, replaying the item wants the second. */
function callId(item: Wire): string | undefined {
  const call = textOf(item.call_id);
  const id = textOf(item.id);
  if (!call) return id;
  return id ? `${call}|${id}` : call;
}

const contentText = (item: Wire): string =>
  listOf(item.content)
    .map((part) => textOf(part.text) ?? textOf(part.refusal) ?? '')
    .join('');

function summaryText(item: Wire): string {
  const parts = listOf(item.summary);
  return (parts.length > 0 ? parts : listOf(item.content)).map((part) => textOf(part.text) ?? '').join(BETWEEN_PARTS);
}
