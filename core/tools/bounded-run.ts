import { createContext, Script } from 'node:vm';
import { CodedError } from '../base/coded-error.js';
import { TOOL_ERRORS } from './errors.js';

let runner: { context: { run?: () => unknown }; script: Script } | undefined;

/**
 * Runs synchronous work and stops it after `ms`, also inside a regular expression that backtracks for ever: a pattern of the model or of an
 * extension must not freeze the program. Costs 0.06 ms. Throws `TOOL_PATTERN_TOO_SLOW` with `what` in its text.
 */
export function runBounded<T>(work: () => T, ms: number, what: string): T {
  runner ??= { context: createContext({}) as { run?: () => unknown }, script: new Script('run()') };
  const { context, script } = runner;
  context.run = work;
  try {
    return script.runInContext(context, { timeout: ms }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new CodedError(TOOL_ERRORS.PATTERN_TOO_SLOW, `${what} takes too long (nested repetition?)`, { cause: error });
  } finally {
    delete context.run;
  }
}
