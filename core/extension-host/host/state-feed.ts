import type { StateChange, StateTopic } from '../contract/state.js';

/** One part of a snapshot: small enough that writing it holds nothing up for long. */
const PART_BYTES = 1024 * 1024;

/** Where the feed takes a topic from when somebody first asks for it: everything there is now. */
export interface StateSources {
  /** The session's entries as JSON, oldest first, one each, without line ends. */
  entries(): Iterable<string | Uint8Array>;
}

/** Sends state of the core to one extension host: nothing until it is wanted, then all of it, then each change. */
export class StateFeed {
  readonly #sources: StateSources;
  readonly #send: (change: StateChange, bytes: Uint8Array) => void;
  readonly #versions = new Map<StateTopic, number>();

  constructor(sources: StateSources, send: (change: StateChange, bytes: Uint8Array) => void) {
    this.#sources = sources;
    this.#send = send;
  }

  want(topic: StateTopic): void {
    if (!this.#versions.has(topic)) this.#sendAll(topic);
  }

  /** What the topic held is no longer so: all of it is sent again, if anybody wanted it before. */
  replaced(topic: StateTopic): void {
    if (this.#versions.has(topic)) this.#sendAll(topic);
  }

  #sendAll(topic: StateTopic): void {
    const version = this.#next(topic);
    let parts: Uint8Array[] = [];
    let size = 0;
    const send = (more: boolean): void => {
      this.#send({ topic, version, reset: true, more }, Buffer.concat(parts));
      parts = [];
      size = 0;
    };
    for (const line of this.#sources[topic]()) {
      const bytes = toLine(line);
      parts.push(bytes);
      size += bytes.length;
      if (size >= PART_BYTES) send(true);
    }
    send(false);
  }

  /** An entry was added. Must be called before the event that announces it is sent. */
  entryAppended(entry: string | Uint8Array): void {
    if (!this.#versions.has('entries')) return;
    this.#send({ topic: 'entries', version: this.#next('entries'), reset: false, more: false }, toLine(entry));
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
