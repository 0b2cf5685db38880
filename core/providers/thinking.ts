import type { Model, ThinkingLevel } from '../protocol/model.js';

const ASCENDING: readonly ThinkingLevel[] = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
/** Levels a model has only when its map names a word for them. */
const OPT_IN: ReadonlySet<ThinkingLevel> = new Set(['xhigh', 'max']);
const ONLY_OFF: readonly ThinkingLevel[] = ['off'];

/** True for a word that names a thinking level. */
export function isThinkingLevel(word: string): word is ThinkingLevel {
  return (ASCENDING as readonly string[]).includes(word);
}

/**
 * The levels of a model, ascending; `['off']` when it cannot think or none is left.
 * Source: models document, "Thinking Level Map".
 */
export function levelsOf(model: Model | undefined): readonly ThinkingLevel[] {
  if (!model?.reasoning) return ONLY_OFF;
  const map = model.thinkingLevelMap ?? {};
  const levels = ASCENDING.filter((level) => (OPT_IN.has(level) ? typeof map[level] === 'string' : map[level] !== null));
  return levels.length > 0 ? levels : ONLY_OFF;
}

/**
 * The level itself when the model has it, else the next higher one, else its highest: who asked for thinking gets some, and
 * a model that always thinks does it at its lowest when asked not to. Source: observed, 1.6.0.
 */
export function clampLevel(model: Model | undefined, level: ThinkingLevel): ThinkingLevel {
  const levels = levelsOf(model);
  const wanted = ASCENDING.indexOf(level);
  return levels.find((own) => ASCENDING.indexOf(own) >= wanted) ?? levels.at(-1) ?? 'off';
}

/** The level after `level`, going round; undefined when the model has only one. */
export function nextLevel(model: Model | undefined, level: ThinkingLevel): ThinkingLevel | undefined {
  const levels = levelsOf(model);
  if (levels.length < 2) return undefined;
  return levels[(levels.indexOf(level) + 1) % levels.length];
}

/** Where a model starts when nobody chose: `medium` (clamped) when it can think, else `off`. */
export function defaultLevel(model: Model | undefined): ThinkingLevel {
  return clampLevel(model, model?.reasoning ? 'medium' : 'off');
}
