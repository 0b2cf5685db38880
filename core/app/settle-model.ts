import type { ModelChoice } from '../agent/model-choice.js';
import type { ModelRegistry } from '../providers/registry.js';
import type { LoadedSettings } from '../resources/settings.js';
import type { Session } from '../session/session.js';
import { chooseModel, type ModelFlags } from './choose-model.js';

export interface ModelSettlerOptions {
  registry: ModelRegistry;
  settings: LoadedSettings['settings'];
  flags: ModelFlags;
  models: ModelChoice;
  warn: (text: string) => void;
}

/** Chooses the model of a session from flags, session and settings, and records the choice where the session does not have it yet. */
export class ModelSettler {
  readonly #options: ModelSettlerOptions;
  #postponed: Session | undefined;

  constructor(options: ModelSettlerOptions) {
    this.#options = options;
  }

  /** True while the choice waits for models that extensions may still offer. */
  get isOpen(): boolean {
    return this.#postponed !== undefined;
  }

  /** With `mayWait`, a choice that does not go as wished is put off until {@link finish}. */
  async settle(session: Session, mayWait = false): Promise<void> {
    const { registry, settings, flags, models, warn } = this.#options;
    this.#postponed = undefined;
    try {
      const { model, level, warnings } = await chooseModel(registry, session, settings, flags);
      if (mayWait && (!model || warnings.length > 0)) {
        this.#postponed = session;
        return;
      }
      for (const text of warnings) warn(text);
      models.restore(model, level);
      record(session, models);
    } catch (error) {
      if (!mayWait) throw error;
      this.#postponed = session;
    }
  }

  /** All extensions have loaded: what was put off is decided with the models there are. A model nobody has is said, not thrown. */
  async finish(): Promise<void> {
    const session = this.#postponed;
    if (session) await this.settle(session);
  }
}

function record(session: Session, models: ModelChoice): void {
  // Another process writes to it: here it can be read, and there is nothing to record.
  if (session.lockedBy) return;
  const { model, thinkingLevel } = models;
  const recorded = session.model();
  if (model && (recorded?.provider !== model.provider || recorded.modelId !== model.id)) {
    session.append({ type: 'model_change', provider: model.provider, modelId: model.id });
  }
  if (session.thinkingLevel() !== thinkingLevel) session.append({ type: 'thinking_level_change', thinkingLevel });
}
