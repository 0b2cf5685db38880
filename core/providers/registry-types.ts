import type { Model, ModelCost, ThinkingLevel } from '../protocol/model.js';
import type { ModelStream } from '../protocol/model-stream.js';

/** Rates that apply to a whole request whose input (cache included) is larger. Source: models document, "Model Configuration". */
export interface CostTier extends ModelCost {
  inputTokensAbove: number;
}

/** A model with what models.json may say beyond the fields clients are promised. */
export interface RegistryModel extends Model {
  cost: ModelCost & { tiers?: CostTier[] };
  /** Merged into the request body as they are, by the OpenAI dialects. */
  samplingParams?: Record<string, unknown>;
}

/** What a model entry may say; everything but `id` has a default. */
export interface ModelConfig extends Partial<Omit<RegistryModel, 'provider' | 'id' | 'cost'>> {
  id: string;
  cost?: Partial<RegistryModel['cost']>;
}

export type ModelOverride = Omit<ModelConfig, 'id' | 'api' | 'baseUrl'>;

/**
 * A provider as models.json or an extension describes it. Key and headers are read as in {@link parseEnvValue}.
 * Source: models document; custom-provider document, "Config Reference".
 */
export interface ProviderConfig {
  name?: string;
  baseUrl?: string;
  api?: string;
  apiKey?: string;
  headers?: Record<string, string>;
  /** Sends `Authorization: Bearer <key>` too. */
  authHeader?: boolean;
  compat?: Record<string, unknown>;
  models?: ModelConfig[];
  modelOverrides?: Record<string, ModelOverride>;
}

/** A provider registered by code: it may bring its own stream, and stay out of sight. */
export interface RegisteredProvider extends ProviderConfig {
  /** Answers for its models, and for models of its `api` that others define. */
  stream?: ModelStream;
  /** Its models are used only when named: by flag, settings or session. */
  hidden?: boolean;
  /** It works without a key. */
  keyless?: boolean;
}

/** A problem of a file of this room; the shape of `get_diagnostics`, plus the key it is about. */
export interface RegistryDiagnostic {
  kind: 'models' | 'auth';
  severity: 'error' | 'warning' | 'info';
  message: string;
  path?: string;
  line?: number;
  key?: string;
}

export type PatternResult =
  | { ok: true; model: RegistryModel; thinkingLevel?: ThinkingLevel; warning?: string }
  | { ok: false; code: string; error: string; suggestions: readonly string[] };

export interface ScopeResult {
  models: { model: RegistryModel; thinkingLevel?: ThinkingLevel }[];
  warnings: string[];
}
