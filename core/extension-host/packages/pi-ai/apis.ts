import { BUILT_IN_APIS } from '../../../providers/streams.js';
import { type ApiProvider, registeredApi, registeredApis, type StreamFunction } from './api-registry.js';
import { streamIn } from './stream.js';

const speaking =
  (api: string): StreamFunction =>
  (model, context, options) =>
    streamIn(api, model, context, options);

/** One function speaks both: the options of a provider and the simple ones have different names. */
export const streamAnthropic = speaking('anthropic-messages');
export const streamSimpleAnthropic = streamAnthropic;
export const streamOpenAICompletions = speaking('openai-completions');
export const streamSimpleOpenAICompletions = streamOpenAICompletions;
export const streamOpenAIResponses = speaking('openai-responses');
export const streamSimpleOpenAIResponses = streamOpenAIResponses;

type Streams = Pick<ApiProvider, 'stream' | 'streamSimple'>;

export const anthropicMessagesApi = (): Streams => ({ stream: streamAnthropic, streamSimple: streamAnthropic });
export const openAICompletionsApi = (): Streams => ({ stream: streamOpenAICompletions, streamSimple: streamOpenAICompletions });
export const openAIResponsesApi = (): Streams => ({ stream: streamOpenAIResponses, streamSimple: streamOpenAIResponses });

function builtIn(api: string): ApiProvider | undefined {
  return BUILT_IN_APIS.has(api) ? { api, stream: speaking(api), streamSimple: speaking(api) } : undefined;
}

/** Who speaks `api`: what was registered in this worker, else the built-in one. */
export function getApiProvider(api: string): ApiProvider | undefined {
  return registeredApi(api) ?? builtIn(api);
}

export function getApiProviders(): ApiProvider[] {
  const own = registeredApis();
  const taken = new Set(own.map(({ api }) => api));
  return [...own, ...[...BUILT_IN_APIS].filter((api) => !taken.has(api)).flatMap((api) => builtIn(api) ?? [])];
}

/** The built-in dialects are always there. */
export function registerBuiltInApiProviders(): void {}
