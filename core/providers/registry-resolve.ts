import { UNSUPPORTED_PROVIDERS } from './catalogue-providers.js';
import { bestPart, globbed, isGlob, newest, readings, splitLevel, withId, withTail } from './model-pattern.js';
import { nearest } from './model-suggest.js';
import { REGISTRY_ERRORS } from './registry-errors.js';
import type { PatternResult, RegistryModel, ScopeResult } from './registry-types.js';

/** What choosing a model asks of the registry; each member loads no more than it needs. */
export interface ModelIndex {
  /** Every provider that may be named, hidden ones included. */
  providerIds(): Promise<readonly string[]>;
  /** The provider of this name, whatever the case. A hidden one is no longer hidden once it was named. */
  named(provider: string): Promise<string | undefined>;
  modelsOf(provider: string): Promise<readonly RegistryModel[]>;
  /** Models with credentials, in order. */
  available(): Promise<readonly RegistryModel[]>;
  /** Those of them that take no catalogue to know. */
  availableOwn(): Promise<readonly RegistryModel[]>;
  all(): Promise<readonly RegistryModel[]>;
  defaultId(provider: string): Promise<string | undefined>;
  custom(provider: string, id: string): Promise<RegistryModel | undefined>;
  /** False for a local service: any id is its user's business. */
  hasFixedList(provider: string): Promise<boolean>;
}

type Found = Extract<PatternResult, { ok: true }>;

/**
 * The model of `--model`: `provider/id`, an id, or a part of an id or name, each with an optional `:level`.
 * Source: usage document, "Model Options"; observed, 1.6.0.
 */
export async function resolvePattern(
  index: ModelIndex,
  text: string,
  options: { provider?: string } = {},
): Promise<PatternResult> {
  const pattern = text.trim();
  if (pattern === '') return refuse(REGISTRY_ERRORS.UNKNOWN_MODEL, 'The name of the model is empty.');
  if (options.provider !== undefined) {
    const provider = await index.named(options.provider);
    if (provider === undefined) return unknownProvider(index, options.provider);
    const prefix = `${provider}/`;
    const bare = pattern.toLowerCase().startsWith(prefix.toLowerCase()) ? pattern.slice(prefix.length) : undefined;
    // An id may itself begin with the provider's name (`openrouter/auto`).
    const whole = await inProvider(index, provider, pattern, { exactOnly: bare !== undefined });
    if (whole) return whole;
    return (bare && (await inProvider(index, provider, bare))) || withCustomId(index, provider, bare || pattern);
  }
  const slash = pattern.indexOf('/');
  const provider = slash > 0 ? await index.named(pattern.slice(0, slash)) : undefined;
  if (provider !== undefined) {
    const rest = pattern.slice(slash + 1);
    const exact = await inProvider(index, provider, rest, { exactOnly: true });
    // `openai/gpt-oss-120b` may also be an id of another provider, one with a key.
    const found = exact ?? (await anywhereExact(index, pattern)) ?? (await inProvider(index, provider, rest));
    return found ?? withCustomId(index, provider, rest);
  }
  return (await anywhereExact(index, pattern)) ?? (await anywherePart(index, pattern)) ?? unknownModel(index, pattern);
}

/** The models of `--models` and the setting `enabledModels`, in the order of the patterns, each once. */
export async function resolveScope(index: ModelIndex, patterns: string | readonly string[]): Promise<ScopeResult> {
  const list = typeof patterns === 'string' ? patterns.split(',') : patterns;
  const models: ScopeResult['models'] = [];
  const warnings: string[] = [];
  for (const pattern of list.map((item) => item.trim()).filter((item) => item !== '')) {
    const found = await scoped(index, pattern);
    if (found.length === 0) warnings.push(`No models match "${pattern}".`);
    for (const item of found) {
      const known = ({ model }: { model: RegistryModel }): boolean =>
        model.provider === item.model.provider && model.id === item.model.id;
      if (!models.some(known)) models.push(item);
    }
  }
  return { models, warnings };
}

async function scoped(index: ModelIndex, text: string): Promise<ScopeResult['models']> {
  const slash = text.indexOf('/');
  // Naming a provider makes it visible, whatever else the pattern is.
  if (slash > 0) await index.named(text.slice(0, slash));
  const available = await index.available();
  for (const { pattern, level } of readings(text)) {
    const exact = available.filter(({ provider, id }) => `${provider}/${id}`.toLowerCase() === pattern.toLowerCase());
    const models =
      exact.length > 0 ? exact : isGlob(pattern) ? globbed(available, pattern) : withId(available, pattern).slice(0, 1);
    if (models.length > 0) return models.map((model) => withLevel(model, level));
  }
  const { pattern, level } = splitLevel(text);
  const best = isGlob(pattern) ? undefined : bestPart(available, pattern);
  return best ? [withLevel(best, level)] : [];
}

async function inProvider(
  index: ModelIndex,
  provider: string,
  text: string,
  { exactOnly = false } = {},
): Promise<Found | undefined> {
  const models = await index.modelsOf(provider);
  for (const { pattern, level } of readings(text)) {
    const [model] = withId(models, pattern);
    if (model) return { ok: true, ...withLevel(model, level) };
  }
  if (exactOnly) return undefined;
  const { pattern, level } = splitLevel(text);
  const best = isGlob(pattern) ? newest(globbed(models, pattern)) : bestPart(models, pattern);
  return best && { ok: true, ...withLevel(best, level) };
}

async function anywhereExact(index: ModelIndex, text: string): Promise<PatternResult | undefined> {
  const asked = readings(text);
  for (const candidates of [index.availableOwn, index.available]) {
    const models = await candidates();
    // With a key, `gpt-oss-120b` may be `openai/gpt-oss-120b` of a service that sells models of others.
    for (const find of candidates === index.available ? [withId, withTail] : [withId]) {
      for (const { pattern, level } of asked) {
        const [first] = find(models, pattern);
        if (first) return { ok: true, ...withLevel(first, level) };
      }
    }
  }
  const all = await index.all();
  for (const { pattern, level } of asked) {
    const [first, ...others] = withId(all, pattern);
    if (!first) continue;
    if (others.length === 0) return { ok: true, ...withLevel(first, level) };
    const names = [first, ...others].map(({ provider, id }) => `${provider}/${id}`);
    const message = `"${text}" is a model of several providers and none of them has an API key: ${names.join(', ')}. Name one, or set its key.`;
    return refuse(REGISTRY_ERRORS.AMBIGUOUS_MODEL, message, names);
  }
  return undefined;
}

async function anywherePart(index: ModelIndex, text: string): Promise<Found | undefined> {
  const { pattern, level } = splitLevel(text);
  for (const candidates of [index.available, index.all]) {
    const models = await candidates();
    const best = isGlob(pattern) ? newest(globbed(models, pattern)) : bestPart(models, pattern);
    if (best) return { ok: true, ...withLevel(best, level) };
  }
  return undefined;
}

async function withCustomId(index: ModelIndex, provider: string, text: string): Promise<PatternResult> {
  const { pattern: id, level } = splitLevel(text);
  const model = id === '' ? undefined : await index.custom(provider, id);
  if (!model)
    return refuse(
      REGISTRY_ERRORS.UNKNOWN_MODEL,
      `Provider "${provider}" has no model "${id}", and nothing says how to reach one.`,
    );
  const fixed = await index.hasFixedList(provider);
  const [meant] = fixed
    ? nearest(
        id,
        (await index.modelsOf(provider)).map((known) => known.id),
        1,
      )
    : [];
  const hint = meant ? ` (did you mean "${meant}"?)` : '';
  const warning = `Model "${id}" is not known for provider "${provider}"${hint}; using it as a custom model id.`;
  return { ok: true, ...withLevel(model, level), ...(fixed ? { warning } : {}) };
}

async function unknownModel(index: ModelIndex, text: string): Promise<PatternResult> {
  const { pattern } = splitLevel(text);
  const available = await index.available();
  const models = available.length > 0 ? available : await index.all();
  const ids = nearest(pattern, [...new Set(models.flatMap(({ provider, id }) => [id, `${provider}/${id}`]))], 3);
  const slash = pattern.indexOf('/');
  const providers = slash > 0 ? await similarProviders(index, pattern.slice(0, slash)) : [];
  const suggestions = ids.length > 0 ? ids : providers.map((name) => `${name}/${pattern.slice(slash + 1)}`);
  const level = /^(.+):([^/:]+)$/.exec(pattern);
  const levelHint =
    level?.[1] && withId(models, level[1]).length > 0
      ? ` "${level[2]}" is not a thinking level (off, minimal, low, medium, high, xhigh, max).`
      : '';
  const service = UNSUPPORTED_PROVIDERS.get(pattern.slice(0, Math.max(slash, 0)));
  const reason = service ? ` ${service} cannot be reached by this program.` : levelHint;
  return refuse(
    REGISTRY_ERRORS.UNKNOWN_MODEL,
    `No model matches "${text}".${reason}${didYouMean(suggestions)} "pi --list-models" shows what can be used.`,
    suggestions,
  );
}

/** The refusal for a provider nobody knows. */
export async function unknownProvider(index: ModelIndex, provider: string): Promise<Extract<PatternResult, { ok: false }>> {
  const service = UNSUPPORTED_PROVIDERS.get(provider);
  if (service)
    return refuse(REGISTRY_ERRORS.UNKNOWN_PROVIDER, `Provider "${provider}": ${service} cannot be reached by this program.`);
  const suggestions = await similarProviders(index, provider);
  const known = suggestions.length > 0 ? '' : ` Known are ${(await index.providerIds()).join(', ')}.`;
  return refuse(
    REGISTRY_ERRORS.UNKNOWN_PROVIDER,
    `Unknown provider "${provider}".${didYouMean(suggestions)}${known}`,
    suggestions,
  );
}

async function similarProviders(index: ModelIndex, name: string): Promise<string[]> {
  return nearest(name, await index.providerIds(), 3);
}

function didYouMean(suggestions: readonly string[]): string {
  return suggestions.length > 0 ? ` Did you mean ${suggestions.join(', ')}?` : '';
}

function withLevel(model: RegistryModel, thinkingLevel: Found['thinkingLevel']): Omit<Found, 'ok'> {
  return thinkingLevel === undefined ? { model } : { model, thinkingLevel };
}

function refuse(code: string, error: string, suggestions: readonly string[] = []): Extract<PatternResult, { ok: false }> {
  return { ok: false, code, error, suggestions };
}
