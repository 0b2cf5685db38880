import { note } from './method.js';
import type { Infer } from './shape.js';
import { flag, integer, oneOf, record, tuple } from './shape.js';

/**
 * State of the core that extensions read without `await`. The core sends a topic only after somebody in the host asked for it
 * (`state.wanted`): first all of it, then every change, on the same ordered channel as events. The bytes of a change are not JSON inside
 * JSON: they follow its description in a frame of their own, and nobody between core and worker parses them.
 */
export const STATE_TOPICS = ['entries', 'session', 'agent', 'models', 'tools', 'commands', 'prompt'] as const;
export type StateTopic = (typeof STATE_TOPICS)[number];
/** Topics that are one JSON value, sent whole when it changed; `entries` grows. */
export type ValueTopic = Exclude<StateTopic, 'entries'>;

const StateChangeShape = record({
  topic: oneOf(...STATE_TOPICS),
  /** Counts up by one with each complete change; never 0. */
  version: integer(1),
  /** Replaces what was there instead of adding to it. */
  reset: flag,
  /** Further parts of the same version follow: not to be read yet. */
  more: flag,
});
/** Describes the bytes that follow it: for `entries`, JSON Lines, oldest first; for the others, one JSON value. */
export type StateChange = Infer<typeof StateChangeShape>;
export const parseStateChange = (value: unknown): StateChange => StateChangeShape(value, 'state');

/** What the supervisor may tell the core. */
export const coreState = {
  'state.wanted': note(tuple(oneOf(...STATE_TOPICS))),
};

/** A worker's question to its supervisor, asked while the worker's thread waits. */
export interface StateRead {
  read: StateTopic;
  /** Version the worker already has; 0 for none. */
  since: number;
  /** Tells the answer from a late one to an earlier question. */
  request: number;
}

/** A worker's call of the core, asked while the worker's thread waits. */
export interface SyncCall {
  /** A message of the form `call`; its id is the number the answer must carry. */
  sync: string;
}

/** What the core said to it: a message of the form `result` or `error`. */
export interface SyncAnswer {
  request: number;
  sync: string;
}

export interface StateAnswer {
  request: number;
  version: number;
  reset: boolean;
  bytes: Uint8Array;
}
