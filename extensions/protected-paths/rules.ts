import os from 'node:os';
import path from 'node:path';
import { readJsonObject, textsOf } from '../shared/json-file.js';
import { realPath } from '../shared/real-path.js';
import { globPattern } from '../shared/wildcards.js';

/** Protected unless the settings say otherwise. */
export const DEFAULTS: readonly string[] = [
  '.env',
  '.env.*',
  '!.env.example',
  '!.env.sample',
  '!.env.template',
  '.git/**',
  '*.pem',
  '*.key',
  'id_rsa*',
  'id_ed25519*',
  '~/.ssh/**',
  '~/.pi/agent/auth.json',
];

interface Rule {
  text: string;
  refuses: boolean;
  pattern: RegExp;
  /** The pattern is for the last part of a path only. */
  isName: boolean;
}

/** Which files may not be changed. */
export class ProtectedPaths {
  readonly problems: string[] = [];
  readonly #rules: Rule[] = [];
  readonly #cwd: string;

  private constructor(cwd: string) {
    this.#cwd = realPath('.', cwd);
  }

  /** A project's file is read when somebody trusts the project. */
  static async read(cwd: string, files: readonly string[]): Promise<ProtectedPaths> {
    const rules = new ProtectedPaths(cwd);
    const texts: string[] = [];
    let defaults = true;
    for (const file of files) {
      try {
        const content = await readJsonObject(file);
        if (content?.defaults === false) defaults = false;
        texts.push(...textsOf(content, 'paths', file));
      } catch (error) {
        rules.problems.push(error instanceof Error ? error.message : String(error));
      }
    }
    for (const text of [...(defaults ? DEFAULTS : []), ...texts]) rules.#add(text);
    return rules;
  }

  get texts(): string[] {
    return this.#rules.map(({ text }) => text);
  }

  /** The rule that protects a file, as it is written; undefined when none does. The last rule that fits counts. */
  ruleFor(given: string): string | undefined {
    const file = realPath(given, this.#cwd);
    const written = path.resolve(this.#cwd, given);
    const fits = ({ pattern, isName }: Rule): boolean =>
      [file, written].some((one) => pattern.test(isName ? path.basename(one) : one.split(path.sep).join('/')));
    const last = this.#rules.findLast(fits);
    return last?.refuses ? last.text : undefined;
  }

  #add(text: string): void {
    const refuses = !text.startsWith('!');
    const glob = refuses ? text : text.slice(1);
    const isName = !glob.includes('/');
    const full = glob.startsWith('~/') ? path.join(os.homedir(), glob.slice(2)) : path.resolve(this.#cwd, glob);
    // Where the file system makes no difference between cases, neither do we.
    const flags = process.platform === 'linux' ? '' : 'i';
    this.#rules.push({ text, refuses, isName, pattern: globPattern(isName ? glob : full.split(path.sep).join('/'), flags) });
    // The folder itself, too.
    if (glob.endsWith('/**')) this.#rules.push({ text, refuses, isName: false, pattern: globPattern(full.slice(0, -3), flags) });
  }
}
