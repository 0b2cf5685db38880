import { messageOf } from '../../base/coded-error.js';
import type { CurrentExtension, WorkerExtension } from './current-extension.js';

type BusListener = (data: unknown) => void;

export interface BusOptions {
  current: CurrentExtension;
  onFailure: (extension: WorkerExtension, channel: string, error: unknown) => void;
  /** Tells the other workers; what JSON can't hold does not get there. */
  forward: (extension: WorkerExtension, channel: string, data: unknown) => void;
}

/** `pi.events`: within a worker synchronous, and values keep their identity; to other workers they go as JSON. */
export class EventBus {
  readonly #options: BusOptions;
  readonly #listeners = new Map<string, { extension: WorkerExtension; listener: BusListener }[]>();

  constructor(options: BusOptions) {
    this.#options = options;
  }

  on(extension: WorkerExtension, channel: string, listener: BusListener): () => void {
    const entry = { extension, listener };
    // Replaced, never changed: a listener may come or go while its channel is told something.
    this.#listeners.set(channel, [...(this.#listeners.get(channel) ?? []), entry]);
    return () => this.#remove(channel, (one) => one === entry);
  }

  emit(extension: WorkerExtension, channel: string, data: unknown): void {
    this.deliver(channel, data);
    this.#options.forward(extension, channel, data);
  }

  deliver(channel: string, data: unknown): void {
    const { current, onFailure } = this.#options;
    for (const { extension, listener } of this.#listeners.get(channel) ?? []) {
      try {
        const outcome: unknown = current.run(extension, () => listener(data));
        if (outcome instanceof Promise) outcome.catch((error: unknown) => onFailure(extension, channel, error));
      } catch (error) {
        onFailure(extension, channel, error);
      }
    }
  }

  removeAllOf(extension: WorkerExtension): void {
    for (const channel of [...this.#listeners.keys()]) this.#remove(channel, (one) => one.extension === extension);
  }

  #remove(channel: string, matches: (one: { extension: WorkerExtension; listener: BusListener }) => boolean): void {
    const left = (this.#listeners.get(channel) ?? []).filter((one) => !matches(one));
    if (left.length === 0) this.#listeners.delete(channel);
    else this.#listeners.set(channel, left);
  }
}

/** JSON of the data, or undefined where it can't be written: then it stays in this worker. */
export function writableOrNothing(data: unknown): unknown {
  try {
    const text = JSON.stringify(data);
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    // Functions and cycles are legal on the bus of one worker.
    void messageOf(error);
    return undefined;
  }
}
