import type { ThinkingLevel } from '../protocol/model.js';
import { isThinkingLevel } from './thinking.js';

export interface Named {
  id: string;
  name: string;
  provider: string;
}

/** Splits `:level` off the end; a suffix that is no level belongs to the id (`llama3.1:8b`). */
export function splitLevel(pattern: string): { pattern: string; level?: ThinkingLevel } {
  const colon = pattern.lastIndexOf(':');
  const suffix = pattern.slice(colon + 1).toLowerCase();
  if (colon <= 0 || !isThinkingLevel(suffix)) return { pattern };
  return { pattern: pattern.slice(0, colon), level: suffix };
}

/** The readings of a pattern, the one that takes it whole first. */
export function readings(pattern: string): { pattern: string; level?: ThinkingLevel }[] {
  const split = splitLevel(pattern);
  return split.level === undefined ? [{ pattern }] : [{ pattern }, split];
}

/** The models whose id is `id`; letters of other case count when no id fits as it is. */
export function withId<T extends Named>(models: readonly T[], id: string): T[] {
  const exact = models.filter((model) => model.id === id);
  if (exact.length > 0) return exact;
  const wanted = id.toLowerCase();
  return models.filter((model) => model.id.toLowerCase() === wanted);
}

/** The models whose id ends in `/id`, whatever the case. */
export function withTail<T extends Named>(models: readonly T[], id: string): T[] {
  const tail = `/${id.toLowerCase()}`;
  return models.filter((model) => model.id.toLowerCase().endsWith(tail));
}

const DATED = /[-@]\d{8}$|[-@]\d{4}-\d{2}-\d{2}$/;

/**
 * The model a part of an id (or else of a name) means. Of several of one provider the undated ones win, then the one sorted
 * last, which is the newest as versions are named; the provider listed first wins. Source: observed, 1.6.0.
 */
export function bestPart<T extends Named>(models: readonly T[], part: string): T | undefined {
  const wanted = part.toLowerCase();
  // Every id holds an empty part: it means none.
  if (wanted === '') return undefined;
  const byId = models.filter((model) => contains(model, wanted));
  return newest(byId.length > 0 ? byId : models.filter(({ name }) => name.toLowerCase().includes(wanted)));
}

/** `a/b` may reach over the slash; a part without one must be in the id, not in the provider's name. */
function contains({ id, provider }: Named, wanted: string): boolean {
  return (wanted.includes('/') ? `${provider}/${id}` : id).toLowerCase().includes(wanted);
}

/** The undated, last-sorted model of the first provider. */
export function newest<T extends Named>(models: readonly T[]): T | undefined {
  const provider = models[0]?.provider;
  const same = models.filter((model) => model.provider === provider);
  const undated = same.filter(({ id }) => !DATED.test(id));
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  return (undated.length > 0 ? undated : same).reduce<T | undefined>(
    (best, model) => (best && compare(best.id, model.id) >= 0 ? best : model),
    undefined,
  );
}

export function isGlob(pattern: string): boolean {
  return /[*?[]/.test(pattern);
}

/**
 * The models a glob takes, on `provider/id` or the bare id, whatever the case. `*` stops at a slash; only when that takes
 * nothing does it reach over, so that `openrouter/*` means all of them. Source: extensions document, `ctx.scopedModels`.
 */
export function globbed<T extends Named>(models: readonly T[], pattern: string): T[] {
  for (const star of ['[^/]*', '.*']) {
    const expression = new RegExp(`^${globSource(pattern, star)}$`, 'i');
    const found = models.filter(({ provider, id }) => expression.test(`${provider}/${id}`) || expression.test(id));
    if (found.length > 0) return found;
  }
  return [];
}

function globSource(pattern: string, star: string): string {
  return pattern.replace(
    /\*\*|\*|\?|\[(!?)([^\]/]+)\]|[\\^$.|+(){}[\]]/g,
    (token, not: string | undefined, set: string | undefined) => {
      if (token === '**') return '.*';
      if (token === '*') return star;
      if (token === '?') return '[^/]';
      if (set !== undefined) return `[${not ? '^' : ''}${set.replace(/[\\^]/g, '\\$&')}]`;
      return `\\${token}`;
    },
  );
}
