import { messageOf } from '../../../base/coded-error.js';
import type { AssistantMessage } from '../../../protocol/messages.js';
import type { Model } from '../../../protocol/model.js';
import type { Context, StreamOptions } from '../pi-ai/stream.js';
import type { AuthStatus, ModelRuntime, ProviderInfo, ResolvedAuth } from './model-runtime.js';
import type { ExtensionProviderConfig } from './provider-config.js';

export type RequestAuth =
  | { ok: true; apiKey?: string; headers?: Record<string, string> }
  /** Why there are none, and what to set. */
  | { ok: false; error: string };

/** A runtime as extensions see models: lists without waiting, credentials with. Source: extensions document, "ctx.modelRegistry". */
export class ModelRegistry {
  readonly #runtime: ModelRuntime;

  constructor(runtime: ModelRuntime) {
    this.#runtime = runtime;
  }

  getAll = (): Model[] => this.#runtime.getModels();
  getAvailable = (): Model[] => this.#runtime.getAvailableSnapshot();
  find = (provider: string, modelId: string): Model | undefined => this.#runtime.getModel(provider, modelId);
  getError = (): string | undefined => this.#runtime.getError();
  hasConfiguredAuth = (which: Model | string): boolean => this.#runtime.hasConfiguredAuth(which);
  isUsingOAuth = (which: Model | string): boolean => this.#runtime.isUsingOAuth(which);
  getProviderAuthStatus = (provider: string): AuthStatus => this.#runtime.getProviderAuthStatus(provider);
  getProvider = (provider: string): ProviderInfo | undefined => this.#runtime.getProvider(provider);
  getProviderDisplayName = (provider: string): string => this.#runtime.getProvider(provider)?.name ?? provider;
  getProviderAuth = (provider: string): Promise<ResolvedAuth | undefined> => this.#runtime.getAuth(provider);
  registerProvider = (name: string, config: ExtensionProviderConfig): void => this.#runtime.registerProvider(name, config);
  unregisterProvider = (name: string): void => this.#runtime.unregisterProvider(name);
  getRegisteredProviderIds = (): string[] => this.#runtime.getRegisteredProviderIds();
  getRegisteredProviderConfig = (name: string): ExtensionProviderConfig | undefined =>
    this.#runtime.getRegisteredProviderConfig(name);
  refresh = (options?: object): Promise<{ aborted: boolean; errors: Map<string, Error> }> => this.#runtime.refresh(options);
  complete = (model: Model, context: Context, options?: StreamOptions): Promise<AssistantMessage> =>
    this.#runtime.complete(model, context, options);

  async getApiKeyAndHeaders(model: Model): Promise<RequestAuth> {
    try {
      const { apiKey, headers } = await this.#runtime.credentials(model);
      return { ok: true, ...(apiKey === undefined ? {} : { apiKey }), ...(Object.keys(headers).length > 0 && { headers }) };
    } catch (error) {
      return { ok: false, error: messageOf(error) };
    }
  }

  /** Undefined without one. */
  async getApiKeyForProvider(provider: string): Promise<string | undefined> {
    return (await this.#runtime.getAuth(provider))?.auth.apiKey;
  }
}
