import type { Model, ThinkingLevel } from '../../../protocol/model.js';
import { bestPart, globbed, isGlob, newest, readings, splitLevel, withId, withTail } from '../../../providers/model-pattern.js';

/** What is looked through: a runtime, or a registry over one. */
interface ModelList {
  getModels?(): Model[];
  getAll?(): Model[];
  getAvailableSnapshot?(): Model[];
  getAvailable?(): Model[] | Promise<Model[]>;
}

export interface ResolveCliModelOptions {
  cliProvider?: string;
  cliModel?: string;
  modelRuntime?: ModelList;
  modelRegistry?: ModelList;
}

export interface ResolvedCliModel {
  model?: Model;
  thinkingLevel?: ThinkingLevel;
  warning?: string;
  error?: string;
}

/**
 * The model that `--provider` and `--model` mean; those with credentials first where a part of a name fits several. Nothing for nothing.
 * Source: sdk document, "Model"; usage document, "Model Options".
 */
export function resolveCliModel(options: ResolveCliModelOptions): ResolvedCliModel {
  const { cliProvider, cliModel } = options;
  if (cliModel === undefined) return {};
  const list = options.modelRuntime ?? options.modelRegistry ?? {};
  const all = allOf(list);
  if (cliProvider !== undefined) {
    const provider = all.find((model) => model.provider.toLowerCase() === cliProvider.toLowerCase())?.provider;
    if (provider === undefined) return { error: `Unknown provider "${cliProvider}". Use --list-models to see what there is.` };
    const bare = cliModel.toLowerCase().startsWith(`${provider.toLowerCase()}/`) ? cliModel.slice(provider.length + 1) : cliModel;
    return inProvider(all, provider, bare);
  }
  const slash = cliModel.indexOf('/');
  const named = slash > 0 ? cliModel.slice(0, slash).toLowerCase() : undefined;
  const provider = all.find((model) => model.provider.toLowerCase() === named)?.provider;
  const available = snapshotOf(list);
  const anywhere = (): ResolvedCliModel | undefined => exact(available, cliModel) ?? exact(all, cliModel);
  if (provider !== undefined) {
    const rest = cliModel.slice(slash + 1);
    const own = all.filter((model) => model.provider === provider);
    return exact(own, rest) ?? anywhere() ?? inProvider(all, provider, rest);
  }
  return (
    anywhere() ??
    partOf(available, cliModel) ??
    partOf(all, cliModel) ?? { error: `Model "${cliModel}" not found. Use --list-models to see available models.` }
  );
}

export interface ModelScopeDiagnostic {
  type: 'warning';
  code: 'no-match';
  message: string;
  pattern: string;
}

/** The models of `--models` and `enabledModels`, each once, in the order of the patterns. Source: sdk document, "Model". */
export async function resolveModelScopeWithDiagnostics(
  patterns: readonly string[],
  list: ModelList,
): Promise<{ scopedModels: { model: Model; thinkingLevel?: ThinkingLevel }[]; diagnostics: ModelScopeDiagnostic[] }> {
  const available = list.getAvailable ? await list.getAvailable() : snapshotOf(list);
  const scopedModels = new Map<Model, { model: Model; thinkingLevel?: ThinkingLevel }>();
  const diagnostics: ModelScopeDiagnostic[] = [];
  for (const pattern of patterns) {
    const { pattern: bare, level } = splitLevel(pattern);
    const found = isGlob(bare) ? globbed(available, bare) : oneOf(available, pattern);
    if (found.length === 0)
      diagnostics.push({ type: 'warning', code: 'no-match', message: `No models match pattern "${pattern}"`, pattern });
    for (const model of found) {
      if (!scopedModels.has(model)) scopedModels.set(model, { model, ...(level === undefined ? {} : { thinkingLevel: level }) });
    }
  }
  return { scopedModels: [...scopedModels.values()], diagnostics };
}

function oneOf(models: readonly Model[], pattern: string): Model[] {
  const { pattern: bare } = splitLevel(pattern);
  const whole = models.filter((model) => `${model.provider}/${model.id}`.toLowerCase() === bare.toLowerCase());
  const model = whole[0] ?? (exact(models, pattern) ?? partOf(models, pattern))?.model;
  return model ? [model] : [];
}

function inProvider(all: readonly Model[], provider: string, pattern: string): ResolvedCliModel {
  const own = all.filter((model) => model.provider === provider);
  const found = exact(own, pattern) ?? partOf(own, pattern);
  if (found) return found;
  const like = newest(own);
  if (!like) return { error: `Provider "${provider}" has no models.` };
  const { pattern: id, level } = splitLevel(pattern);
  return {
    model: { ...like, id, name: id },
    ...(level === undefined ? {} : { thinkingLevel: level }),
    warning: `Model "${id}" not found for provider "${provider}". Using custom model id.`,
  };
}

function exact(models: readonly Model[], pattern: string): ResolvedCliModel | undefined {
  for (const { pattern: id, level } of readings(pattern)) {
    const [model] = [...withId(models, id), ...withTail(models, id)];
    if (model) return { model, ...(level === undefined ? {} : { thinkingLevel: level }) };
  }
  return undefined;
}

function partOf(models: readonly Model[], pattern: string): ResolvedCliModel | undefined {
  for (const { pattern: part, level } of readings(pattern)) {
    const model = bestPart(models, part);
    if (model) return { model, ...(level === undefined ? {} : { thinkingLevel: level }) };
  }
  return undefined;
}

const allOf = (list: ModelList): Model[] => list.getModels?.() ?? list.getAll?.() ?? [];

function snapshotOf(list: ModelList): Model[] {
  const listed = list.getAvailableSnapshot?.() ?? list.getAvailable?.();
  return Array.isArray(listed) ? listed : [];
}
