import { uuidV7 } from '../../base/id.js';
import type { UiResponse } from '../../protocol/ui.js';
import type { ExtensionSpec } from './extension-record.js';

/** Who asks, as clients are told. */
export interface Asker {
  name: string;
  path: string;
  level: ExtensionSpec['level'];
}

export interface DialogsOptions {
  /** Writes a record for the client: a request, or that one is withdrawn. */
  send: (record: { type: 'extension_ui_request' | 'extension_ui_cancel'; id: string } & Record<string, unknown>) => void;
  /** Somebody can answer. Without, every dialog gets its default at once. */
  canAsk: boolean;
  /** Milliseconds for dialogs that name no time of their own; none when left out. */
  timeoutMs?: number | undefined;
  asker: (extension: string) => Asker;
  /** Tells of a dialog nobody was asked: once for each extension and method. */
  onDeclined: (asker: Asker, method: string, why: string) => void;
  /** The first dialog of an extension opened, or its last one was settled: its clocks stand still meanwhile. */
  onWaiting: (extension: string, waiting: boolean) => void;
}

export interface PendingDialog {
  id: string;
  method: string;
  title: string;
  extension: Asker;
}

interface Dialog extends PendingDialog {
  owner: string;
  request: Record<string, unknown>;
  settle: (answer: unknown) => void;
  timer: NodeJS.Timeout | undefined;
  shown: boolean;
}

const MAX_OPEN_EACH = 16;
const MAX_OPEN = 64;
const MAX_QUEUED = 256;
const METHODS: ReadonlySet<string> = new Set(['select', 'confirm', 'input', 'editor']);

/**
 * Questions of extensions that wait for a person. Each is settled exactly once: by its answer, its timeout, its withdrawal, the end of its
 * extension, or the end of input; when it was not the client who settled it, the client is told. Source: rpc-mode document, "Extension UI".
 */
export class Dialogs {
  readonly #options: DialogsOptions;
  readonly #dialogs = new Map<string, Dialog>();
  #queue: Dialog[] = [];
  readonly #declined = new Set<string>();
  #closed = false;

  constructor(options: DialogsOptions) {
    this.#options = options;
  }

  /** What is open, oldest first. */
  get pending(): PendingDialog[] {
    return [...this.#dialogs.values()]
      .filter(({ shown }) => shown)
      .map(({ id, method, title, extension }) => ({ id, method, title, extension }));
  }

  /** Resolves with a text, a yes or no, or null for no answer. */
  ask(owner: string, request: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    const method = String(request.method);
    const none = method === 'confirm' ? false : null;
    const extension = this.#options.asker(owner);
    const why = this.#whyNot(method);
    if (why !== undefined || signal.aborted) {
      if (why !== undefined) this.#decline(extension, method, why);
      return Promise.resolve(none);
    }
    return new Promise((resolve) => {
      const id = uuidV7();
      const onAbort = (): void => this.#settle(id, none, true);
      const dialog: Dialog = {
        id,
        owner,
        method,
        title: String(request.title ?? ''),
        extension,
        request,
        timer: undefined,
        shown: false,
        settle: (answer) => {
          clearTimeout(dialog.timer);
          signal.removeEventListener('abort', onAbort);
          resolve(answer);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#dialogs.set(id, dialog);
      if (this.#countOf(owner) === 1) this.#options.onWaiting(owner, true);
      const timeoutMs = typeof request.timeout === 'number' ? request.timeout : this.#options.timeoutMs;
      if (timeoutMs !== undefined && timeoutMs > 0) {
        dialog.timer = setTimeout(() => this.#settle(id, none, true), Math.min(timeoutMs, 2 ** 31 - 1));
      }
      if (this.#mayShow(owner)) this.#show(dialog);
      else this.#queue.push(dialog);
    });
  }

  /** A client's answer. One to an unknown, settled or not yet shown dialog changes nothing. */
  answer({ id, value, confirmed, cancelled }: UiResponse): void {
    const dialog = this.#dialogs.get(id);
    if (!dialog?.shown) return;
    const none = dialog.method === 'confirm' ? false : null;
    // The wrong kind of answer is none.
    const fits = dialog.method === 'confirm' ? typeof confirmed === 'boolean' : typeof value === 'string';
    const answer = dialog.method === 'confirm' ? confirmed : value;
    this.#settle(id, cancelled === true || !fits ? none : answer, false);
  }

  /** The extension is gone: nobody waits for its dialogs. */
  withdrawAllOf(owner: string): void {
    for (const [id, dialog] of this.#dialogs) if (dialog.owner === owner) this.#settle(id, null, true);
  }

  /** Nobody will answer any more: all that waits, and all that comes, gets its default. */
  close(): void {
    this.#closed = true;
    for (const [id, { method }] of this.#dialogs) this.#settle(id, method === 'confirm' ? false : null, false);
  }

  #whyNot(method: string): string | undefined {
    if (!METHODS.has(method)) return `there is no dialog "${method}"`;
    if (!this.#options.canAsk) return 'nobody can answer in this mode';
    if (this.#closed) return 'the input has ended';
    if (this.#queue.length >= MAX_QUEUED) return `${MAX_QUEUED} others wait already`;
    return undefined;
  }

  #decline(asker: Asker, method: string, why: string): void {
    const key = `${asker.name} ${method} ${why}`;
    if (this.#declined.has(key)) return;
    this.#declined.add(key);
    this.#options.onDeclined(asker, method, why);
  }

  #countOf(owner: string): number {
    let count = 0;
    for (const dialog of this.#dialogs.values()) if (dialog.owner === owner) count++;
    return count;
  }

  #mayShow(owner: string): boolean {
    const shown = [...this.#dialogs.values()].filter((dialog) => dialog.shown);
    return shown.length < MAX_OPEN && shown.filter((dialog) => dialog.owner === owner).length < MAX_OPEN_EACH;
  }

  #show(dialog: Dialog): void {
    dialog.shown = true;
    const { method, ...fields } = dialog.request;
    this.#options.send({ type: 'extension_ui_request', id: dialog.id, method, ...fields, extension: dialog.extension });
  }

  #settle(id: string, answer: unknown, tell: boolean): void {
    const dialog = this.#dialogs.get(id);
    if (!dialog) return;
    this.#dialogs.delete(id);
    this.#queue = this.#queue.filter((one) => one !== dialog);
    if (tell && dialog.shown) this.#options.send({ type: 'extension_ui_cancel', id });
    dialog.settle(answer);
    if (this.#countOf(dialog.owner) === 0) this.#options.onWaiting(dialog.owner, false);
    const next = this.#queue.find(({ owner }) => this.#mayShow(owner));
    if (!next) return;
    this.#queue = this.#queue.filter((one) => one !== next);
    this.#show(next);
  }
}
