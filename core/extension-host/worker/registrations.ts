import type { EventHandler, ExtensionTool } from '../contract/public.js';
import type { WorkerExtension } from './current-extension.js';

/** Sees what becomes known of an extension to the outside. */
export interface RegistrationListener {
  subscribed(extension: WorkerExtension, event: string, active: boolean): void;
  toolRegistered(extension: WorkerExtension, tool: ExtensionTool): void;
}

/** What one extension has registered. Until its factory is done nothing of it is told outside, so that a failed one leaves no trace. */
export class Registrations {
  readonly extension: WorkerExtension;
  readonly #listener: RegistrationListener;
  readonly #handlers = new Map<string, EventHandler[]>();
  readonly #tools = new Map<string, ExtensionTool>();
  #committed = false;

  constructor(extension: WorkerExtension, listener: RegistrationListener) {
    this.extension = extension;
    this.#listener = listener;
  }

  handlers(event: string): readonly EventHandler[] {
    return this.#committed ? (this.#handlers.get(event) ?? []) : [];
  }

  tool(name: string): ExtensionTool | undefined {
    return this.#committed ? this.#tools.get(name) : undefined;
  }

  /** Lists are replaced, never changed: a handler may add or remove handlers while its own list is being walked. */
  addHandler(event: string, handler: EventHandler): () => void {
    const before = this.#handlers.get(event) ?? [];
    this.#handlers.set(event, [...before, handler]);
    if (this.#committed && before.length === 0) this.#listener.subscribed(this.extension, event, true);
    let active = true;
    return () => {
      if (!active) return;
      active = false;
      const list = [...(this.#handlers.get(event) ?? [])];
      list.splice(list.indexOf(handler), 1);
      this.#handlers.set(event, list);
      if (this.#committed && list.length === 0) this.#listener.subscribed(this.extension, event, false);
    };
  }

  addTool(tool: ExtensionTool): void {
    this.#tools.set(tool.name, tool);
    if (this.#committed) this.#listener.toolRegistered(this.extension, tool);
  }

  /** The factory is done: tells everything, and from now on each change. */
  commit(): void {
    this.#committed = true;
    for (const [event, list] of this.#handlers) if (list.length > 0) this.#listener.subscribed(this.extension, event, true);
    for (const tool of this.#tools.values()) this.#listener.toolRegistered(this.extension, tool);
  }
}
