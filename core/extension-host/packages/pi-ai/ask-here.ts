import { uuidV7 } from '../../../base/id.js';
import type { Model } from '../../../protocol/model.js';
import type { ModelAnswer, ModelStream, ModelStreamEvent } from '../../../protocol/model-stream.js';
import { providerRow } from '../../../providers/catalogue-providers.js';
import { modelStreamFor } from '../../../providers/streams.js';
import { toModelMessages } from '../../../session/to-model-messages.js';
import { workerServices } from '../../contract/worker-services.js';
import { getEnvApiKey } from './env-keys.js';
import { getModel } from './known-models.js';
import { type Context, type StreamOptions, toRequestContext, toRequestOptions } from './stream-options.js';

/** The same as the setting `streamIdleTimeoutMs` when nobody set it. */
const IDLE_TIMEOUT_MS = 300_000;

/** Asks from within this worker: for models and keys that the agent does not know. Rejects when there is no key. */
export async function askHere(
  model: Model,
  context: Context,
  options: StreamOptions,
  emit: (event: ModelStreamEvent) => void,
): Promise<ModelAnswer> {
  const stream: ModelStream | undefined = modelStreamFor(model.api);
  if (!stream) throw new Error(`No API provider registered for api: ${model.api}`);
  const { apiKey, headers } = await credentialsOf(model, options);
  const { thinkingLevel, thinkingBudgets, maxTokens, bodyFields } = toRequestOptions(model, options);
  const { onPayload, onResponse } = options;
  const { systemPrompt, messages, tools } = toRequestContext(context);
  return stream(
    {
      model,
      context: { systemPrompt, tools, messages: toModelMessages(messages, model) },
      options: {
        signal: options.signal ?? new AbortController().signal,
        apiKey,
        headers: { ...headers, ...options.headers },
        thinkingLevel,
        ...(thinkingBudgets ? { thinkingBudgets } : {}),
        ...(maxTokens === undefined ? {} : { maxTokens }),
        sessionId: options.sessionId ?? uuidV7(),
        idleTimeoutMs: options.timeoutMs ?? IDLE_TIMEOUT_MS,
        ...(bodyFields || onPayload ? { onPayload: (payload) => changedPayload(payload(), bodyFields, model, onPayload) } : {}),
        ...(onResponse ? { onResponse: (response) => onResponse(response, model) } : {}),
      },
    },
    emit,
  );
}

async function changedPayload(
  payload: unknown,
  bodyFields: Record<string, unknown> | undefined,
  model: Model,
  onPayload: StreamOptions['onPayload'],
): Promise<unknown> {
  const whole = bodyFields && typeof payload === 'object' ? { ...payload, ...bodyFields } : payload;
  return (await onPayload?.(whole, model)) ?? whole;
}

/** What was said in the call, else the environment, else what the agent has for the model. */
async function credentialsOf(
  model: Model,
  options: StreamOptions,
): Promise<{ apiKey: string | undefined; headers: Record<string, string> }> {
  const own = { ...model.headers };
  const said = options.apiKey ?? getEnvApiKey(model.provider, { ...process.env, ...options.env });
  if (said !== undefined) return { apiKey: said, headers: own };
  const services = workerServices();
  if (services && getModel(model.provider, model.id)) {
    const { apiKey, headers } = await services.credentials(model);
    return { apiKey, headers: { ...own, ...headers } };
  }
  const needsNone = providerRow(model.provider)?.local === true || hasAuthorization({ ...own, ...options.headers });
  if (!needsNone) throw new Error(`No API key for provider: ${model.provider}`);
  return { apiKey: undefined, headers: own };
}

const hasAuthorization = (headers: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(headers).some((name) => /^(?:authorization|x-api-key)$/i.test(name));
