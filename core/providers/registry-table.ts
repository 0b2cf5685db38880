import type { RegistryModel } from './registry-types.js';

const COLUMNS = ['provider', 'model', 'context', 'max-out', 'thinking', 'images'] as const;

/** The text of `--list-models`: a table of models, the first column the provider. Source: observed, 1.6.0. */
export function modelTable(models: readonly RegistryModel[]): string {
  const rows = models.map((model) => [
    model.provider,
    model.id,
    shortCount(model.contextWindow),
    shortCount(model.maxTokens),
    model.reasoning ? 'yes' : 'no',
    model.input.includes('image') ? 'yes' : 'no',
  ]);
  const lines = [COLUMNS, ...rows];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** `128K`, `16.4K`, `1M`: thousands and millions of tokens. */
function shortCount(tokens: number): string {
  const short = (value: number): string => String(Math.round(value * 10) / 10);
  if (tokens >= 999_950) return `${short(tokens / 1_000_000)}M`;
  return tokens >= 1000 ? `${short(tokens / 1000)}K` : String(tokens);
}

/**
 * The models a search means: every word of it is in `provider/id`; when none has that, its letters in that order.
 */
export function searchModels(models: readonly RegistryModel[], search: string): RegistryModel[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const named = models.map((model) => ({ model, text: `${model.provider}/${model.id}`.toLowerCase() }));
  const having = named.filter(({ text }) => words.every((word) => text.includes(word)));
  const found = having.length > 0 ? having : named.filter(({ text }) => words.every((word) => isSpread(word, text)));
  return found.map(({ model }) => model);
}

function isSpread(word: string, text: string): boolean {
  let at = 0;
  for (const char of word) {
    at = text.indexOf(char, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
