import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { CodedError } from '../../base/coded-error.js';
import { BASE_ERRORS } from '../../base/errors.js';
import { SHARED_WORDS } from '../contract/shared-memory.js';

export interface AnswersOptions {
  words: Int32Array;
  port: MessagePort;
  /** The supervisor is another thread, and the core another process: both answer within this, or something is broken. */
  maxWaitMs?: number;
}

/** Holds this thread until an answer is there, without letting it run anything else. */
export interface AnswerSource {
  /** `ask` gets the number that the answer must carry. */
  wait<A extends { request: number }>(what: string, ask: (request: number) => void): A;
}

/** Answers from a supervisor that is another thread of this process. */
export class Answers implements AnswerSource {
  readonly #options: AnswersOptions;
  #lastRequest = 0;

  constructor(options: AnswersOptions) {
    this.#options = options;
  }

  /** Throws DEADLINE_EXCEEDED. */
  wait<A extends { request: number }>(what: string, ask: (request: number) => void): A {
    const { words, port, maxWaitMs = 10_000 } = this.#options;
    const request = ++this.#lastRequest;
    const until = Date.now() + maxWaitMs;
    Atomics.store(words, SHARED_WORDS.reading, 1);
    try {
      ask(request);
      for (;;) {
        const seen = Atomics.load(words, SHARED_WORDS.answers);
        const answer = receiveMessageOnPort(port)?.message as A | undefined;
        if (answer?.request === request) return answer;
        // A late answer to a question that was given up.
        if (answer) continue;
        const leftMs = until - Date.now();
        if (leftMs <= 0) throw new CodedError(BASE_ERRORS.DEADLINE_EXCEEDED, `${what} took longer than ${maxWaitMs} ms`);
        Atomics.wait(words, SHARED_WORDS.answers, seen, leftMs);
      }
    } finally {
      Atomics.store(words, SHARED_WORDS.reading, 0);
    }
  }
}
