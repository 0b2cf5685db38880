import type { StateTopic, ValueTopic } from '../../contract/state.js';
import type { StateSources } from '../state-feed.js';

/** Entries kept for a reader that has not come back; beyond, it gets all anew. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
const LF = Buffer.from('\n');

export interface StateRest {
  version: number;
  /** The bytes replace what the reader has. */
  reset: boolean;
  bytes: Uint8Array;
}

/** State for one process that asks for it each time it reads: what it has not seen yet, and nothing before it asks. */
export class StateServer {
  readonly #sources: StateSources;
  readonly #values = new Map<ValueTopic, { version: number; text: string }>();
  #entriesVersion = 0;
  #added: Uint8Array[] = [];
  #addedBytes = 0;
  #isStale = true;

  constructor(sources: StateSources) {
    this.#sources = sources;
  }

  /** Each read looks at the value itself. */
  touch(): void {}

  entryAppended(entry: string | Uint8Array): void {
    if (this.#isStale) return;
    const bytes = Buffer.concat([typeof entry === 'string' ? Buffer.from(entry) : entry, LF]);
    this.#added.push(bytes);
    this.#addedBytes += bytes.length;
    if (this.#addedBytes > MAX_KEPT_BYTES) this.entriesReplaced();
  }

  entriesReplaced(): void {
    this.#isStale = true;
    this.#added = [];
    this.#addedBytes = 0;
  }

  async read(topic: StateTopic, since: number): Promise<StateRest> {
    return topic === 'entries' ? this.#readEntries(since) : this.#readValue(topic, since);
  }

  #readEntries(since: number): StateRest {
    const reset = this.#isStale || since !== this.#entriesVersion;
    const parts = reset
      ? Array.from(this.#sources.entries(), (entry) => (typeof entry === 'string' ? Buffer.from(entry) : entry)).flatMap(
          (entry) => [entry, LF],
        )
      : this.#added;
    this.#added = [];
    this.#addedBytes = 0;
    this.#isStale = false;
    if (reset || parts.length > 0) this.#entriesVersion += 1;
    return { version: this.#entriesVersion, reset, bytes: Buffer.concat(parts) };
  }

  async #readValue(topic: ValueTopic, since: number): Promise<StateRest> {
    const text = JSON.stringify(withoutSecrets(topic, await this.#sources[topic]()));
    const known = this.#values.get(topic);
    const version = known && known.text === text ? known.version : (known?.version ?? 0) + 1;
    this.#values.set(topic, { version, text });
    const isNew = since !== version;
    return { version, reset: isNew, bytes: isNew ? Buffer.from(text) : Buffer.alloc(0) };
  }
}

/** Models may carry headers that models.json sets, keys among them. */
function withoutSecrets(topic: ValueTopic, value: unknown): unknown {
  return topic === 'models' || topic === 'agent'
    ? JSON.parse(JSON.stringify(value), (key, inner) => (key === 'headers' ? undefined : inner))
    : value;
}
