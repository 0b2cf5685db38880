import type { Model } from '../protocol/model.js';
import type { ProviderRow } from './catalogue-providers.js';
import type { ModelConfig, ModelOverride, ProviderConfig, RegisteredProvider, RegistryModel } from './registry-types.js';

/** What is said about one provider, from the weakest to the strongest. */
export interface ProviderLayers {
  id: string;
  row: ProviderRow | undefined;
  registered: RegisteredProvider | undefined;
  own: ProviderConfig | undefined;
}

export interface ComposedProvider {
  models: readonly RegistryModel[];
  /** Models that can't be reached because nobody says how. */
  incomplete: readonly { id: string; missing: readonly ('api' | 'baseUrl')[] }[];
}

const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
/** Source: models document, "Model Configuration". */
const DEFAULT_CONTEXT_WINDOW = 128_000;
const DEFAULT_MAX_TOKENS = 16_384;

/** True when the provider's models start from those of the catalogue. */
export function usesCatalogue({ row, registered }: ProviderLayers): boolean {
  return row !== undefined && !row.local && registered?.models === undefined;
}

/**
 * The models of a provider: the shipped or registered ones, with what models.json overrides, then what it adds; a model of the
 * same id takes the place of the one before. Source: models document, "Overriding Built-in Providers", "Per-model Overrides".
 */
export function composeProvider(layers: ProviderLayers, catalogue: readonly Model[]): ComposedProvider {
  const { registered, own } = layers;
  const models = new Map<string, RegistryModel>();
  const incomplete: { id: string; missing: ('api' | 'baseUrl')[] }[] = [];
  const add = (config: ModelConfig, from: ProviderConfig | undefined): void => {
    const built = build(layers, config, from);
    if ('missing' in built) incomplete.push({ id: config.id, missing: built.missing });
    else models.set(config.id, built.model);
  };

  const baseUrl = own?.baseUrl ?? registered?.baseUrl;
  const compat = registered?.compat || own?.compat ? { ...registered?.compat, ...own?.compat } : undefined;
  for (const model of registered?.models ? [] : catalogue) {
    models.set(model.id, {
      ...model,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(compat ? { compat: { ...model.compat, ...compat } } : {}),
    });
  }
  for (const config of registered?.models ?? []) add(config, registered);
  for (const [id, override] of Object.entries(own?.modelOverrides ?? {})) {
    const model = models.get(id);
    if (model) models.set(id, overridden(model, override));
  }
  for (const config of own?.models ?? []) add(config, own);
  return { models: [...models.values()], incomplete };
}

/**
 * The headers configured for one model, unresolved, the last word last. They may hold secrets, so they are kept out of the models,
 * which clients see.
 */
export function configuredHeaders({ registered, own }: ProviderLayers, id: string): readonly Readonly<Record<string, string>>[] {
  const listed = (config: ProviderConfig | undefined): ModelConfig | undefined =>
    config?.models?.find((model) => model.id === id);
  const override = own?.modelOverrides && Object.hasOwn(own.modelOverrides, id) ? own.modelOverrides[id] : undefined;
  const mine = listed(own);
  const parts = [
    registered?.headers,
    own?.headers,
    ...(mine ? [mine.headers] : [listed(registered)?.headers, override?.headers]),
  ];
  return parts.filter((part) => part !== undefined);
}

/** An id nobody listed, made after `like` or, without it, from the provider's defaults. */
export function customModel(layers: ProviderLayers, id: string, like: RegistryModel | undefined): RegistryModel | undefined {
  if (like) return { ...like, id, name: id };
  const built = build(layers, { id }, layers.own);
  return 'model' in built ? built.model : undefined;
}

function build(
  { id: provider, row, registered, own }: ProviderLayers,
  config: ModelConfig,
  from: ProviderConfig | undefined,
): { model: RegistryModel } | { missing: ('api' | 'baseUrl')[] } {
  const api = config.api ?? from?.api ?? own?.api ?? registered?.api ?? row?.api;
  // models.json redirects registered models too, unless a model has an address of its own.
  const baseUrl = config.baseUrl ?? own?.baseUrl ?? registered?.baseUrl ?? row?.baseUrl ?? (registered?.stream ? '' : undefined);
  if (api === undefined || baseUrl === undefined) {
    return {
      missing: [...(api === undefined ? (['api'] as const) : []), ...(baseUrl === undefined ? (['baseUrl'] as const) : [])],
    };
  }
  const { cost, headers: _secret, compat: quirks, ...rest } = config;
  const compat = { ...registered?.compat, ...own?.compat, ...quirks };
  return {
    model: {
      ...rest,
      name: config.name ?? config.id,
      api,
      provider,
      baseUrl,
      reasoning: config.reasoning ?? false,
      input: config.input ?? ['text'],
      cost: { ...FREE, ...cost },
      contextWindow: config.contextWindow ?? DEFAULT_CONTEXT_WINDOW,
      maxTokens: config.maxTokens ?? DEFAULT_MAX_TOKENS,
      ...(Object.keys(compat).length > 0 ? { compat } : {}),
    },
  };
}

function overridden(
  model: RegistryModel,
  { headers: _secret, cost, compat, samplingParams, ...plain }: ModelOverride,
): RegistryModel {
  return {
    ...model,
    ...plain,
    ...(cost ? { cost: { ...model.cost, ...cost } } : {}),
    ...(compat ? { compat: { ...model.compat, ...compat } } : {}),
    ...(samplingParams ? { samplingParams: { ...model.samplingParams, ...samplingParams } } : {}),
  };
}
