import { CodedError, isCoded, messageOf } from '../base/coded-error.js';
import { BASE_ERRORS } from '../base/errors.js';
import type { ModelAnswer, ModelRequest, ModelStreamEvent } from '../protocol/model-stream.js';
import { refusalText, shorten, withoutSecrets } from './error-text.js';
import { PROVIDER_ERRORS } from './errors.js';
import { classifyFailure } from './failure.js';
import { HttpCall, streamEnded, type WireResponse } from './http.js';
import { LiveAnswer } from './live-answer.js';
import { payloadText, type RequestBody } from './request-body.js';
import { SseParser } from './sse.js';

/** Headers of one request; `null` takes away one that the SDK would send. */
export type WireHeaders = Record<string, string | null>;

/** What the driver needs of an SDK's client. */
export interface WireClient {
  post(
    path: string,
    options: { body: string; headers: WireHeaders; stream: true; fetchOptions: object },
  ): {
    asResponse(): Promise<unknown>;
  };
}

/** Reads one answer; fed with each event's parsed JSON. */
export interface AnswerDecoder {
  /** Returns true once the answer is whole. Throws for an error that the provider reports. */
  event(data: Record<string, unknown>): boolean;
  /** The body has ended: completes the answer, or returns false when it was not whole. */
  end(): boolean;
}

/** A provider's way to be asked and to answer. */
export interface Dialect {
  path: string;
  client(request: ModelRequest): Promise<WireClient>;
  headers(request: ModelRequest): WireHeaders;
  body(request: ModelRequest): RequestBody;
  decoder(answer: LiveAnswer, request: ModelRequest): AnswerDecoder;
}

const DONE = '[DONE]';

/** Asks in `dialect` and streams the answer: the one place where requests fail, whatever the provider. Never rejects. */
export async function streamAnswer(
  request: ModelRequest,
  emit: (event: ModelStreamEvent) => void,
  dialect: Dialect,
): Promise<ModelAnswer> {
  const { model, options } = request;
  const answer = new LiveAnswer(model, emit, Date.now());
  const call = new HttpCall(options.signal, options.idleTimeoutMs);
  let isWhole = false;
  try {
    options.signal.throwIfAborted();
    const response = await open(request, dialect, call);
    await readAnswer(call, response, dialect.decoder(answer, request), options.signal);
    isWhole = true;
    return { message: answer.message };
  } catch (error) {
    return await failed(error, request, answer, call);
  } finally {
    call.release(isWhole);
  }
}

async function open(request: ModelRequest, dialect: Dialect, call: HttpCall): Promise<WireResponse> {
  const { onPayload, onResponse } = request.options;
  const client = await dialect.client(request);
  const body = await payloadText(dialect.body(request), onPayload);
  const headers = { ...dialect.headers(request), 'content-type': 'application/json', accept: 'text/event-stream' };
  try {
    await client.post(dialect.path, { body, headers, stream: true, fetchOptions: { call } }).asResponse();
  } finally {
    // The SDK throws for a refusal: that is a response too.
    const { response } = call;
    if (response) await onResponse?.({ status: response.status, headers: Object.fromEntries(response.headers) });
  }
  if (!call.response) throw call.failure ?? streamEnded();
  return call.response;
}

/** Parses all events of a chunk at once, and stops at the end of the answer, though the connection may stay open. */
async function readAnswer(call: HttpCall, response: WireResponse, decoder: AnswerDecoder, signal: AbortSignal): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (/\b(?:json|html)\b/i.test(type)) {
    const body = await response.text();
    throw new CodedError(
      PROVIDER_ERRORS.NOT_A_STREAM,
      `The provider answered with ${type}, not an event stream: ${shorten(body)}`,
      {
        data: { body },
      },
    );
  }
  let isDone = false;
  const parser = new SseParser((data) => {
    isDone = data === DONE ? decoder.end() || isDone : decoder.event(parseEvent(data));
    // A caller who aborted within an event wants no further one.
    if (isDone || signal.aborted) parser.stop();
  });
  await call.read((chunk) => {
    parser.push(chunk);
    return !isDone;
  });
  if (isDone) return;
  parser.end();
  if (!isDone && !decoder.end()) throw streamEnded();
}

function parseEvent(data: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch (cause) {
    throw new CodedError(PROVIDER_ERRORS.STREAM_MALFORMED, `The provider sent an event that is not JSON: ${data.slice(0, 200)}`, {
      cause,
    });
  }
  // Keep-alives of some gateways (`null`, numbers) say nothing.
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
}

async function failed(error: unknown, request: ModelRequest, answer: LiveAnswer, call: HttpCall): Promise<ModelAnswer> {
  const { message } = answer;
  if (request.options.signal.aborted || isCoded(error, BASE_ERRORS.ABORTED)) {
    answer.fail('aborted', 'Request was aborted');
    return { message };
  }
  const { response } = call;
  if (response && !response.ok) {
    const body = await response.text().catch((cause: unknown) => messageOf(cause));
    answer.fail('error', withoutSecrets(refusalText(response.status, body), request));
    return { message, failure: classifyFailure({ status: response.status, body, headers: response.headers }) };
  }
  // Before a response the SDK only wraps what our transport threw; after it errors are our own.
  const cause = call.failure ?? error;
  answer.fail('error', withoutSecrets(shorten(messageOf(cause)), request));
  return {
    message,
    failure: classifyFailure(isCoded(cause) ? { ...cause.data, code: cause.code, message: cause.message } : cause),
  };
}

/** The error a provider reports within a stream that began well. `body` is what it sent. */
export function reportedError(body: unknown): CodedError {
  return new CodedError(PROVIDER_ERRORS.REPORTED, typeof body === 'string' ? body : JSON.stringify(body), { data: { body } });
}

/** The answer is no answer: the model refused, or a filter stopped it. */
export function declinedError(message: string): CodedError {
  return new CodedError(PROVIDER_ERRORS.DECLINED, message);
}
