import { messageOf } from '../base/coded-error.js';
import { abortedError } from '../base/deadline.js';
import type { Logger } from '../base/logger.js';
import type { BashResult } from '../protocol/commands/bash.js';
import type { BashExecutionMessage } from '../protocol/messages.js';
import type { AgentHooks } from './hooks.js';
import { orGivenUp, Patience } from './patience.js';
import type { RunShell } from './ports.js';

export interface ShellCommandOptions {
  excludeFromContext: boolean;
  onOutput: (delta: string) => void;
}

const CANCELLED: BashResult = { output: '', cancelled: true, truncated: false };

export interface ShellCommandsOptions {
  runShell: RunShell;
  hooks: AgentHooks;
  /** Where the commands run. */
  cwd: string;
  store: (message: BashExecutionMessage) => void;
  /** While this is true, results are held back: tool calls and their results must stay together. */
  isHeld: () => boolean;
  log: Logger;
  now: () => number;
}

/** Shell commands that clients run beside the model's: each joins the conversation, at once or after the run that is on. */
export class ShellCommands {
  readonly #options: ShellCommandsOptions;
  readonly #running = new Set<AbortController>();
  #held: BashExecutionMessage[] = [];

  constructor(options: ShellCommandsOptions) {
    this.#options = options;
  }

  async run(command: string, options: ShellCommandOptions): Promise<BashResult> {
    const { store, isHeld, now } = this.#options;
    const controller = new AbortController();
    this.#running.add(controller);
    try {
      const result = await this.#result(command, options, controller.signal);
      const message: BashExecutionMessage = {
        role: 'bashExecution',
        command,
        ...result,
        ...(options.excludeFromContext ? { excludeFromContext: true } : {}),
        timestamp: now(),
      };
      if (isHeld()) this.#held.push(message);
      else store(message);
      return result;
    } finally {
      this.#running.delete(controller);
    }
  }

  /** Hooks may answer for the command, or run it in a shell of their own. */
  async #result(command: string, options: ShellCommandOptions, signal: AbortSignal): Promise<BashResult> {
    const { runShell, hooks, cwd, log } = this.#options;
    const { onOutput, excludeFromContext } = options;
    const asked = hooks.userBash({ command, excludeFromContext, cwd });
    if (!asked) return runShell(command, { signal, onOutput });
    const patience = new Patience(signal, log);
    try {
      const answer = await patience.answer(asked);
      if (!answer) return await runShell(command, { signal, onOutput });
      if ('result' in answer) return answer.result;
      return await orGivenUp(answer.run(command, { signal, onOutput }), signal, () => CANCELLED);
    } catch (error) {
      if (signal.aborted) return CANCELLED;
      throw error;
    }
  }

  /** Kills every command that runs. */
  abort(): void {
    for (const controller of this.#running) controller.abort(abortedError());
  }

  /** The run is over: what was held back joins the conversation. What can't be stored is said on stderr; it never throws. */
  release(): void {
    try {
      for (const message of this.#held.splice(0)) this.#options.store(message);
    } catch (error) {
      this.#options.log.error('the output of a bash command could not be stored', { error: messageOf(error) });
    }
  }
}
