import { CodedError } from '../base/coded-error.js';
import type { Usage } from '../protocol/usage.js';
import { AGENT_ERRORS } from './errors.js';

export interface BudgetLimits {
  /** Model calls of the whole process. */
  maxTurns?: number | undefined;
  /** US dollars of the whole process. */
  maxCost?: number | undefined;
}

/** What a process may spend (guarantee 33): asked before each model call, told after it. */
export class Budget {
  readonly #limits: BudgetLimits;
  #turns = 0;
  #cost = 0;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  /** Throws `BUDGET_SPENT` when another call would go over a limit. */
  check(): void {
    const { maxTurns, maxCost } = this.#limits;
    if (maxTurns !== undefined && this.#turns >= maxTurns) {
      throw new CodedError(AGENT_ERRORS.BUDGET_SPENT, `Stopped: the limit of ${maxTurns} turns (--max-turns) is reached`);
    }
    if (maxCost !== undefined && this.#cost >= maxCost) {
      const spent = this.#cost.toFixed(4);
      throw new CodedError(
        AGENT_ERRORS.BUDGET_SPENT,
        `Stopped: the limit of $${maxCost} (--max-cost) is reached; $${spent} were spent`,
      );
    }
  }

  /** Counts one model call. */
  turn(usage: Usage): void {
    this.#turns += 1;
    this.spend(usage);
  }

  /** Counts what was spent beside the turns: by tools, and for summaries. */
  spend(usage: Usage | undefined): void {
    this.#cost += usage?.cost.total ?? 0;
  }
}
