import type { UiRequest, UiResponse } from '../protocol/ui.js';

type Request<M extends UiRequest['method']> = Extract<UiRequest, { method: M }>;

/**
 * Answers to what extensions ask. Undefined is "dismissed"; so is a handler that is missing or throws. `signal` fires when nobody waits any
 * longer: the dialog was withdrawn, or its time is over.
 */
export interface DialogHandlers {
  select?(request: Request<'select'>, signal: AbortSignal): Promise<string | undefined> | string | undefined;
  confirm?(request: Request<'confirm'>, signal: AbortSignal): Promise<boolean | undefined> | boolean | undefined;
  input?(request: Request<'input'>, signal: AbortSignal): Promise<string | undefined> | string | undefined;
  editor?(request: Request<'editor'>, signal: AbortSignal): Promise<string | undefined> | string | undefined;
}

export type DialogRequest = Request<keyof DialogHandlers>;

export const isDialog = (request: UiRequest): request is DialogRequest =>
  request.method === 'select' || request.method === 'confirm' || request.method === 'input' || request.method === 'editor';

/** Dialogs that are open, each with its one answer. */
export class OpenDialogs {
  readonly #handlers: DialogHandlers;
  readonly #open = new Map<string, AbortController>();
  readonly #send: (response: UiResponse) => void;
  readonly #onFailure: (error: unknown) => void;

  constructor(handlers: DialogHandlers, send: (response: UiResponse) => void, onFailure: (error: unknown) => void) {
    this.#handlers = handlers;
    this.#send = send;
    this.#onFailure = onFailure;
  }

  async ask(request: DialogRequest): Promise<void> {
    const { id } = request;
    const controller = new AbortController();
    this.#open.set(id, controller);
    let answer: string | boolean | undefined;
    try {
      answer = await this.#answer(request, controller.signal);
    } catch (error) {
      this.#onFailure(error);
    }
    // Withdrawn meanwhile: nobody waits for the answer.
    if (!this.#open.delete(id)) return;
    const said = typeof answer === 'boolean' ? { confirmed: answer } : { value: answer };
    this.#send({ type: 'extension_ui_response', id, ...(answer === undefined ? { cancelled: true } : said) } as UiResponse);
  }

  withdraw(id: string): void {
    const controller = this.#open.get(id);
    this.#open.delete(id);
    controller?.abort();
  }

  withdrawAll(): void {
    for (const id of [...this.#open.keys()]) this.withdraw(id);
  }

  #answer(request: DialogRequest, signal: AbortSignal): Promise<string | boolean | undefined> | string | boolean | undefined {
    const { select, confirm, input, editor } = this.#handlers;
    switch (request.method) {
      case 'select':
        return select?.(request, signal);
      case 'confirm':
        return confirm?.(request, signal);
      case 'input':
        return input?.(request, signal);
      case 'editor':
        return editor?.(request, signal);
    }
  }
}
