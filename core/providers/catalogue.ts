import type { Model } from '../protocol/model.js';
import { type ProviderRow, providerRow } from './catalogue-providers.js';

/** A model as a line of the catalogue holds it: `provider`, and `api` and `baseUrl` when they are the row's, are left out. */
type CatalogueLine = Omit<Model, 'provider' | 'api' | 'baseUrl'> & Partial<Pick<Model, 'api' | 'baseUrl'>>;

const parsed = new Map<string, readonly Model[]>();

/**
 * The shipped models of a provider; empty for a local or unknown one. The data is a module of its own that is loaded on the
 * first call, and each provider's part of it is parsed when it is first asked for.
 */
export async function catalogueModels(provider: string): Promise<readonly Model[]> {
  const known = parsed.get(provider);
  if (known) return known;
  const row = providerRow(provider);
  if (!row || row.local) return [];
  const { MODELS } = await import('./data/catalogue.gen.js');
  const text = MODELS[provider];
  // Our own generated data: its shape is what a test checks, not what a start pays for.
  const lines = text === undefined ? [] : (JSON.parse(text) as CatalogueLine[]);
  const models = lines.map((line) => toModel(row, line));
  parsed.set(provider, models);
  return models;
}

/** The id that a provider is started with when nobody chose one. Source: observed, 1.6.0. */
export async function catalogueDefault(provider: string): Promise<string | undefined> {
  const { DEFAULT_MODELS } = await import('./data/catalogue.gen.js');
  return DEFAULT_MODELS[provider];
}

function toModel(row: ProviderRow, line: CatalogueLine): Model {
  return { ...line, provider: row.id, api: line.api ?? row.api, baseUrl: line.baseUrl ?? row.baseUrl };
}
