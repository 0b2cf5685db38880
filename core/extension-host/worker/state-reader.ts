import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { CodedError } from '../../base/coded-error.js';
import { BASE_ERRORS } from '../../base/errors.js';
import { SHARED_WORDS, versionWord } from '../contract/shared-memory.js';
import type { StateAnswer, StateRead, StateTopic } from '../contract/state.js';

export interface StateReaderOptions {
  words: Int32Array;
  /** Sends a question after all messages before it. */
  ask: (question: StateRead) => void;
  answers: MessagePort;
  /** What a first read may take: the core sends the topic then. */
  maxWaitMs?: number;
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
  #lastRequest = 0;

  constructor(options: StateReaderOptions) {
    this.#options = options;
  }

  /** A reader of one topic; `merge` makes the new value from the old (undefined after a reset) and the bytes that came. */
  topic<T>(topic: StateTopic, initial: T, merge: (old: T | undefined, bytes: Uint8Array) => T): () => T {
    const copy: Copy<T> = { version: 0, value: initial };
    const word = versionWord(topic);
    return () => {
      if (copy.version !== 0 && Atomics.load(this.#options.words, word) === copy.version) return copy.value;
      const answer = this.#read(topic, copy.version);
      if (answer.version !== copy.version) {
        copy.value = merge(answer.reset ? undefined : copy.value, answer.bytes);
        copy.version = answer.version;
      }
      return copy.value;
    };
  }

  #read(topic: StateTopic, since: number): StateAnswer {
    const { words, ask, answers, maxWaitMs = 10_000 } = this.#options;
    const request = ++this.#lastRequest;
    const until = Date.now() + maxWaitMs;
    Atomics.store(words, SHARED_WORDS.reading, 1);
    try {
      ask({ read: topic, since, request });
      for (;;) {
        const seen = Atomics.load(words, SHARED_WORDS.answers);
        const answer = receiveMessageOnPort(answers)?.message as StateAnswer | undefined;
        if (answer?.request === request) return answer;
        // A late answer to a question that was given up.
        if (answer) continue;
        const leftMs = until - Date.now();
        if (leftMs <= 0) throw new CodedError(BASE_ERRORS.DEADLINE_EXCEEDED, `Reading ${topic} took longer than ${maxWaitMs} ms`);
        Atomics.wait(words, SHARED_WORDS.answers, seen, leftMs);
      }
    } finally {
      Atomics.store(words, SHARED_WORDS.reading, 0);
    }
  }
}

const decoder = new TextDecoder();

/** JSON Lines added to what was read before. The list is extended in place: hand out copies. */
export function appendJsonLines(old: unknown[] | undefined, bytes: Uint8Array): unknown[] {
  const list = old ?? [];
  for (const line of decoder.decode(bytes).split('\n')) if (line !== '') list.push(JSON.parse(line));
  return list;
}
