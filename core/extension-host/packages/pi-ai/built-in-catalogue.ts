import type { Model } from '../../../protocol/model.js';
import { PROVIDER_ROWS, providerRow } from '../../../providers/catalogue-providers.js';
import { MODELS } from '../../../providers/data/catalogue.gen.js';
import { unsupportedFunction } from '../unsupported.js';

const COLLECTIONS = 'Use ctx.modelRegistry, which has every provider, or pi.registerProvider() to add one.';
const missing = (name: string) => unsupportedFunction('pi-ai/providers/all', name, COLLECTIONS);

const parsed = new Map<string, readonly Model[]>();

/** The shipped models of a provider, without those of models.json and of extensions; none for an unknown one. */
export function getBuiltinModels(provider: string): Model[] {
  const known = parsed.get(provider);
  if (known) return [...known];
  const row = providerRow(provider);
  const text = row && Object.hasOwn(MODELS, provider) ? MODELS[provider] : undefined;
  if (!row || text === undefined) return [];
  // Our own generated data: a line leaves out what is its provider's.
  const lines = JSON.parse(text) as (Omit<Model, 'provider'> & Partial<Model>)[];
  const models = lines.map((line) => ({ ...line, provider, api: line.api ?? row.api, baseUrl: line.baseUrl ?? row.baseUrl }));
  parsed.set(provider, models);
  return [...models];
}

export function getBuiltinModel(provider: string, id: string): Model | undefined {
  return getBuiltinModels(provider).find((model) => model.id === id);
}

/** Ids of the shipped providers that have models. */
export function getBuiltinProviders(): string[] {
  return PROVIDER_ROWS.map(({ id }) => id).filter((id) => Object.hasOwn(MODELS, id));
}

export const builtinImagesModels = missing('builtinImagesModels');
export const builtinImagesProviders = missing('builtinImagesProviders');
export const builtinModels = missing('builtinModels');
export const builtinProviders = missing('builtinProviders');
export const getBuiltinModelDataGeneratedAt = missing('getBuiltinModelDataGeneratedAt');
export const radiusProvider = missing('radiusProvider');
