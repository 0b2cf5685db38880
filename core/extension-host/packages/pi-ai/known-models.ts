import type { Model } from '../../../protocol/model.js';
import { BUILT_IN_APIS } from '../../../providers/streams.js';
import { workerServices } from '../../contract/worker-services.js';

/** Read without waiting: every model the agent knows, those of models.json and of extensions too. */
const all = (): readonly Model[] => workerServices()?.models() ?? [];

export function getModel(provider: string, id: string): Model | undefined {
  return all().find((model) => model.provider === provider && model.id === id);
}

/** The models of a provider; all models without one. */
export function getModels(provider?: string): Model[] {
  return all().filter((model) => provider === undefined || model.provider === provider);
}

export function getProviders(): string[] {
  return [...new Set(all().map(({ provider }) => provider))];
}

/**
 * True when the agent asks such a model itself: it knows it with the same dialect and address. A dialect that is not built in is spoken by
 * an extension, to whatever address the model names.
 */
export function isAskedByAgent(model: Model): boolean {
  const known = getModel(model.provider, model.id);
  if (known?.api !== model.api) return false;
  return !BUILT_IN_APIS.has(model.api) || known.baseUrl === model.baseUrl;
}
