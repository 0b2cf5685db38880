import { method, note } from './method.js';
import type { Infer } from './shape.js';
import { flag, integer, jsonObject, list, record, text, tuple } from './shape.js';

export interface HookSpec {
  /** One handler may take this long; the clock stands still while a dialog of its extension is open. */
  deadlineMs: number;
  /** What a handler that throws or is late does: `block` refuses what it was asked about, `skip` changes nothing. */
  onFailure: 'block' | 'skip';
}

const change = (deadlineMs = 10_000): HookSpec => ({ deadlineMs, onFailure: 'skip' });
const gate: HookSpec = { deadlineMs: 30_000, onFailure: 'block' };
/** These may ask a model, which an abort ends. */
const long = (): HookSpec => change(600_000);

/**
 * The hooks: events whose handlers' answers or changes matter. Every other event has listeners only, to whom {@link OBSERVER} applies.
 * Source: extensions document, "Events"; limits of this program.
 */
export const HOOKS = {
  project_trust: change(),
  resources_discover: change(),
  session_before_switch: change(),
  session_before_fork: change(),
  session_before_compact: long(),
  session_before_tree: long(),
  input: change(),
  before_agent_start: change(),
  context: change(),
  before_provider_headers: change(),
  before_provider_request: change(),
  message_end: change(),
  tool_call: gate,
  tool_result: change(),
  user_bash: change(),
} as const satisfies Record<string, HookSpec>;
export type HookName = keyof typeof HOOKS;

export const OBSERVER: HookSpec = { deadlineMs: 5_000, onFailure: 'skip' };
/** Shutdown handlers share one limit, which the core keeps. */
const UNLIMITED: HookSpec = { deadlineMs: 0, onFailure: 'skip' };

export function hookSpec(event: string): HookSpec {
  if (event === 'session_shutdown' || event === 'session_start') return UNLIMITED;
  return Object.hasOwn(HOOKS, event) ? HOOKS[event as HookName] : OBSERVER;
}

export const FailureShape = record({ extension: text(), hook: text(200), message: text() }, { stack: text(), code: text(100) });
/** What a handler did wrong, for a person. */
export type HookFailure = Infer<typeof FailureShape>;

const HookOutcomeShape = record(
  {
    /** What the handlers decided so far, apart from the event: see the hook's reducer. */
    outcome: jsonObject,
    /** A handler had the last word: nobody after it is asked. */
    stopped: flag,
    /** What each of the named extensions took, in microseconds; shorter when it was stopped. */
    timesUs: list(integer()),
  },
  /** The event after these handlers; left out when none changed it. */
  { event: jsonObject },
);
export type HookOutcome = Infer<typeof HookOutcomeShape>;

const Event = jsonObject;

/** What the core may ask a worker. */
export const workerHooks = {
  /**
   * Runs the handlers of the named extensions, one after another in that order, on one event. Arguments: extensions, event, the outcome
   * of those asked before.
   */
  'hooks.run': method({ args: tuple(list(text()), Event, jsonObject), result: HookOutcomeShape }),
  /** Tells all listeners of the worker. Arguments: the event, whose `type` is the listeners' name. */
  'hooks.emit': note(tuple(Event)),
  /** The run with this number was aborted, or is over. */
  'hooks.run_ended': note(tuple(text(), flag)),
  /** Ends the instance of one extension, which goes to another worker. */
  'hooks.leave': method({ args: tuple(text()), result: flag, deadlineMs: 5_000 }),
};

/** What a worker may tell the core. */
export const coreHooks = {
  /** Extension, event name, and whether it now has at least one handler. */
  'hooks.subscribed': note(tuple(text(), text(200), flag)),
  'hooks.failed': note(tuple(FailureShape)),
};
