import { CodedError } from '../base/coded-error.js';
import type { Model, ThinkingLevel } from '../protocol/model.js';
import type { ModelRegistry } from '../providers/registry.js';
import { isThinkingLevel } from '../providers/thinking.js';
import type { Settings } from '../resources/setting-table.js';
import type { Session } from '../session/session.js';
import { APP_ERRORS } from './errors.js';

export interface ModelFlags {
  provider?: string | undefined;
  model?: string | undefined;
  thinking?: ThinkingLevel | undefined;
}

export interface ChosenModel {
  model: Model | undefined;
  level: ThinkingLevel | undefined;
  warnings: string[];
}

/**
 * The model and level a session starts with: the command line's, else the session's own, else the settings', else the first usable.
 * Throws `USAGE` when the command line names one that does not exist. Source: FACTS "Flags".
 */
export async function chooseModel(
  registry: ModelRegistry,
  session: Session,
  settings: Settings,
  flags: ModelFlags,
): Promise<ChosenModel> {
  const warnings: string[] = [];
  const recordedLevel = session.thinkingLevel();
  const sessionLevel = recordedLevel !== undefined && isThinkingLevel(recordedLevel) ? recordedLevel : undefined;
  const fallback = flags.thinking ?? sessionLevel ?? settings.defaultThinkingLevel;

  if (flags.model !== undefined || flags.provider !== undefined) {
    const result = await ofFlags(registry, settings, flags);
    if (!result.ok) throw new CodedError(APP_ERRORS.USAGE, result.error);
    if (result.warning) warnings.push(result.warning);
    return { model: result.model, level: flags.thinking ?? result.thinkingLevel ?? fallback, warnings };
  }
  const recorded = session.model();
  if (recorded) {
    const model = await registry.find(recorded.provider, recorded.modelId);
    if (model) return { model, level: fallback, warnings };
    warnings.push(`The session's model ${recorded.provider}/${recorded.modelId} can't be used now; another one is taken.`);
  }
  const { model, warning } = await registry.defaultModel(settings);
  if (warning) warnings.push(warning);
  return { model, level: fallback, warnings };
}

async function ofFlags(
  registry: ModelRegistry,
  settings: Settings,
  flags: ModelFlags,
): ReturnType<ModelRegistry['resolvePattern']> {
  const { provider, model } = flags;
  // A hidden provider is in sight once its name was said: `--model offline` says it too.
  if (model !== undefined) await registry.reveal(model.split(/[/:]/)[0] ?? model);
  if (model !== undefined) return registry.resolvePattern(model, provider === undefined ? {} : { provider });
  return registry.defaultOfProvider(provider ?? '', settings);
}
