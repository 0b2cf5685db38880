/** The abort signal of the run that is on, for `ctx.signal`: made when it is first read, and fired when the core says so. */
export class RunSignals {
  readonly #controllers = new Map<string, AbortController>();

  of(runId: string | null): AbortSignal | undefined {
    if (runId === null) return undefined;
    const controller = this.#controllers.get(runId) ?? new AbortController();
    this.#controllers.set(runId, controller);
    return controller.signal;
  }

  ended(runId: string, aborted: boolean): void {
    if (aborted) this.#controllers.get(runId)?.abort();
    else this.#controllers.delete(runId);
  }
}
