import { messageOf } from '../base/coded-error.js';
import { abortedError } from '../base/deadline.js';
import type { Logger } from '../base/logger.js';
import type { BashResult } from '../protocol/commands/bash.js';
import type { BashExecutionMessage } from '../protocol/messages.js';
import type { RunShell } from './ports.js';

export interface ShellCommandsOptions {
  runShell: RunShell;
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

  async run(command: string, options: { excludeFromContext: boolean; onOutput: (delta: string) => void }): Promise<BashResult> {
    const { runShell, store, isHeld, now } = this.#options;
    const controller = new AbortController();
    this.#running.add(controller);
    try {
      const result = await runShell(command, { signal: controller.signal, onOutput: options.onOutput });
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
