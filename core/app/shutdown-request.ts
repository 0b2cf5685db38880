import type { Agent } from '../agent/agent.js';

/** An extension's wish that the program ends: granted when what it interrupts is over. Source: extensions document, `ctx.shutdown`. */
export class ShutdownRequest {
  #grant: () => void = () => undefined;
  readonly #asked = new Promise<void>((resolve) => {
    this.#grant = resolve;
  });

  ask(): void {
    this.#grant();
  }

  /** Resolves after the wish, when no run is on and every command has its answer. */
  async whenIdle(agent: Agent, answered: () => Promise<void>): Promise<void> {
    await this.#asked;
    do {
      await answered();
      await agent.whenIdle();
    } while (!agent.isIdle);
  }
}
