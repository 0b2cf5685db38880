import type { ModelStream } from '../protocol/model-stream.js';

/** Each dialect loads, with its SDK, on its first request: a program that only starts pays for none. */
const STREAMS: Readonly<Record<string, ModelStream>> = {
  'anthropic-messages': async (request, emit) => (await import('./anthropic.js')).streamAnthropic(request, emit),
  'openai-completions': async (request, emit) => (await import('./openai-completions.js')).streamCompletions(request, emit),
  'openai-responses': async (request, emit) => (await import('./openai-responses.js')).streamResponses(request, emit),
};

/** The dialects spoken here. */
export const BUILT_IN_APIS: ReadonlySet<string> = new Set(Object.keys(STREAMS));

/** The stream that reaches models of `api`; undefined for a dialect that is not spoken here. */
export function modelStreamFor(api: string): ModelStream | undefined {
  return Object.hasOwn(STREAMS, api) ? STREAMS[api] : undefined;
}
