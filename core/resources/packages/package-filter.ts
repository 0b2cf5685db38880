import path from 'node:path';

/** Decides about paths of a package, each given from its root with `/`. */
export interface PackageFilter {
  lets(file: string): boolean;
}

/**
 * The list of one kind in a settings entry: patterns to load, `!pattern` to leave out, `+path` and `-path` to load or leave out exactly
 * that. No list loads all, an empty one nothing; a list of exceptions alone is about everything else, unless `startsEmpty`. A pattern may
 * match the path from the package's root, or the name alone; a skill or an extension in a folder of its own also answers to the folder.
 * Source: "Packages", Package Filtering; which names a pattern may match was found by running the existing program.
 */
export async function packageFilter(list: readonly string[] | undefined, startsEmpty = false): Promise<PackageFilter> {
  if (list === undefined) return { lets: () => !startsEmpty };
  const rules = await filterRules(list);
  const isNarrow = rules.isNarrow || startsEmpty || list.length === 0;
  return { lets: (file) => rules.verdict(file) ?? !isNarrow };
}

/** What a list adds to, and takes from, a decision made elsewhere: undefined where it says nothing. */
export async function packageDelta(list: readonly string[] | undefined): Promise<(file: string) => boolean | undefined> {
  const { verdict } = await filterRules(list ?? []);
  return verdict;
}

interface Rules {
  isNarrow: boolean;
  verdict(file: string): boolean | undefined;
}

async function filterRules(list: readonly string[]): Promise<Rules> {
  const { default: picomatch } = await import('picomatch');
  const clean = (pattern: string): string => pattern.replace(/^\.?\//, '').replace(/\/+$/, '');
  const sign = (mark: string): string[] => list.filter((item) => item.startsWith(mark)).map((item) => clean(item.slice(1)));
  const [out, forced, barred] = [sign('!'), new Set(sign('+')), new Set(sign('-'))];
  const wanted = list.filter((item) => !/^[!+-]/.test(item)).map(clean);
  const matcher = (patterns: string[]): ((name: string) => boolean) =>
    patterns.length === 0 ? () => false : picomatch(patterns, { dot: true });
  const [isWanted, isOut] = [matcher(wanted), matcher(out)];
  return {
    isNarrow: wanted.length > 0,
    verdict(file) {
      const exact = exactNames(file);
      if (exact.some((name) => barred.has(name))) return false;
      if (exact.some((name) => forced.has(name))) return true;
      const names = [...exact, ...exact.map((name) => path.posix.basename(name))];
      if (names.some(isOut)) return false;
      return names.some(isWanted) ? true : undefined;
    },
  };
}

/** `skills/a/SKILL.md` is also `skills/a`: the folder is what a person sees. */
function exactNames(file: string): string[] {
  const isWhole = /^(?:SKILL\.md|index\.[cm]?[jt]s)$/.test(path.posix.basename(file));
  const folder = path.posix.dirname(file);
  return isWhole && folder !== '.' ? [file, folder] : [file];
}
