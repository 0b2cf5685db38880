import type { Model } from '../../../protocol/model.js';
import type { AssistantMessageEventStream } from './event-stream.js';
import type { Context, StreamOptions } from './stream-options.js';

export type StreamFunction = (model: Model, context: Context, options?: StreamOptions) => AssistantMessageEventStream;

/** A dialect and who speaks it. */
export interface ApiProvider {
  api: string;
  stream: StreamFunction;
  streamSimple: StreamFunction;
}

/** Dialects that extensions registered, with the name they can be taken back by. */
const registered = new Map<string, { provider: ApiProvider; sourceId: string | undefined }>();

/** Speaks `provider.api` from now on, in this worker, instead of whoever did. */
export function registerApiProvider(provider: ApiProvider, sourceId?: string): void {
  registered.set(provider.api, { provider, sourceId });
}

/** Takes back all that was registered under `sourceId`. */
export function unregisterApiProviders(sourceId: string): void {
  for (const [api, entry] of registered) if (entry.sourceId === sourceId) registered.delete(api);
}

/** Takes back everything that was registered: the built-in dialects are left. */
export function resetApiProviders(): void {
  registered.clear();
}

export function registeredApi(api: string): ApiProvider | undefined {
  return registered.get(api)?.provider;
}

export function registeredApis(): ApiProvider[] {
  return [...registered.values()].map(({ provider }) => provider);
}
