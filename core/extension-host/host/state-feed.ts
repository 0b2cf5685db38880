import type { StateChange, StateTopic, ValueTopic } from '../contract/state.js';

/** One part of a snapshot: small enough that writing it holds nothing up for long. */
const PART_BYTES = 1024 * 1024;

/** Where the feed takes a topic from when somebody first asks for it: everything there is now. */
export type StateSources = {
  /** The session's entries as JSON, oldest first, one each, without line ends. */
  entries(): Iterable<string | Uint8Array>;
} & {
  /** What takes time to find out comes as a promise, which must not reject. */
  [T in ValueTopic]: () => unknown;
};

/**
 * Sends state of the core to one extension host: nothing until it is wanted, then all of it, then each change. A value that may have
 * changed is compared with what was sent just before anything else goes out, so that no event overtakes the state it tells of.
 */
export class StateFeed {
  readonly #sources: StateSources;
  readonly #send: (change: StateChange, bytes: Uint8Array) => void;
  readonly #versions = new Map<StateTopic, number>();
  readonly #sent = new Map<ValueTopic, string>();
  readonly #touched = new Set<ValueTopic>();
  /** Values that are being found out. */
  readonly #pending = new Map<ValueTopic, Promise<void>>();
  #scheduled = false;

  constructor(sources: StateSources, send: (change: StateChange, bytes: Uint8Array) => void) {
    this.#sources = sources;
    this.#send = send;
  }

  want(topic: StateTopic): void {
    if (this.#versions.has(topic)) return;
    if (topic === 'entries') {
      this.#sendEntries();
      return;
    }
    // From now on its changes count, also those that come while it is found out.
    this.#versions.set(topic, 0);
    this.#sendValue(topic);
  }

  /** Another list of entries took the place of the one that was sent. */
  entriesReplaced(): void {
    if (this.#versions.has('entries')) this.#sendEntries();
  }

  /** An entry was added. Must be called before the event that announces it is sent. */
  entryAppended(entry: string | Uint8Array): void {
    if (!this.#versions.has('entries')) return;
    this.#send({ topic: 'entries', version: this.#next('entries'), reset: false, more: false }, toLine(entry));
  }

  /** These values may have changed. */
  touch(...topics: ValueTopic[]): void {
    for (const topic of topics) if (this.#versions.has(topic)) this.#touched.add(topic);
    if (this.#touched.size === 0 || this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.flush();
    });
  }

  /**
   * Sends what has changed: before anything that must not arrive earlier. Gives a promise when some of it is not known yet, for those who
   * must not be answered before.
   */
  flush(): Promise<void> | undefined {
    if (this.#touched.size > 0) {
      const topics = [...this.#touched];
      this.#touched.clear();
      for (const topic of topics) this.#sendValue(topic);
    }
    return this.#pending.size === 0 ? undefined : Promise.all(this.#pending.values()).then(() => undefined);
  }

  #sendValue(topic: ValueTopic): void {
    const value = this.#sources[topic]();
    if (!(value instanceof Promise)) {
      this.#write(topic, value);
      return;
    }
    const found = value.then((known: unknown) => {
      // A newer question is under way: its answer is the one that counts.
      if (this.#pending.get(topic) !== found) return;
      this.#pending.delete(topic);
      this.#write(topic, known);
    });
    this.#pending.set(topic, found);
  }

  #write(topic: ValueTopic, value: unknown): void {
    const text = JSON.stringify(value);
    if (this.#sent.get(topic) === text) return;
    this.#sent.set(topic, text);
    this.#send({ topic, version: this.#next(topic), reset: true, more: false }, Buffer.from(text));
  }

  #sendEntries(): void {
    const version = this.#next('entries');
    let parts: Uint8Array[] = [];
    let size = 0;
    const send = (more: boolean): void => {
      this.#send({ topic: 'entries', version, reset: true, more }, Buffer.concat(parts));
      parts = [];
      size = 0;
    };
    for (const line of this.#sources.entries()) {
      const bytes = toLine(line);
      parts.push(bytes);
      size += bytes.length;
      if (size >= PART_BYTES) send(true);
    }
    send(false);
  }

  #next(topic: StateTopic): number {
    const version = (this.#versions.get(topic) ?? 0) + 1;
    this.#versions.set(topic, version);
    return version;
  }
}

function toLine(line: string | Uint8Array): Uint8Array {
  return typeof line === 'string' ? Buffer.from(`${line}\n`) : Buffer.concat([line, Buffer.from('\n')]);
}
