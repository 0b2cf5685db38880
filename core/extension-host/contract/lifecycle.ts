import { method, note } from './method.js';
import type { Infer } from './shape.js';
import { flag, integer, list, nothing, nullable, oneOf, record, text, tuple } from './shape.js';

/** An extension as the core names it, in the order of loading. */
const ExtensionRefShape = record(
  { name: text(), path: text() },
  /** Milliseconds for one of its handlers, and for its factory, in place of the program's own limits. */
  { hookMs: integer(1), loadMs: integer(1) },
);
export type ExtensionRef = Infer<typeof ExtensionRefShape>;

const LoadSettingsShape = record({
  cwd: text(),
  mode: oneOf('rpc', 'json', 'print'),
  /** Somebody can answer dialogs. */
  hasUI: flag,
  projectTrusted: flag,
  agentDir: text(),
  /** What a child `pi` is started with, as `process.argv[1]`. */
  cliPath: text(),
  version: text(),
  /** Options of the command line that are not the program's own, each with the argument after it. */
  flags: list(record({ name: text() }, { value: text() })),
});
/** What extensions find when they are loaded, and what does not change until they are loaded anew. */
export type LoadSettings = Infer<typeof LoadSettingsShape>;

const LoadOutcomeShape = record(
  { extension: text(), durationMs: integer() },
  /** Left out when it loaded. A failed one has registered nothing. */
  { failure: record({ message: text() }, { stack: text(), code: text(100) }) },
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

/** Of a worker that one extension has for itself, in place of the program's own: megabytes of heap, milliseconds of standing still. */
const WorkerLimitsShape = record({}, { heapMb: integer(1), blockMs: integer(1) });
export type WorkerLimits = Infer<typeof WorkerLimitsShape>;

/** What the core may ask the supervisor. */
export const supervisorLifecycle = {
  /** Starts a worker under a number that was not used before. Arguments: the number, whether extensions share it, its own limits. */
  'lifecycle.start_worker': method({ args: tuple(integer(1), flag, WorkerLimitsShape), result: nothing, deadlineMs: 10_000 }),
  /**
   * Loads into one worker, in order. Arguments: worker, settings, extensions. Registrations arrive on the worker's own channel before the
   * answer.
   */
  'lifecycle.load': method({
    args: tuple(integer(1), LoadSettingsShape, list(ExtensionRefShape)),
    result: list(LoadOutcomeShape),
  }),
  /** Ends the instances of all extensions of one worker: their timers, listeners and everything they hold of ours. */
  'lifecycle.unload': method({ args: tuple(integer(1)), result: flag, deadlineMs: 5_000 }),
  'lifecycle.end_worker': method({ args: tuple(integer(1)), result: nothing, deadlineMs: 5_000 }),
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
  load(extension: ExtensionRef, settings: LoadSettings): Promise<LoadOutcome['failure'] | null>;
  /** False when what is left can't be used again: packages that were imported have changed on disk. */
  unload(): Promise<boolean>;
  /** Runs shutdown handlers. */
  stop(): Promise<void>;
}
