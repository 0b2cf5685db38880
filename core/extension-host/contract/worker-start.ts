import type { MessagePort } from 'node:worker_threads';
import type { WireError } from './wire/messages.js';

/** What a supervisor gives a worker at its start. */
export interface WorkerStart {
  words: Int32Array<SharedArrayBuffer>;
  /** Answers to state reads; nobody listens on it, the worker takes from it while it waits. */
  answers: MessagePort;
  beatMs: number;
  loadMs: number;
  /** Where transpiled code is. */
  cacheDir: string;
  /** Extensions that share the worker must not change each other's world. Of a worker that one has for itself nothing is fixed. */
  fixed: boolean;
}

/** A worker's wish, for which its thread waits: code of a file that is not in the cache. */
export interface TranspileAsk {
  transpile: string;
  request: number;
}

export type TranspileAnswer = { request: number; file: string } | { request: number; error: WireError };
