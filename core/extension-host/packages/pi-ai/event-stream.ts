import type { AssistantMessage } from '../../../protocol/messages.js';
import type { AnswerEvent } from './answer-event.js';

/**
 * Events pushed on one side and iterated over on the other, with one result. Events wait until they are read; several readers share
 * them. Source: custom-provider document, "Stream Pattern".
 */
export class EventStream<T, R = T> implements AsyncIterable<T> {
  readonly #isLast: (event: T) => boolean;
  readonly #resultOf: (event: T) => R;
  readonly #waiting: T[] = [];
  #readers: ((next: IteratorResult<T>) => void)[] = [];
  #ended = false;
  readonly #result: Promise<R>;
  #settle: (result: R) => void = () => {};

  /** The event for which `isLast` holds ends the stream; `resultOf` takes the result from it. */
  constructor(isLast: (event: T) => boolean, resultOf: (event: T) => R) {
    this.#isLast = isLast;
    this.#resultOf = resultOf;
    this.#result = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** After the end it does nothing. */
  push(event: T): void {
    if (this.#ended) return;
    const isLast = this.#isLast(event);
    if (isLast) this.#settle(this.#resultOf(event));
    const reader = this.#readers.shift();
    if (reader) reader({ value: event, done: false });
    else this.#waiting.push(event);
    if (isLast) this.#finish();
  }

  /** Ends the stream. Without a result, one that no last event gave, `result()` stays open. */
  end(result?: R): void {
    if (result !== undefined) this.#settle(result);
    this.#finish();
  }

  result(): Promise<R> {
    return this.#result;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return {
      next: () => {
        const event = this.#waiting.shift();
        if (event !== undefined) return Promise.resolve({ value: event, done: false });
        if (this.#ended) return Promise.resolve({ value: undefined, done: true });
        return new Promise((resolve) => {
          this.#readers.push(resolve);
        });
      },
      // Leaving a loop early leaves the rest to other readers.
      return: () => Promise.resolve({ value: undefined, done: true }),
    };
  }

  #finish(): void {
    this.#ended = true;
    const readers = this.#readers;
    this.#readers = [];
    for (const reader of readers) reader({ value: undefined, done: true });
  }
}

/** The stream of one answer: ends with `done` or `error`, whose message is the result. */
export class AssistantMessageEventStream extends EventStream<AnswerEvent, AssistantMessage> {
  constructor() {
    super(
      (event) => event.type === 'done' || event.type === 'error',
      (event) => {
        if (event.type === 'done') return event.message;
        if (event.type === 'error') return event.error;
        throw new Error(`No result in an event of type ${event.type}`);
      },
    );
  }
}

export function createAssistantMessageEventStream(): AssistantMessageEventStream {
  return new AssistantMessageEventStream();
}
