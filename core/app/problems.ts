import { redact } from '../base/secrets.js';
import type { Diagnostic } from '../protocol/commands/state.js';

/** Every problem that was found, for `get_diagnostics`; each is said once on stderr. */
export class Problems {
  readonly all: Diagnostic[] = [];
  readonly #warn: (text: string) => void;

  /** `warn` writes one line for a person. */
  constructor(warn: (text: string) => void) {
    this.#warn = warn;
  }

  report(given: Diagnostic): void {
    const problem = { ...given, message: redact(given.message) };
    this.all.push(problem);
    this.#warn(problem.message);
  }

  /** For what is looked at again and again. */
  reportOnce(problem: Diagnostic): void {
    if (!this.has(problem)) this.report(problem);
  }

  has({ path, line, message }: Diagnostic): boolean {
    return this.all.some((known) => known.path === path && known.line === line && known.message === message);
  }
}
