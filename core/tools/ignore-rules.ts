import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Ignore, Options } from 'ignore';

type MakeIgnore = (options?: Options) => Ignore;

/** The library keeps every path it was asked about; beyond this many it is made anew, so that a huge tree costs no memory. */
const MAX_REMEMBERED = 10_000;

/** The rules of one folder's ignore files, asked about what lies below it. */
class FolderRules {
  readonly folder: string;
  readonly #make: MakeIgnore;
  readonly #texts: readonly string[];
  #matcher: Ignore;
  #asked = 0;

  constructor(folder: string, texts: readonly string[], make: MakeIgnore) {
    this.folder = folder;
    this.#make = make;
    this.#texts = texts;
    this.#matcher = this.#build();
  }

  /** True ignored, false taken back by a `!` rule, undefined when no rule speaks of it. */
  test(path: string, isFolder: boolean): boolean | undefined {
    const inside = relative(this.folder, path).split(sep).join('/');
    if (inside === '' || inside.startsWith('../')) return undefined;
    this.#asked += 1;
    if (this.#asked > MAX_REMEMBERED) {
      this.#matcher = this.#build();
      this.#asked = 0;
    }
    const { ignored, unignored } = this.#matcher.test(isFolder ? `${inside}/` : inside);
    return ignored ? true : unignored ? false : undefined;
  }

  #build(): Ignore {
    const matcher = this.#make({ allowRelativePaths: true });
    for (const text of this.#texts) matcher.add(text);
    return matcher;
  }
}

/**
 * What git would ignore: `.gitignore` of every folder from the repository's root down, `.git/info/exclude`, and `.ignore` as search tools
 * know it. Deeper rules win. `.git` itself is always ignored. Works without a repository too.
 */
export class IgnoreRules {
  readonly #levels: readonly FolderRules[];
  readonly #make: MakeIgnore;

  private constructor(levels: readonly FolderRules[], make: MakeIgnore) {
    this.#levels = levels;
    this.#make = make;
  }

  /** The rules that hold in `folder`, those of its parents up to the repository's root included. */
  static async open(folder: string): Promise<IgnoreRules> {
    // Loaded by the first search only. A CommonJS module: its function is the default export or the module itself.
    const module = await import('ignore');
    const make = module.default as unknown as MakeIgnore;
    let rules = new IgnoreRules([], make);
    for (const parent of await foldersFromRoot(folder)) rules = await rules.enter(parent);
    return rules;
  }

  /** The rules below a folder: these and its own. */
  async enter(folder: string): Promise<IgnoreRules> {
    const files = ['.git/info/exclude', '.gitignore', '.ignore'];
    const texts = (await Promise.all(files.map((name) => textIfAny(join(folder, name))))).filter((text) => text !== '');
    if (texts.length === 0) return this;
    return new IgnoreRules([...this.#levels, new FolderRules(folder, texts, this.#make)], this.#make);
  }

  ignores(path: string, isFolder: boolean): boolean {
    if (path.endsWith(`${sep}.git`)) return true;
    for (let level = this.#levels.length - 1; level >= 0; level -= 1) {
      const verdict = this.#levels[level]?.test(path, isFolder);
      if (verdict !== undefined) return verdict;
    }
    return false;
  }
}

/** The folders whose rules reach into `folder`, outermost first: from the repository's root, or only itself outside a repository. */
async function foldersFromRoot(folder: string): Promise<string[]> {
  const path: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    path.unshift(at);
    if (await exists(join(at, '.git'))) return path;
    if (dirname(at) === at) return [folder];
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    // Not there, or not ours to look at: no repository for us.
    return false;
  }
}

async function textIfAny(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    // No rules, or none that may be read: git goes on without them as well.
    return '';
  }
}
