import type { Model } from '../../protocol/model.js';
import type { ModelRegistryApi } from '../contract/public.js';
import type { ModelsState } from '../contract/state-values.js';
import type { CorePort } from './core-port.js';
import type { ExtensionInstance } from './instance.js';

export interface ModelRegistryParts {
  core: CorePort;
  /** Asks every provider of this worker for the models it has now. */
  refreshModels: () => Promise<void>;
  /** The package pi-ai, loaded when a model is first asked. */
  loadPiAi: () => Promise<Pick<ModelRegistryApi, 'complete'>>;
}

/** `ctx.modelRegistry`: what is known is read here, what needs credentials is asked of the core. */
export function createModelRegistry(
  instance: ExtensionInstance,
  { core, refreshModels, loadPiAi }: ModelRegistryParts,
): ModelRegistryApi {
  const { name } = instance;
  const models = (): ModelsState => core.state.models();
  const providerOf = (id: string) => models().providers.find((provider) => provider.id === id);
  const auth = (provider: string, model: string | null) => core.call('models.auth', [name, provider, model]);
  const isAvailable = (model: Model): boolean => models().available.includes(`${model.provider}/${model.id}`);
  return {
    find: (provider, id) => models().all.find((model) => model.provider === provider && model.id === id),
    getAll: () => [...models().all],
    getAvailable: () => models().all.filter(isAvailable),
    getError: () => models().error,
    getProvider: (id) => {
      const provider = providerOf(id);
      return (
        provider && {
          id,
          name: provider.name,
          getModels: () => models().all.filter((model) => model.provider === id),
        }
      );
    },
    getProviderDisplayName: (id) => providerOf(id)?.name ?? id,
    getProviderAuthStatus: (id) => {
      const provider = providerOf(id);
      return { configured: provider?.configured ?? false, ...(provider?.source !== undefined && { source: provider.source }) };
    },
    getRegisteredProviderIds: () => models().providers.flatMap((provider) => (provider.registered ? [provider.id] : [])),
    getRegisteredProviderConfig: (id) => instance.registrations.provider(id),
    hasConfiguredAuth: (model) => providerOf(model.provider)?.configured ?? false,
    // Sign-in by browser is not part of this program: keys are.
    isUsingOAuth: () => false,
    getApiKeyForProvider: async (provider) => {
      const answer = await auth(provider, null);
      return typeof answer.apiKey === 'string' ? answer.apiKey : undefined;
    },
    getApiKeyAndHeaders: async (model) => {
      const answer = await auth(model.provider, model.id);
      if (answer.ok !== true) return { ok: false, error: String(answer.error) };
      return {
        ok: true,
        ...(typeof answer.apiKey === 'string' && { apiKey: answer.apiKey }),
        ...(typeof answer.headers === 'object' &&
          answer.headers !== null && { headers: answer.headers as Record<string, string> }),
      };
    },
    getProviderAuth: async (provider) => {
      const answer = await auth(provider, null);
      if (answer.ok !== true) return undefined;
      return { auth: { apiKey: answer.apiKey, headers: answer.headers, baseUrl: answer.baseUrl }, source: answer.source };
    },
    complete: async (model, context, options) => (await loadPiAi()).complete(model, context, options),
    refresh: async () => {
      await refreshModels();
      await core.call('models.refresh', [name]);
    },
  };
}
