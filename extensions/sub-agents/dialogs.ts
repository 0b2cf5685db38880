import type { ExtensionUI } from '../../core/extension-host/contract/public.js';
import type { WireRecord } from './child.js';

type Answer = { value: string } | { confirmed: boolean } | { cancelled: true };

/** Shows the dialogs of a child's extensions to whoever answers those of this session. */
export class DialogRelay {
  readonly #ui: ExtensionUI;
  readonly #agent: string;
  readonly #answer: (record: object) => void;
  readonly #open = new Map<string, AbortController>();

  constructor(ui: ExtensionUI, agent: string, answer: (record: object) => void) {
    this.#ui = ui;
    this.#agent = agent;
    this.#answer = answer;
  }

  /** True when the record was about a dialog or a notice. */
  take(record: WireRecord): boolean {
    if (record.type === 'extension_ui_cancel') this.#open.get(String(record.id))?.abort();
    else if (record.type === 'extension_ui_request') this.#request(record);
    else return false;
    return true;
  }

  /** Closes what is open. */
  close(): void {
    for (const open of this.#open.values()) open.abort();
  }

  #request(record: WireRecord): void {
    if (record.method === 'notify') {
      this.#ui.notify(`${this.#agent}: ${record.message}`, record.notifyType as 'info' | undefined); // one of the three levels
      return;
    }
    const id = String(record.id);
    const closing = new AbortController();
    const asked = this.#ask(record, closing.signal);
    if (!asked) return;
    this.#open.set(id, closing);
    const settle = (answer: Answer): void => {
      this.#open.delete(id);
      if (!closing.signal.aborted) this.#answer({ type: 'extension_ui_response', id, ...answer });
    };
    asked.then(settle, () => settle({ cancelled: true }));
  }

  /** Undefined for what waits for no answer. */
  #ask(record: WireRecord, signal: AbortSignal): Promise<Answer> | undefined {
    const title = `${this.#agent}: ${record.title}`;
    const orCancelled = (value: string | undefined): Answer => (value === undefined ? { cancelled: true } : { value });
    switch (record.method) {
      case 'confirm':
        return this.#ui.confirm(title, String(record.message), { signal }).then((confirmed) => ({ confirmed }));
      case 'select':
        return this.#ui.select(title, record.options as string[], { signal }).then(orCancelled); // a list of texts: docs/PROTOCOL.md
      case 'input':
        return this.#ui.input(title, record.placeholder as string | undefined, { signal }).then(orCancelled);
      case 'editor':
        return this.#ui.editor(title, record.prefill as string | undefined).then(orCancelled);
      default:
        return undefined;
    }
  }
}
