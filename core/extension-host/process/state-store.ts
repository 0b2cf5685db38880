import type { StateChange, StateTopic } from '../contract/state.js';

export interface StateSlice {
  version: number;
  /** The bytes replace what the reader has. */
  reset: boolean;
  bytes: Uint8Array<ArrayBuffer>;
}

interface Topic {
  /** Complete changes only. 0: nothing yet. */
  version: number;
  /** Version of the last reset: readers that are older start anew. */
  resetAt: number;
  /** Since that reset, oldest first. */
  parts: { version: number; bytes: Uint8Array }[];
  /** Of the version that is still arriving. */
  arriving: Uint8Array[];
}

const NOTHING = new Uint8Array();

/** What the core sent of each topic, kept as bytes for any worker that asks. */
export class StateStore {
  readonly #topics = new Map<StateTopic, Topic>();
  readonly #onVersion: (topic: StateTopic, version: number) => void;

  /** `onVersion` is told of each complete version, before anything that arrived after it is handled. */
  constructor(onVersion: (topic: StateTopic, version: number) => void) {
    this.#onVersion = onVersion;
  }

  version(topic: StateTopic): number {
    return this.#topics.get(topic)?.version ?? 0;
  }

  apply(change: StateChange, bytes: Uint8Array): void {
    const topic = this.#topics.get(change.topic) ?? { version: 0, resetAt: 0, parts: [], arriving: [] };
    this.#topics.set(change.topic, topic);
    topic.arriving.push(Uint8Array.from(bytes));
    if (change.more) return;
    if (change.reset) {
      topic.parts = [];
      topic.resetAt = change.version;
    }
    for (const part of topic.arriving) topic.parts.push({ version: change.version, bytes: part });
    topic.arriving = [];
    topic.version = change.version;
    this.#onVersion(change.topic, change.version);
  }

  /** What a reader at version `since` lacks. */
  slice(name: StateTopic, since: number): StateSlice {
    const topic = this.#topics.get(name);
    if (!topic || since === topic.version) return { version: topic?.version ?? 0, reset: false, bytes: NOTHING };
    const reset = since < topic.resetAt;
    // From the end: readers are rarely far behind.
    let first = topic.parts.length;
    while (first > 0 && (reset || (topic.parts[first - 1]?.version ?? 0) > since)) first--;
    const wanted = topic.parts.slice(first);
    const bytes = new Uint8Array(wanted.reduce((sum, part) => sum + part.bytes.length, 0));
    let at = 0;
    for (const part of wanted) {
      bytes.set(part.bytes, at);
      at += part.bytes.length;
    }
    return { version: topic.version, reset, bytes };
  }
}
