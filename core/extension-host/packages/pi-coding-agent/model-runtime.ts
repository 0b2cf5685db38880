import { join } from 'node:path';
import { CodedError, isCoded } from '../../../base/coded-error.js';
import type { AssistantMessage } from '../../../protocol/messages.js';
import type { Model } from '../../../protocol/model.js';
import type { ModelStream } from '../../../protocol/model-stream.js';
import { providerRow } from '../../../providers/catalogue-providers.js';
import type { ModelRegistry as CoreRegistry } from '../../../providers/registry.js';
import { BUILT_IN_APIS, modelStreamFor } from '../../../providers/streams.js';
import { workerServices } from '../../contract/worker-services.js';
import { findEnvKeys } from '../pi-ai/env-keys.js';
import type { AssistantMessageEventStream } from '../pi-ai/event-stream.js';
import { isAskedByAgent } from '../pi-ai/known-models.js';
import { type Context, type StreamOptions, stream, streamSimple } from '../pi-ai/stream.js';
import { CODING_AGENT_ERRORS } from './errors.js';
import { getAgentDir } from './host.js';
import { folderOf, type ModelRuntimeOptions, mayBeUsed, modelsOf } from './model-sources.js';
import { type ExtensionProviderConfig, toRegisteredProvider } from './provider-config.js';
import { readStoredCredential, type StoredCredential } from './stored-credential.js';
import { streamThroughCore } from './stream-through-core.js';

export interface AuthStatus {
  configured: boolean;
  source?: 'runtime' | 'stored' | 'environment' | 'models_json';
  label?: string;
}

export interface ResolvedAuth {
  auth: { apiKey?: string; headers?: Record<string, string> };
  source?: string;
}

export interface ProviderInfo {
  id: string;
  name: string;
  baseUrl: string | undefined;
  getModels(): Model[];
}

/**
 * Which models there are, which may be used, and what a request to one needs. Models the agent knows are asked through it, with its
 * connections; models and keys of this object's own are asked from here. Source: sdk document, "Model", "API Keys and OAuth".
 */
export class ModelRuntime {
  readonly #folder: string;
  /** Without files and keys of its own: the agent's answers count. */
  readonly #isShared: boolean;
  #registry: CoreRegistry | undefined;
  #own: readonly Model[] = [];
  /** Providers whose models can be used, as far as was found out. */
  #usable: ReadonlySet<string> = new Set();
  #error: string | undefined;
  readonly #keys = new Map<string, string>();
  readonly #registered = new Map<string, ExtensionProviderConfig>();

  private constructor(folder: string, isShared: boolean) {
    this.#folder = folder;
    this.#isShared = isShared;
  }

  /** Reads models and credentials once; `refresh` reads them again. */
  static async create(options: ModelRuntimeOptions = {}): Promise<ModelRuntime> {
    const folder = folderOf(options);
    const runtime = new ModelRuntime(folder ?? getAgentDir(), folder === undefined);
    options.signal?.throwIfAborted();
    await runtime.#read();
    return runtime;
  }

  getProviders(): ProviderInfo[] {
    return [...new Set(this.#all().map(({ provider }) => provider))].map((id) => this.#info(id));
  }

  getProvider(id: string): ProviderInfo | undefined {
    return this.#all().some(({ provider }) => provider === id) ? this.#info(id) : undefined;
  }

  getModels(provider?: string): Model[] {
    return this.#all().filter((model) => provider === undefined || model.provider === provider);
  }

  getModel(provider: string, id: string): Model | undefined {
    return this.#all().find((model) => model.provider === provider && model.id === id);
  }

  async getAvailable(provider?: string): Promise<Model[]> {
    await this.#findUsable();
    return this.getAvailableSnapshot().filter((model) => provider === undefined || model.provider === provider);
  }

  /** As it was when it was last found out. */
  getAvailableSnapshot(): Model[] {
    return this.#all().filter((model) => this.#usable.has(model.provider) && this.#canBeAsked(model));
  }

  /** What is wrong with models.json; undefined when nothing is. */
  getError(): string | undefined {
    return this.#error;
  }

  hasConfiguredAuth(which: Model | string): boolean {
    return this.getProviderAuthStatus(providerOf(which)).configured;
  }

  isUsingOAuth(which: Model | string): boolean {
    return this.#keys.has(providerOf(which)) ? false : this.#stored(providerOf(which))?.type === 'oauth';
  }

  isUsingSubscription(which: Model | string): boolean {
    return this.isUsingOAuth(which);
  }

  getProviderAuthStatus(provider: string): AuthStatus {
    if (this.#keys.has(provider)) return { configured: true, source: 'runtime', label: 'runtime API key' };
    if (this.#stored(provider)) return { configured: true, source: 'stored', label: 'auth.json' };
    const [variable] = findEnvKeys(provider) ?? [];
    if (variable !== undefined) return { configured: true, source: 'environment', label: variable };
    return this.#usable.has(provider) ? { configured: true, source: 'models_json' } : { configured: false };
  }

  async checkAuth(provider: string): Promise<{ source: string; type: 'api_key' | 'oauth' } | undefined> {
    const { configured, source, label } = this.getProviderAuthStatus(provider);
    if (!configured) return undefined;
    return { source: label ?? source ?? provider, type: this.isUsingOAuth(provider) ? 'oauth' : 'api_key' };
  }

  /** Undefined without credentials. Rejects when they are there and can't be used. */
  async getAuth(which: Model | string): Promise<ResolvedAuth | undefined> {
    const model = typeof which === 'string' ? this.#all().find(({ provider }) => provider === which) : which;
    if (!model) return undefined;
    try {
      const { apiKey, headers } = await this.credentials(model);
      const source = this.getProviderAuthStatus(model.provider).label;
      return {
        auth: { ...(apiKey === undefined ? {} : { apiKey }), ...(Object.keys(headers).length > 0 && { headers }) },
        ...(source === undefined ? {} : { source }),
      };
    } catch (error) {
      if (isCoded(error, 'PROVIDER_KEY_MISSING')) return undefined;
      throw error;
    }
  }

  /** For this object only; not stored. */
  async setRuntimeApiKey(provider: string, apiKey: string): Promise<void> {
    this.#keys.set(provider, apiKey);
    await this.#read();
  }

  async removeRuntimeApiKey(provider: string): Promise<void> {
    this.#keys.delete(provider);
    await this.#read();
  }

  async listCredentials(): Promise<{ providerId: string; type: StoredCredential['type'] }[]> {
    const ids = [...new Set(this.#all().map(({ provider }) => provider))];
    return ids.flatMap((providerId) => {
      const stored = this.#stored(providerId);
      return stored ? [{ providerId, type: stored.type }] : [];
    });
  }

  /** Catalogues come with the program: there is nothing to fetch, only files to read again. */
  async refresh(_options: object = {}): Promise<{ aborted: boolean; errors: Map<string, Error> }> {
    await this.#read();
    return { aborted: false, errors: new Map() };
  }

  /** Known to this object only; `pi.registerProvider` makes one known to the agent. */
  registerProvider(name: string, config: ExtensionProviderConfig): void {
    this.#registered.set(name, config);
    this.#registry?.registerProvider(name, toRegisteredProvider(config));
    this.#own = [...this.#own.filter(({ provider }) => provider !== name), ...modelsOf(name, config)];
    if (config.apiKey !== undefined) this.#usable = new Set([...this.#usable, name]);
  }

  unregisterProvider(name: string): void {
    if (!this.#registered.delete(name)) return;
    this.#registry?.unregisterProvider(name);
    this.#own = this.#own.filter(({ provider }) => provider !== name);
  }

  getRegisteredProviderConfig(name: string): ExtensionProviderConfig | undefined {
    return this.#registered.get(name);
  }

  getRegisteredProviderIds(): string[] {
    return [...this.#registered.keys()];
  }

  stream(model: Model, context: Context, options: StreamOptions = {}): AssistantMessageEventStream {
    return stream(model, context, this.#withKey(model, options));
  }

  streamSimple(model: Model, context: Context, options: StreamOptions = {}): AssistantMessageEventStream {
    return streamSimple(model, context, this.#withKey(model, options));
  }

  complete(model: Model, context: Context, options?: StreamOptions): Promise<AssistantMessage> {
    return this.stream(model, context, options).result();
  }

  completeSimple(model: Model, context: Context, options?: StreamOptions): Promise<AssistantMessage> {
    return this.streamSimple(model, context, options).result();
  }

  async login(providerId: string): Promise<never> {
    const message = `Logging in to "${providerId}" is not part of this program: run "pi auth set ${providerId}" to store a key`;
    throw new CodedError(CODING_AGENT_ERRORS.NO_MODEL, message);
  }

  async logout(providerId: string): Promise<void> {
    const { openAuthStore } = await import('../../../providers/auth-store.js');
    await openAuthStore({ agentDir: this.#folder, onDiagnostic: () => undefined }).remove(providerId);
    await this.#read();
  }

  /** What a request needs. Throws coded errors that say what to set. The agent's own models need nothing from here. */
  async credentials(model: Model): Promise<{ apiKey?: string | undefined; headers: Record<string, string> }> {
    const services = workerServices();
    if (services && this.#isAgents(model)) return services.credentials(model);
    const registry = await this.#open();
    return registry.credentials(model);
  }

  /** How the agent session reaches a model. */
  streamOf(model: Model): ModelStream | undefined {
    const services = workerServices();
    if (services && this.#isAgents(model)) return streamThroughCore(services);
    return this.#registry?.streamOf(model) ?? modelStreamFor(model.api);
  }

  #isAgents(model: Model): boolean {
    return this.#isShared && !this.#keys.has(model.provider) && !this.#registered.has(model.provider) && isAskedByAgent(model);
  }

  #canBeAsked(model: Model): boolean {
    return BUILT_IN_APIS.has(model.api) || this.streamOf(model) !== undefined;
  }

  /** What the agent knows now, and what this object knows besides. */
  #all(): readonly Model[] {
    const known = this.#isShared ? (workerServices()?.models() ?? []) : [];
    if (known.length === 0) return this.#own;
    const taken = new Set(known.map(nameOf));
    return [...known, ...this.#own.filter((model) => !taken.has(nameOf(model)))];
  }

  #info(id: string): ProviderInfo {
    const first = this.#all().find(({ provider }) => provider === id);
    return {
      id,
      name: this.#registered.get(id)?.name ?? providerRow(id)?.name ?? id,
      baseUrl: this.#registered.get(id)?.baseUrl ?? providerRow(id)?.baseUrl ?? first?.baseUrl,
      getModels: () => this.getModels(id),
    };
  }

  #stored(provider: string): StoredCredential | undefined {
    return readStoredCredential(provider, join(this.#folder, 'auth.json'));
  }

  #withKey(model: Model, options: StreamOptions): StreamOptions {
    const key = this.#keys.get(model.provider);
    return key === undefined || options.apiKey !== undefined ? options : { ...options, apiKey: key };
  }

  async #read(): Promise<void> {
    this.#registry = undefined;
    this.#error = undefined;
    const registry = await this.#open();
    this.#own = await registry.all();
    await this.#findUsable();
  }

  async #findUsable(): Promise<void> {
    const registry = await this.#open();
    const usable = new Set<string>();
    const services = workerServices();
    const firsts = new Map(this.#all().map((model) => [model.provider, model]));
    for (const [provider, model] of firsts) {
      if (await registry.hasCredentials(provider)) usable.add(provider);
      // A provider that only the agent knows: it is asked, as nobody here knows where its key would be.
      else if (services && this.#isAgents(model) && !this.#own.some((own) => own.provider === provider)) {
        if (await mayBeUsed(services.credentials(model))) usable.add(provider);
      }
    }
    this.#usable = usable;
  }

  async #open(): Promise<CoreRegistry> {
    if (this.#registry) return this.#registry;
    const { createModelRegistry } = await import('../../../providers/registry.js');
    const registry = createModelRegistry({
      agentDir: this.#folder,
      env: process.env,
      knownApis: () => BUILT_IN_APIS,
      onDiagnostic: ({ kind, severity, message }) => {
        if (kind === 'models' && severity === 'error') this.#error ??= message;
      },
    });
    for (const [name, config] of this.#registered) registry.registerProvider(name, toRegisteredProvider(config));
    for (const [provider, key] of this.#keys) registry.setApiKey(provider, key);
    this.#registry = registry;
    return registry;
  }
}

const nameOf = (model: Model): string => `${model.provider}/${model.id}`;
const providerOf = (which: Model | string): string => (typeof which === 'string' ? which : which.provider);
