import { messageOf } from '../../../base/coded-error.js';
import type { AssistantMessage } from '../../../protocol/messages.js';
import type { Model } from '../../../protocol/model.js';
import type { ModelAnswer, ModelStreamEvent } from '../../../protocol/model-stream.js';
import { BUILT_IN_APIS } from '../../../providers/streams.js';
import { type WorkerServices, workerServices } from '../../contract/worker-services.js';
import { registeredApi } from './api-registry.js';
import { askHere } from './ask-here.js';
import { getEnvApiKey } from './env-keys.js';
import { AssistantMessageEventStream } from './event-stream.js';
import { isAskedByAgent } from './known-models.js';
import { PartialAnswer } from './partial-answer.js';
import { type Context, type StreamOptions, toRequestContext, toRequestOptions } from './stream-options.js';

export type { Context, StreamOptions } from './stream-options.js';

/**
 * Asks `model` and streams the answer; `result()` is the whole message. The agent asks, with its credentials, when it knows the model and
 * the call brings no key or callback of its own; else the request is made here. Failures are answers with `stopReason` `error` or
 * `aborted`. Throws for a model whose dialect nobody speaks.
 */
export function stream(model: Model, context: Context, options: StreamOptions = {}): AssistantMessageEventStream {
  return route('stream', model, context, options);
}

/** {@link stream} with the options that every provider understands: `reasoning` is a thinking level. */
export function streamSimple(model: Model, context: Context, options: StreamOptions = {}): AssistantMessageEventStream {
  return route('streamSimple', model, context, options);
}

/** The whole answer of {@link stream}. */
export async function complete(model: Model, context: Context, options: StreamOptions = {}): Promise<AssistantMessage> {
  return stream(model, context, options).result();
}

/** The whole answer of {@link streamSimple}. */
export async function completeSimple(model: Model, context: Context, options: StreamOptions = {}): Promise<AssistantMessage> {
  return streamSimple(model, context, options).result();
}

/** Asks in the dialect `api`, from within this worker, whatever the model says. */
export function streamIn(api: string, model: Model, context: Context, options: StreamOptions = {}): AssistantMessageEventStream {
  const spoken = { ...model, api };
  return answered(spoken, options, (emit) => askHere(spoken, context, options, emit));
}

function route(
  kind: 'stream' | 'streamSimple',
  model: Model,
  context: Context,
  options: StreamOptions,
): AssistantMessageEventStream {
  const own = registeredApi(model.api);
  if (own) {
    const apiKey = options.apiKey ?? getEnvApiKey(model.provider, { ...process.env, ...options.env });
    return own[kind](model, context, apiKey === undefined ? options : { ...options, apiKey });
  }
  const services = workerServices();
  const known = isAskedByAgent(model);
  if (!known && !BUILT_IN_APIS.has(model.api)) throw new Error(`No API provider registered for api: ${model.api}`);
  const isOwnRequest = options.apiKey !== undefined || options.env !== undefined || options.onPayload || options.onResponse;
  // A dialect of another extension is spoken where that extension runs.
  if (services && known && (!isOwnRequest || !BUILT_IN_APIS.has(model.api)))
    return answered(model, options, (emit) => askCore(services, model, context, options, emit));
  return answered(model, options, (emit) => askHere(model, context, options, emit));
}

async function askCore(
  services: WorkerServices,
  model: Model,
  context: Context,
  options: StreamOptions,
  emit: (event: ModelStreamEvent) => void,
): Promise<ModelAnswer> {
  const signal = options.signal ?? new AbortController().signal;
  for await (const event of services.streamModel(model, toRequestContext(context), toRequestOptions(model, options), signal)) {
    if (event.type === 'answer') return event.answer;
    emit(event);
  }
  throw new Error('The answer ended before it was whole');
}

function answered(
  model: Model,
  { signal }: StreamOptions,
  ask: (emit: (event: ModelStreamEvent) => void) => Promise<ModelAnswer>,
): AssistantMessageEventStream {
  const events = new AssistantMessageEventStream();
  const partial = new PartialAnswer(model);
  ask((event) => events.push(partial.apply(event))).then(
    ({ message }) => events.push(partial.finish(message)),
    (error: unknown) => {
      const isAborted = signal?.aborted === true;
      events.push(partial.fail(isAborted ? 'aborted' : 'error', isAborted ? 'Request was aborted' : messageOf(error)));
    },
  );
  return events;
}
