import { readJsonObject, textsOf } from '../shared/json-file.js';
import { textPattern } from '../shared/wildcards.js';

export type Verdict = 'allow' | 'ask' | 'deny';
const VERDICTS: readonly Verdict[] = ['deny', 'ask', 'allow'];

interface Rule {
  verdict: Verdict;
  text: string;
  pattern: RegExp;
}

/** What the settings say of commands: the strictest rule that fits counts. */
export class Rules {
  readonly problems: string[] = [];
  readonly #rules: Rule[] = [];

  /** Those of a project may make things stricter only. */
  static async read(user: string, project: string | undefined): Promise<Rules> {
    const rules = new Rules();
    await rules.#add(user, VERDICTS);
    if (project !== undefined) await rules.#add(project, ['deny', 'ask']);
    return rules;
  }

  get texts(): string[] {
    return this.#rules.map(({ verdict, text }) => `${verdict} ${text}`);
  }

  for(what: string): { verdict: Verdict; text: string } | undefined {
    for (const verdict of VERDICTS) {
      const found = this.#rules.find((rule) => rule.verdict === verdict && rule.pattern.test(what));
      if (found) return found;
    }
    return undefined;
  }

  async #add(file: string, verdicts: readonly Verdict[]): Promise<void> {
    try {
      const content = await readJsonObject(file);
      for (const verdict of verdicts)
        for (const text of textsOf(content, verdict, file)) this.#rules.push({ verdict, text, pattern: textPattern(text) });
    } catch (error) {
      this.problems.push(error instanceof Error ? error.message : String(error));
    }
  }
}
