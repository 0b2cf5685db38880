import { CodedError } from '../base/coded-error.js';
import type { NewEntry } from '../protocol/entries.js';
import type { Model, ThinkingLevel } from '../protocol/model.js';
import { AGENT_ERRORS } from './errors.js';
import type { Emit, ModelSource } from './ports.js';

export interface ThinkingRules {
  /** Levels of a model in ascending order; `['off']` when it cannot think. */
  levelsOf(model: Model | undefined): readonly ThinkingLevel[];
  /** The nearest level the model has. */
  clamp(model: Model | undefined, level: ThinkingLevel): ThinkingLevel;
}

/** A change of the model or its level, with what was before. Source: extensions document, "Model Events". */
export type ModelChoiceChange =
  | { type: 'model_select'; model: Model; previousModel: Model | undefined; source: 'set' | 'cycle' }
  | { type: 'thinking_level_select'; level: ThinkingLevel; previousLevel: ThinkingLevel };

export interface ModelChoiceOptions {
  source: ModelSource;
  thinking: ThinkingRules;
  /** Limits cycling to these (`--models`). */
  scope?: readonly { model: Model; thinkingLevel?: ThinkingLevel | undefined }[] | undefined;
  append: (entry: NewEntry) => void;
  emit: Emit;
  /** Told of real changes only; of the level first when a new model brings another one. */
  onChange?: (change: ModelChoiceChange) => void;
}

/** Which model answers and how hard it thinks; every change is recorded in the session. */
export class ModelChoice {
  readonly #options: ModelChoiceOptions;
  #model: Model | undefined;
  #level: ThinkingLevel = 'off';
  /** What was asked for: a later model that can do more gets it back. */
  #wanted: ThinkingLevel | undefined;

  constructor(options: ModelChoiceOptions) {
    this.#options = options;
  }

  get model(): Model | undefined {
    return this.#model;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#level;
  }

  get levels(): readonly ThinkingLevel[] {
    return this.#options.thinking.levelsOf(this.#model);
  }

  /** Takes over what start-up or a loaded session chose, without recording it. */
  restore(model: Model | undefined, level: ThinkingLevel | undefined): void {
    this.#model = model;
    this.#wanted = level;
    this.#level = this.#clamp(level);
  }

  async set(provider: string, id: string): Promise<Model> {
    const model = await this.#options.source.find(provider, id);
    if (!model)
      throw new CodedError(AGENT_ERRORS.MODEL_NOT_FOUND, `Model not found: ${provider}/${id}`, { data: { provider, id } });
    this.use(model);
    return model;
  }

  use(model: Model, level?: ThinkingLevel, source: 'set' | 'cycle' = 'set'): void {
    const { append, onChange } = this.#options;
    const previousModel = this.#model;
    // Recorded first: what can't be stored is not in force either.
    append({ type: 'model_change', provider: model.provider, modelId: model.id });
    this.#model = model;
    if (level !== undefined) this.#wanted = level;
    const next = this.#clamp(this.#wanted);
    if (next !== this.#level) this.#change(next);
    else if (model.reasoning) append({ type: 'thinking_level_change', thinkingLevel: next });
    const isOther = previousModel?.provider !== model.provider || previousModel.id !== model.id;
    if (isOther) onChange?.({ type: 'model_select', model, previousModel, source });
  }

  /** The next model of the scope, or of all available ones; undefined when there is no other. */
  async cycle(): Promise<{ model: Model; thinkingLevel: ThinkingLevel; isScoped: boolean } | undefined> {
    const scope = this.#options.scope;
    const candidates = scope ?? (await this.#options.source.available()).map((model) => ({ model, thinkingLevel: undefined }));
    if (candidates.length < 2) return undefined;
    const at = candidates.findIndex(({ model }) => model.provider === this.#model?.provider && model.id === this.#model?.id);
    const next = candidates[(at + 1) % candidates.length];
    if (!next) return undefined;
    this.use(next.model, next.thinkingLevel, 'cycle');
    return { model: next.model, thinkingLevel: this.#level, isScoped: scope !== undefined };
  }

  setLevel(level: ThinkingLevel): void {
    this.#wanted = level;
    const next = this.#clamp(level);
    if (next !== this.#level) this.#change(next);
  }

  cycleLevel(): ThinkingLevel | undefined {
    const levels = this.levels;
    if (levels.length < 2) return undefined;
    const next = levels[(levels.indexOf(this.#level) + 1) % levels.length];
    if (next !== undefined) this.setLevel(next);
    return next;
  }

  #clamp(level: ThinkingLevel | undefined): ThinkingLevel {
    const fallback: ThinkingLevel = this.#model?.reasoning ? 'medium' : 'off';
    return this.#options.thinking.clamp(this.#model, level ?? fallback);
  }

  #change(level: ThinkingLevel): void {
    this.#options.append({ type: 'thinking_level_change', thinkingLevel: level });
    const previousLevel = this.#level;
    this.#level = level;
    void this.#options.emit({ type: 'thinking_level_changed', level });
    this.#options.onChange?.({ type: 'thinking_level_select', level, previousLevel });
  }
}
