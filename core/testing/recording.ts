import { withDeadline } from '../base/deadline.js';
import type { AgentEvent } from '../protocol/events.js';
import { type DialogAnswer, DialogScript, isDialog, type UiFields } from './dialog-script.js';

/** What an extension showed: `method` is `notify`, `setStatus`, `setWidget`, `setTitle` or `set_editor_text`. */
export interface Notice {
  method: string;
  /** Of `notify`. */
  message?: string;
  [field: string]: unknown;
}

/** Something of an extension went wrong. */
export interface TestedError {
  extensionPath: string;
  event: string;
  error: string;
  code?: string;
}

/** Everything a session said, and who waits for more of it. */
export class Recording {
  readonly events: AgentEvent[] = [];
  readonly notices: Notice[] = [];
  readonly errors: TestedError[] = [];
  readonly script: DialogScript;
  readonly #timeoutMs: number;
  readonly #waiting = new Set<() => void>();
  #over: Error | undefined;

  constructor(
    answers: readonly DialogAnswer[],
    respond: (response: { id: string } & Record<string, unknown>) => void,
    timeoutMs: number,
  ) {
    // An answer goes out when whoever asked has gone on.
    this.script = new DialogScript(answers, (response) => setImmediate(respond, response));
    this.#timeoutMs = timeoutMs;
  }

  event(event: AgentEvent): void {
    this.events.push(event);
    if (event.type === 'extension_error') {
      const { extensionPath, event: name, error, code } = event;
      this.errors.push({ extensionPath, event: name, error, ...(code !== undefined && { code }) });
    }
    this.look();
  }

  ui(type: string, record: UiFields): void {
    if (type === 'extension_ui_cancel') this.script.withdrawn(record.id);
    else if (isDialog(record)) this.script.opened(record);
    else {
      const { id, extension, type: _, ...notice } = record;
      this.notices.push({ ...notice, method: String(notice.method) });
    }
    this.look();
  }

  /** Something may be other than before. */
  look(): void {
    for (const look of [...this.#waiting]) look();
  }

  /** Nothing more will happen: who waits for something that is not so now waits in vain. */
  end(why: Error): void {
    this.#over = why;
    this.look();
  }

  /** Resolves with the first truthy value of `what`, which is asked whenever something happens. */
  until<T>(what: () => T, description: string): Promise<NonNullable<T>> {
    let look = (): void => undefined;
    const found = new Promise<NonNullable<T>>((resolve, reject) => {
      look = () => {
        try {
          const value = what();
          if (value) resolve(value);
          else if (this.#over) reject(this.#over);
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.add(look);
      look();
    });
    return withDeadline(found, this.#timeoutMs, description).finally(() => this.#waiting.delete(look));
  }
}
