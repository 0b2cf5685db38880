import { uuidV7 } from '../../base/id.js';
import type { Asker } from './dialogs.js';

export interface NoticesOptions {
  send: (record: { type: 'extension_ui_request'; id: string } & Record<string, unknown>) => void;
  /** Nobody looks: nothing is sent. */
  canShow: boolean;
  asker: (extension: string) => Asker;
  /** So many were dropped. */
  onDropped: (asker: Asker, count: number) => void;
  now?: () => number;
}

const PER_SECOND = 50;
const BURST = 200;
const METHODS: ReadonlySet<string> = new Set(['notify', 'setStatus', 'setWidget', 'setTitle', 'set_editor_text']);

interface Sender {
  tokens: number;
  filledAt: number;
  /** Newest of each thing that has one state: they wait for a token and replace one another. */
  waiting: Map<string, Record<string, unknown>>;
  dropped: number;
  timer: NodeJS.Timeout | undefined;
}

/** What extensions show without waiting for an answer, limited in rate: states are joined, messages beyond the limit are dropped and counted. */
export class Notices {
  readonly #options: NoticesOptions;
  readonly #senders = new Map<string, Sender>();
  readonly #now: () => number;

  constructor(options: NoticesOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  show(owner: string, fields: Record<string, unknown>): void {
    if (!this.#options.canShow || !METHODS.has(String(fields.method))) return;
    const sender = this.#sender(owner);
    const key = keyOf(fields);
    const waits = key !== undefined && sender.waiting.has(key);
    if (!waits && this.#take(sender)) {
      this.#send(owner, fields);
      return;
    }
    if (key === undefined) sender.dropped++;
    else sender.waiting.set(key, fields);
    sender.timer ??= setTimeout(() => this.#catchUp(owner, sender), 1_000 / PER_SECOND).unref();
  }

  /** The extension is loaded anew, or gone: what of it was not shown yet is not shown. */
  forget(owner: string): void {
    const sender = this.#senders.get(owner);
    if (!sender) return;
    clearTimeout(sender.timer);
    sender.timer = undefined;
    sender.waiting.clear();
    this.#reportDropped(owner, sender);
  }

  #catchUp(owner: string, sender: Sender): void {
    sender.timer = undefined;
    for (const [key, fields] of sender.waiting) {
      if (!this.#take(sender)) break;
      sender.waiting.delete(key);
      this.#send(owner, fields);
    }
    if (sender.waiting.size > 0 || (sender.dropped > 0 && sender.tokens < 1)) {
      sender.timer = setTimeout(() => this.#catchUp(owner, sender), 1_000 / PER_SECOND).unref();
    } else this.#reportDropped(owner, sender);
  }

  #reportDropped(owner: string, sender: Sender): void {
    if (sender.dropped > 0) this.#options.onDropped(this.#options.asker(owner), sender.dropped);
    sender.dropped = 0;
  }

  #send(owner: string, fields: Record<string, unknown>): void {
    this.#options.send({ type: 'extension_ui_request', id: uuidV7(), ...fields, extension: this.#options.asker(owner) });
  }

  #sender(owner: string): Sender {
    const known = this.#senders.get(owner);
    if (known) return known;
    const sender: Sender = { tokens: BURST, filledAt: this.#now(), waiting: new Map(), dropped: 0, timer: undefined };
    this.#senders.set(owner, sender);
    return sender;
  }

  #take(sender: Sender): boolean {
    const now = this.#now();
    sender.tokens = Math.min(BURST, sender.tokens + ((now - sender.filledAt) * PER_SECOND) / 1_000);
    sender.filledAt = now;
    if (sender.tokens < 1) return false;
    sender.tokens -= 1;
    return true;
  }
}

/** What only the newest of counts. */
function keyOf(fields: Record<string, unknown>): string | undefined {
  switch (fields.method) {
    case 'setStatus':
      return `status ${String(fields.statusKey)}`;
    case 'setWidget':
      return `widget ${String(fields.widgetKey)}`;
    case 'setTitle':
    case 'set_editor_text':
      return String(fields.method);
    default:
      return undefined;
  }
}
