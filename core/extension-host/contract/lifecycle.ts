import { method, note } from './method.js';
import type { Infer } from './shape.js';
import { integer, list, nothing, nullable, oneOf, record, text, tuple } from './shape.js';

/** An extension as the core names it, in the order of loading. */
const ExtensionRefShape = record({ name: text(), path: text() });
export type ExtensionRef = Infer<typeof ExtensionRefShape>;

const LoadOutcomeShape = record(
  { extension: text(), durationMs: integer() },
  /** Left out when it loaded. A failed one has registered nothing. */
  { failure: record({ message: text() }, { stack: text() }) },
);
export type LoadOutcome = Infer<typeof LoadOutcomeShape>;

export const END_REASONS = ['exit', 'error', 'memory', 'busy', 'blocked', 'flood', 'stopped'] as const;

const WorkerEndShape = record(
  { worker: integer(1), reason: oneOf(...END_REASONS), message: text() },
  /** The extension whose code ran, where it is known. */
  { extension: text(), stack: text() },
);
export type WorkerEnd = Infer<typeof WorkerEndShape>;

/** The end of the whole process, with the extension to blame where the process could still say. */
export interface HostEnd {
  reason: 'host';
  message: string;
  extension?: string;
}

/** What the core may ask the supervisor. */
export const supervisorLifecycle = {
  /** Starts a worker under a number that was not used before. */
  'lifecycle.start_worker': method({ args: tuple(integer(1)), result: nothing, deadlineMs: 10_000 }),
  /** Loads into one worker, in order. Arguments: worker, extensions. Registrations arrive on the worker's own channel before the answer. */
  'lifecycle.load': method({ args: tuple(integer(1), list(ExtensionRefShape)), result: list(LoadOutcomeShape) }),
  /** Lets extensions say goodbye, then ends every worker and the process. */
  'lifecycle.stop': method({ args: tuple(), result: nothing }),
  'lifecycle.beat': method({ args: tuple(), result: record({ rssBytes: integer() }) }),
};

/** What the supervisor may tell the core. */
export const coreLifecycle = {
  /** The first worker runs. */
  'lifecycle.ready': note(tuple(integer(1))),
  /** A worker was silent for a second. Arguments: worker, the extension whose code runs where known. */
  'lifecycle.slow': note(tuple(integer(1), nullable(text()))),
  'lifecycle.worker_ended': note(tuple(WorkerEndShape)),
  /** The last words of a process that kills itself, because a worker can't be ended in any other way. */
  'lifecycle.ending': note(tuple(WorkerEndShape)),
};

/** What the supervisor asks of a worker, carried by comlink; the worker's own words come back as plain data. */
export interface WorkerControl {
  load(extension: ExtensionRef): Promise<{ message: string; stack?: string } | null>;
  /** Runs shutdown handlers. */
  stop(): Promise<void>;
}
