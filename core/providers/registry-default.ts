import { PROVIDER_ROWS } from './catalogue-providers.js';
import { withId } from './model-pattern.js';
import { type ModelIndex, unknownProvider } from './registry-resolve.js';
import type { RegistryModel } from './registry-types.js';

export interface DefaultSettings {
  defaultProvider?: string | undefined;
  defaultModel?: string | undefined;
}

/** `model` is missing when nothing can be used; `warning` says why a wish of the settings was not granted. */
export interface DefaultModel {
  model?: RegistryModel;
  warning?: string;
}

/**
 * The model to start with when no flag and no session names one: the settings' own, else the usual one of the first shipped
 * provider with a key, else the first available one. Source: settings document; order observed, 1.6.0.
 */
export async function defaultModel(
  index: ModelIndex,
  settings: DefaultSettings,
  hasCredentials: (provider: string) => Promise<boolean>,
): Promise<DefaultModel> {
  const wish = await ofSettings(index, settings, hasCredentials);
  if (wish.model) return wish;
  for (const { id } of PROVIDER_ROWS) {
    if (!(await hasCredentials(id))) continue;
    const model = await usual(index, id);
    // A local service lists nothing of its own; what models.json gives it comes in its turn below.
    if (model) return { ...wish, model };
  }
  const [first] = await index.available();
  return first ? { ...wish, model: first } : wish;
}

/** The model of `--provider` without `--model`: the settings' own if it is of that provider, else its usual one, else its first. */
export async function defaultOfProvider(
  index: ModelIndex,
  provider: string,
  settings: DefaultSettings,
): Promise<RegistryModel | undefined> {
  const models = await index.modelsOf(provider);
  const wished =
    settings.defaultProvider === provider && settings.defaultModel ? withId(models, settings.defaultModel)[0] : undefined;
  return wished ?? (await usual(index, provider)) ?? models[0];
}

async function usual(index: ModelIndex, provider: string): Promise<RegistryModel | undefined> {
  const id = await index.defaultId(provider);
  if (id === undefined) return undefined;
  return (await index.modelsOf(provider)).find((model) => model.id === id);
}

async function ofSettings(
  index: ModelIndex,
  { defaultProvider, defaultModel: wanted }: DefaultSettings,
  hasCredentials: (provider: string) => Promise<boolean>,
): Promise<DefaultModel> {
  if (defaultProvider === undefined) {
    if (wanted === undefined) return {};
    const [model] = withId(await index.available(), wanted);
    return model ? { model } : { warning: `The settings' defaultModel "${wanted}" is no model with an API key.` };
  }
  const provider = await index.named(defaultProvider);
  if (provider === undefined)
    return { warning: `Settings, defaultProvider: ${(await unknownProvider(index, defaultProvider)).error}` };
  if (!(await hasCredentials(provider))) {
    return {
      warning: `The settings' defaultProvider "${provider}" has no API key that works; another model is used if there is one.`,
    };
  }
  if (wanted === undefined) {
    const model = await defaultOfProvider(index, provider, {});
    return model ? { model } : { warning: `The settings' defaultProvider "${provider}" has no models.` };
  }
  const [model] = withId(await index.modelsOf(provider), wanted);
  if (model) return { model };
  const custom = await index.custom(provider, wanted);
  if (!custom) return { warning: `The settings' default model "${provider}/${wanted}" is not known.` };
  if (!(await index.hasFixedList(provider))) return { model: custom };
  return {
    model: custom,
    warning: `The settings' default model "${provider}/${wanted}" is not known; using it as a custom model id.`,
  };
}
