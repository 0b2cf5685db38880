import path from 'node:path';
import { expandHome } from './agent-dir.js';

/** A list of paths of a settings file or a package's manifest, taken apart. */
export interface PathWishes {
  /** Paths and globs as they were written, in their order, each with its place in the list. */
  readonly wanted: readonly Wish[];
  /** `+path`: wanted whatever a pattern says. */
  readonly forced: readonly Wish[];
  /** What the list says of a file that was found: `in` when it names it with `+`, nothing when it has no exception for it. */
  verdict(file: string): 'in' | 'out' | undefined;
}

export interface Wish {
  /** Absolute, or a glob. */
  readonly target: string;
  readonly isGlob: boolean;
  readonly index: number;
}

/**
 * Reads such a list: a path or glob to load, `!glob` to take out, `-path` to take exactly this out, `+path` to take exactly this in.
 * Exact ones count more than globs, and of two the one that names more of the path, then `-`. A folder stands for all in it. A `!glob`
 * without a slash is a name at any depth. Source: "Settings", Resources; "Packages", Package Filtering.
 */
export async function parseWishes(words: readonly string[], baseDir: string, home: string): Promise<PathWishes> {
  const resolved = (word: string): string => path.resolve(baseDir, expandHome(word, home));
  const wanted: Wish[] = [];
  const forced: Wish[] = [];
  const exact: { target: string; isIn: boolean }[] = [];
  const patterns: string[] = [];
  for (const [index, word] of words.entries()) {
    const rest = word.slice(1);
    if (word.startsWith('!')) patterns.push(expandHome(rest, home));
    else if (word.startsWith('-')) exact.push({ target: resolved(rest), isIn: false });
    else if (word.startsWith('+')) {
      exact.push({ target: resolved(rest), isIn: true });
      forced.push({ target: resolved(rest), isGlob: false, index });
    } else {
      const isGlob = /[*?[{]/.test(word);
      wanted.push({ target: isGlob ? expandHome(word, home) : resolved(word), isGlob, index });
    }
  }
  // The longest first, and of equals the one that takes out.
  exact.sort((a, b) => b.target.length - a.target.length || Number(a.isIn) - Number(b.isIn));
  const matchers = await Promise.all(patterns.map((pattern) => matcherOf(pattern, baseDir)));
  return {
    wanted,
    forced,
    verdict(file) {
      const named = exact.find(({ target }) => file === target || file.startsWith(target + path.sep));
      if (named) return named.isIn ? 'in' : 'out';
      return matchers.some((matches) => matches(file)) ? 'out' : undefined;
    },
  };
}

/** What a glob finds, as absolute paths in order. Hidden files are only found when they are named, and node_modules are not searched. */
export async function findGlob(pattern: string, baseDir: string): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const parts = path.resolve(baseDir, pattern).split(path.sep);
  // The search begins in the last folder that is named: what is left out is told by paths from there.
  const at = parts.findIndex((part) => /[*?[{]/.test(part));
  const cwd = parts.slice(0, at).join(path.sep) || path.sep;
  const found = await glob([parts.slice(at).join('/')], {
    cwd,
    absolute: true,
    onlyFiles: false,
    expandDirectories: false,
    ignore: ['**/node_modules/**'],
  });
  return found.map((match) => path.resolve(match)).sort();
}

async function matcherOf(pattern: string, baseDir: string): Promise<(file: string) => boolean> {
  const { default: picomatch } = await import('picomatch');
  const clean = pattern.replace(/^\.\//, '').replace(/\/+$/, '');
  const isMatch = picomatch(clean, { dot: true });
  if (!clean.includes('/'))
    return (file) =>
      path
        .relative(baseDir, file)
        .split(path.sep)
        .some((name) => isMatch(name));
  // `**/x` may be anywhere, also where only "../" leads from here, which `**` does not stand for.
  const isAnywhere = path.isAbsolute(clean) || clean.startsWith('**/');
  return (file) => {
    const parts = (isAnywhere ? path.resolve(file) : path.relative(baseDir, file)).split(path.sep);
    // The file itself, or any folder it is in.
    return parts.some((_, end) => isMatch(parts.slice(0, end + 1).join('/')));
  };
}
