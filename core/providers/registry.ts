import path from 'node:path';
import type { Model } from '../protocol/model.js';
import type { ModelStream } from '../protocol/model-stream.js';
import { openAuthStore } from './auth-store.js';
import { PROVIDER_ROWS } from './catalogue-providers.js';
import type { Env } from './env-value.js';
import { usesCatalogue } from './registry-compose.js';
import { CredentialSource, type Credentials } from './registry-credentials.js';
import { type DefaultModel, type DefaultSettings, defaultModel, defaultOfProvider } from './registry-default.js';
import { REGISTRY_ERRORS } from './registry-errors.js';
import { KnownProviders } from './registry-providers.js';
import { type ModelIndex, resolvePattern, resolveScope, unknownProvider } from './registry-resolve.js';
import { modelTable, searchModels } from './registry-table.js';
import type { PatternResult, RegisteredProvider, RegistryDiagnostic, RegistryModel, ScopeResult } from './registry-types.js';

export interface ModelRegistryOptions {
  /** Holds `models.json` and `auth.json`. */
  agentDir: string;
  env: Env;
  /** Dialects that can be spoken now; asked each time, as extensions may add some. */
  knownApis: () => ReadonlySet<string>;
  onDiagnostic: (diagnostic: RegistryDiagnostic) => void;
  /** `--api-key`, when its provider is known at once; else see `setApiKey`. */
  apiKeyOverride?: { provider: string; key: string } | undefined;
  now?: () => number;
  /** How long a `!command` may take, in milliseconds; default 30 000. */
  commandDeadlineMs?: number;
}

/**
 * Which models there are, which may be used, and what a request to one needs. Files are read at the first question; the
 * catalogue only when a question can't be answered without it. Satisfies the agent's `ModelSource`, but for the dialects
 * of built-in `api`s, which `streamOf` leaves to the adapters.
 */
export interface ModelRegistry {
  /** Models with credentials and a known `api`: those of models.json, of `registerProvider`, of the catalogue. */
  available(): Promise<readonly RegistryModel[]>;
  /** A model with credentials, or undefined. */
  find(provider: string, id: string): Promise<RegistryModel | undefined>;
  /** The same, with or without credentials. */
  lookup(provider: string, id: string): Promise<RegistryModel | undefined>;
  /** Every model of providers that are not hidden. Loads the whole catalogue. */
  all(): Promise<readonly RegistryModel[]>;
  hasCredentials(provider: string): Promise<boolean>;
  /** Throws `PROVIDER_KEY_MISSING`, `PROVIDER_LOGIN_EXPIRED`, `PROVIDER_KEY_COMMAND_FAILED`, `PROVIDER_HEADER_UNRESOLVED`. */
  credentials(model: Model): Promise<Credentials>;
  resolvePattern(pattern: string, options?: { provider?: string }): Promise<PatternResult>;
  resolveScope(patterns: string | readonly string[]): Promise<ScopeResult>;
  defaultModel(settings: DefaultSettings): Promise<DefaultModel>;
  /** What `--provider` without `--model` means. */
  defaultOfProvider(provider: string, settings: DefaultSettings): Promise<PatternResult>;
  /** The text of `--list-models`, each line with its LF. */
  listTable(search?: string): Promise<string>;
  /** Why no model can be used and what to do about it; ends with what works without a key. */
  explainNoModels(): Promise<string>;
  /** A hidden provider was named, by flag or settings: from now on it is listed like any other. Unknown names are no error here. */
  reveal(provider: string): Promise<void>;
  /** `--api-key`, once the provider it is for is known. Not stored. */
  setApiKey(provider: string, key: string): void;
  /** The stream a registration brought for the model's provider or `api`. */
  streamOf(model: Model): ModelStream | undefined;
  /** Adds to or takes the place of what is known about a provider; a second call takes the place of the first. */
  registerProvider(name: string, config: RegisteredProvider): void;
  unregisterProvider(name: string): void;
  /** Reports models whose `api` nobody speaks. Call it when those who could have registered one have. */
  reportUnknownApis(): Promise<void>;
  /** Reads models.json anew at the next question. */
  reload(): void;
}

export function createModelRegistry(options: ModelRegistryOptions): ModelRegistry {
  const { agentDir, env, knownApis, onDiagnostic, apiKeyOverride, now = Date.now, commandDeadlineMs } = options;
  const modelsFile = path.join(agentDir, 'models.json');
  const auth = openAuthStore({ agentDir, onDiagnostic });
  const known = new KnownProviders({ modelsFile, knownApis, onDiagnostic });
  const keys = new CredentialSource({
    auth,
    env,
    modelsFile,
    now,
    commandDeadlineMs,
    onExpired: (message) => onDiagnostic({ kind: 'auth', severity: 'warning', message, path: auth.file }),
  });
  if (apiKeyOverride) keys.setFlagKey(apiKeyOverride.provider, apiKeyOverride.key);

  const hasCredentials = async (provider: string): Promise<boolean> => keys.has(await known.layers(provider));

  async function withCredentials(wanted: (provider: string) => Promise<boolean>): Promise<RegistryModel[]> {
    const models: RegistryModel[] = [];
    for (const id of await known.ids()) {
      if (known.isHidden(id) || !(await wanted(id)) || !(await hasCredentials(id))) continue;
      models.push(...(await known.models(id)).filter((model) => known.isSpoken(model)));
    }
    return models;
  }

  const available = (): Promise<RegistryModel[]> => withCredentials(async () => true);

  async function all(): Promise<RegistryModel[]> {
    const models: RegistryModel[] = [];
    for (const id of await known.ids()) if (!known.isHidden(id)) models.push(...(await known.models(id)));
    return models;
  }

  async function lookup(provider: string, id: string): Promise<RegistryModel | undefined> {
    const name = await known.named(provider);
    return name === undefined ? undefined : known.model(name, id);
  }

  const index: ModelIndex = {
    providerIds: () => known.ids(),
    named: (provider) => known.named(provider),
    modelsOf: (provider) => known.models(provider),
    available,
    availableOwn: () => withCredentials(async (id) => !usesCatalogue(await known.layers(id))),
    all,
    defaultId: (provider) => known.defaultId(provider),
    custom: (provider, id) => known.custom(provider, id),
    hasFixedList: (provider) => known.hasFixedList(provider),
  };

  async function explainNoModels(): Promise<string> {
    const lines: string[] = [];
    for (const [provider, entry] of await auth.entries()) {
      if (entry.type !== 'oauth' || entry.expires > now()) continue;
      lines.push(`The login of "${provider}" in ${auth.file} is over, and this program does not renew logins.`);
    }
    for (const id of await known.configuredIds()) {
      const layers = await known.layers(id);
      if ((layers.own?.models ?? []).length > 0 && !(await keys.has(layers))) lines.push(keys.explainMissing(layers));
    }
    const some = PROVIDER_ROWS.slice(0, 4).flatMap(({ keyVariables }) => keyVariables);
    return [
      'No model can be used: no provider has an API key.',
      ...lines,
      `Set one of ${some.join(', ')}, … or run "pi auth set <provider>" (kept in ${auth.file}), or define a provider in ${modelsFile}.`,
      '"--provider offline" works without an API key.',
    ].join('\n');
  }

  async function listTable(search?: string): Promise<string> {
    const models = await available();
    const unusable = (await known.unspoken()).map(
      ({ provider, id, api }) => `not usable: ${provider}/${id} (unknown api "${api}")\n`,
    );
    if (models.length === 0) return `No models available.\n${unusable.join('')}${await explainNoModels()}\n`;
    if (!search?.trim()) return modelTable(models) + unusable.join('');
    const found = searchModels(models, search);
    return found.length > 0 ? modelTable(found) : `No models matching "${search}"\n`;
  }

  return {
    available,
    all,
    lookup,
    hasCredentials,
    explainNoModels,
    listTable,
    find: async (provider, id) => {
      const model = await lookup(provider, id);
      return model && (await hasCredentials(model.provider)) ? model : undefined;
    },
    credentials: async (model) => keys.of(await known.layers(model.provider), model),
    resolvePattern: (pattern, where) => resolvePattern(index, pattern, where),
    resolveScope: (patterns) => resolveScope(index, patterns),
    defaultModel: (settings) => defaultModel(index, settings, hasCredentials),
    defaultOfProvider: async (provider, settings) => {
      const name = await known.named(provider);
      if (name === undefined) return unknownProvider(index, provider);
      const model = await defaultOfProvider(index, name, settings);
      if (model) return { ok: true, model };
      const error = `Provider "${name}" lists no models: name one with --model.`;
      return { ok: false, code: REGISTRY_ERRORS.UNKNOWN_MODEL, error, suggestions: [] };
    },
    reveal: async (provider) => {
      await known.named(provider);
    },
    setApiKey: (provider, key) => keys.setFlagKey(provider, key),
    streamOf: (model) => known.streamOf(model),
    registerProvider: (name, config) => known.register(name, config),
    unregisterProvider: (name) => known.unregister(name),
    reportUnknownApis: () => known.reportUnspoken(),
    reload: () => known.reload(),
  };
}
