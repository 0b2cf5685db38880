/** Fills in variables, and remembers what came out of them: keys, more often than not. */
export class Expander {
  /** Values that were filled in. */
  readonly filled = new Set<string>();
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** `${NAME}` and `${NAME:-instead}`. Throws, naming the variable, when it is not set and nothing stands in for it. */
  expand(text: string): string {
    return text.replaceAll(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, instead: string | undefined) => {
      const value = this.#env[name];
      if (value !== undefined && value !== '') {
        this.filled.add(value);
        return value;
      }
      if (instead !== undefined) return instead;
      throw new Error(`the variable ${name} is not set`);
    });
  }
}
