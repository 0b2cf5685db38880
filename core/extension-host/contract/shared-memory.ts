import { STATE_TOPICS, type StateTopic } from './state.js';

/**
 * Words that supervisor and worker share (`Int32Array` over a SharedArrayBuffer): what one must know of the other without a message,
 * because the other's thread may be busy or waiting.
 */
export const SHARED_WORDS = {
  /** Counted up by the worker's event loop: the heartbeat. */
  beat: 0,
  /** Counted up by the supervisor with each answer to a read; the worker waits on it. */
  answers: 1,
  /** Extension whose code runs right now: its index in order of loading, plus one. 0: none. */
  current: 2,
  /** 1 while the worker waits for an answer: its silence is the supervisor's own. */
  reading: 3,
  /** The worker thread's id in the operating system; 0 where that is unknown. */
  threadId: 4,
} as const;

const FIRST_TOPIC = 8;

/** Where the published version of a topic is; 0: not there yet. */
export const versionWord = (topic: StateTopic): number => FIRST_TOPIC + STATE_TOPICS.indexOf(topic);

export const createSharedWords = (): Int32Array<SharedArrayBuffer> =>
  new Int32Array(new SharedArrayBuffer(4 * (FIRST_TOPIC + STATE_TOPICS.length)));
