import { versionWord } from '../contract/shared-memory.js';
import type { StateAnswer, StateRead, StateTopic } from '../contract/state.js';
import type { AnswerSource } from './answers.js';

export interface StateReaderOptions {
  words: Int32Array;
  /** Sends a question after all messages before it. */
  ask: (question: StateRead) => void;
  answers: AnswerSource;
}

interface Copy<T> {
  version: number;
  value: T;
}

/**
 * Reads state of the core without `await`. As long as the published version is the one this thread has, that costs one atomic load; else
 * the thread waits while its supervisor, another thread, answers with what changed.
 */
export class StateReader {
  readonly #options: StateReaderOptions;

  constructor(options: StateReaderOptions) {
    this.#options = options;
  }

  /** A reader of one topic; `merge` makes the new value from the old (undefined after a reset) and the bytes that came. */
  topic<T>(topic: StateTopic, initial: T, merge: (old: T | undefined, bytes: Uint8Array) => T): () => T {
    const copy: Copy<T> = { version: 0, value: initial };
    const { words, ask, answers } = this.#options;
    const word = versionWord(topic);
    return () => {
      if (copy.version !== 0 && Atomics.load(words, word) === copy.version) return copy.value;
      const since = copy.version;
      const answer = answers.wait<StateAnswer>(`Reading ${topic}`, (request) => ask({ read: topic, since, request }));
      if (answer.version !== copy.version) {
        copy.value = merge(answer.reset ? undefined : copy.value, answer.bytes);
        copy.version = answer.version;
      }
      return copy.value;
    };
  }
}

const decoder = new TextDecoder();

/** JSON Lines added to what was read before. After a reset the list is another one; else it is extended in place: hand out copies. */
export function appendJsonLines(old: unknown[] | undefined, bytes: Uint8Array): unknown[] {
  const list = old ?? [];
  for (const line of decoder.decode(bytes).split('\n')) if (line !== '') list.push(JSON.parse(line));
  return list;
}

/** One JSON value in place of the one before. Whoever is given it must not change it: it is made anew only with the next version. */
export function replaceJson<T>(_old: T | undefined, bytes: Uint8Array): T {
  return JSON.parse(decoder.decode(bytes)) as T;
}
