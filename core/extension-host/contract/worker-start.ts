import type { MessagePort } from 'node:worker_threads';

/** What a supervisor gives a worker at its start. */
export interface WorkerStart {
  words: Int32Array<SharedArrayBuffer>;
  /** Answers to state reads; nobody listens on it, the worker takes from it while it waits. */
  answers: MessagePort;
  beatMs: number;
  loadMs: number;
}
