import { addSecret } from '../base/secrets.js';
import type { ModelStream } from '../protocol/model-stream.js';
import { catalogueDefault, catalogueModels } from './catalogue.js';
import { PROVIDER_ROWS, providerRow } from './catalogue-providers.js';
import { parseEnvValue } from './env-value.js';
import { SECRET_HEADER } from './error-text.js';
import { type ModelsJson, readModelsJson } from './models-json.js';
import { type ComposedProvider, composeProvider, customModel, type ProviderLayers, usesCatalogue } from './registry-compose.js';
import type { RegisteredProvider, RegistryDiagnostic, RegistryModel } from './registry-types.js';

/** Each one costs a search in every text that leaves; somebody who registers without end may not slow that down. */
const MAX_KEPT_SECRETS = 1_000;

export interface KnownProvidersOptions {
  modelsFile: string;
  knownApis: () => ReadonlySet<string>;
  onDiagnostic: (diagnostic: RegistryDiagnostic) => void;
}

/**
 * Every provider there is and its models, whoever has keys: models.json, what code registered, the catalogue. models.json is
 * read at the first question, the catalogue at the first that needs it.
 */
export class KnownProviders {
  readonly #options: KnownProvidersOptions;
  readonly #registered = new Map<string, RegisteredProvider>();
  /** Hidden providers that were named since. */
  readonly #revealed = new Set<string>();
  readonly #composed = new Map<string, Promise<ComposedProvider>>();
  readonly #told = new Set<string>();
  readonly #keptSecrets = new Set<string>();
  #reading: Promise<ModelsJson> | undefined;

  constructor(options: KnownProvidersOptions) {
    this.#options = options;
  }

  register(id: string, config: RegisteredProvider): void {
    for (const secret of literalSecrets(config)) {
      if (this.#keptSecrets.size >= MAX_KEPT_SECRETS) break;
      this.#keptSecrets.add(secret);
      addSecret(secret);
    }
    this.#registered.set(id, config);
    this.#composed.delete(id);
  }

  unregister(id: string): void {
    this.#registered.delete(id);
    this.#composed.delete(id);
  }

  reload(): void {
    this.#reading = undefined;
    this.#composed.clear();
  }

  /** models.json's providers, then registered ones, then the shipped ones, each once. */
  async ids(): Promise<string[]> {
    const { providers } = await this.#own();
    return [...new Set([...providers.keys(), ...this.#registered.keys(), ...PROVIDER_ROWS.map(({ id }) => id)])];
  }

  /** Those that are not only shipped. */
  async configuredIds(): Promise<string[]> {
    return [...new Set([...(await this.#own()).providers.keys(), ...this.#registered.keys()])];
  }

  async layers(id: string): Promise<ProviderLayers> {
    return { id, row: providerRow(id), registered: this.#registered.get(id), own: (await this.#own()).providers.get(id) };
  }

  isHidden(id: string): boolean {
    return this.#registered.get(id)?.hidden === true && !this.#revealed.has(id);
  }

  /** The provider of this name, whatever the case; from now on it is not hidden. */
  async named(name: string): Promise<string | undefined> {
    const ids = await this.ids();
    const id = ids.find((known) => known === name) ?? ids.find((known) => known.toLowerCase() === name.toLowerCase());
    if (id !== undefined) this.#revealed.add(id);
    return id;
  }

  async models(id: string): Promise<readonly RegistryModel[]> {
    return (await this.#compose(id)).models;
  }

  async model(provider: string, id: string): Promise<RegistryModel | undefined> {
    const layers = await this.layers(provider);
    // A model that models.json defines is the same with and without the catalogue below it.
    const isOwn = layers.own?.models?.some((model) => model.id === id) === true;
    const { models } = isOwn ? composeProvider(layers, []) : await this.#compose(provider);
    return models.find((model) => model.id === id);
  }

  /** The id a shipped provider starts with. */
  async defaultId(id: string): Promise<string | undefined> {
    return usesCatalogue(await this.layers(id)) ? catalogueDefault(id) : undefined;
  }

  /** A model of an id that nobody listed, made after the provider's usual one. */
  async custom(provider: string, id: string): Promise<RegistryModel | undefined> {
    const layers = await this.layers(provider);
    const models = await this.models(provider);
    const usual = await this.defaultId(provider);
    const like = models.find((model) => model.id === usual);
    return customModel(layers, id, like) ?? customModel(layers, id, models[0]);
  }

  /** False for a local service nobody listed models of: any id is its user's business. */
  async hasFixedList(id: string): Promise<boolean> {
    const { row, own, registered } = await this.layers(id);
    return !row?.local || (own?.models ?? registered?.models ?? []).length > 0;
  }

  /** What a registration brought for the provider, or else for the dialect. */
  streamOf({ provider, api }: Pick<RegistryModel, 'provider' | 'api'>): ModelStream | undefined {
    const own = this.#registered.get(provider);
    if (own?.stream && (own.api === undefined || own.api === api)) return own.stream;
    for (const config of this.#registered.values()) if (config.stream && config.api === api) return config.stream;
    return undefined;
  }

  isSpoken(model: RegistryModel): boolean {
    return this.#options.knownApis().has(model.api) || this.streamOf(model) !== undefined;
  }

  /** Configured models whose dialect nobody speaks. */
  async unspoken(): Promise<RegistryModel[]> {
    const found: RegistryModel[] = [];
    for (const id of await this.configuredIds()) {
      const layers = await this.layers(id);
      found.push(...composeProvider(layers, []).models.filter((model) => !this.isSpoken(model)));
    }
    return found;
  }

  /** A diagnostic for each dialect of a provider that nobody speaks. */
  async reportUnspoken(): Promise<void> {
    const groups = new Map<string, RegistryModel[]>();
    for (const model of await this.unspoken()) {
      const key = JSON.stringify([model.provider, model.api]);
      groups.set(key, [...(groups.get(key) ?? []), model]);
    }
    const { lineOf } = await this.#own();
    for (const [model, ...others] of groups.values()) {
      if (!model) continue;
      const { provider, api } = model;
      const ids = [model, ...others].map(({ id }) => id).join(', ');
      const known = [...this.#options.knownApis()].join(', ');
      this.#problem(
        `nobody here speaks the api "${api}"; unusable: ${ids}. Known are ${known}.`,
        `providers.${provider}.api`,
        lineOf(['providers', provider, 'api']) ?? lineOf(['providers', provider]),
      );
    }
  }

  #own(): Promise<ModelsJson> {
    this.#reading ??= readModelsJson(this.#options.modelsFile).then((read) => {
      for (const diagnostic of read.diagnostics) this.#report(diagnostic);
      return read;
    });
    return this.#reading;
  }

  #compose(id: string): Promise<ComposedProvider> {
    const known = this.#composed.get(id);
    if (known) return known;
    const making = this.#make(id);
    this.#composed.set(id, making);
    return making;
  }

  async #make(id: string): Promise<ComposedProvider> {
    const layers = await this.layers(id);
    const made = composeProvider(layers, usesCatalogue(layers) ? await catalogueModels(id) : []);
    const { lineOf } = await this.#own();
    for (const { id: model, missing } of made.incomplete) {
      const keys = missing.map((key) => `"${key}"`).join(' and ');
      this.#problem(`model "${model}" can't be used without ${keys}`, `providers.${id}`, lineOf(['providers', id]));
    }
    return made;
  }

  /** `line` is missing when the provider was registered by code. */
  #problem(message: string, key: string, line: number | undefined): void {
    const { modelsFile } = this.#options;
    this.#report({
      kind: 'models',
      severity: 'error',
      message: `${line === undefined ? '' : `${modelsFile}:${line}: `}${key}: ${message}`,
      key,
      ...(line === undefined ? {} : { path: modelsFile, line }),
    });
  }

  #report(diagnostic: RegistryDiagnostic): void {
    if (this.#told.has(diagnostic.message)) return;
    this.#told.add(diagnostic.message);
    this.#options.onDiagnostic(diagnostic);
  }
}

/** Keys that stand in the configuration itself: they may be printed before a request uses them. */
function literalSecrets({ apiKey, headers, models }: RegisteredProvider): string[] {
  const ofHeaders = [headers, ...(Array.isArray(models) ? models.map((model) => model?.headers) : [])].flatMap((one) =>
    Object.entries(one ?? {}).flatMap(([name, value]) => (SECRET_HEADER.test(name) ? [value] : [])),
  );
  return [apiKey, ...ofHeaders].flatMap((text) => {
    if (typeof text !== 'string') return [];
    const value = parseEnvValue(text);
    if (value.kind === 'command') return [];
    const literal = value.parts.map((part) => ('literal' in part ? part.literal : undefined));
    return literal.includes(undefined) ? [] : [literal.join('').replace(/^(?:Bearer|Basic)\s+/i, '')];
  });
}
