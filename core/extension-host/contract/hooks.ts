import { method, note } from './method.js';
import type { Infer } from './shape.js';
import { flag, jsonObject, list, oneOf, record, text, tuple } from './shape.js';

/**
 * The hooks: callbacks whose return value matters. `gate`: one after another in load order on the same event, which each may change in
 * place; stops at the first that blocks. `onFailure: 'block'`: a handler that throws or is late blocks what it was asked about.
 */
export const HOOKS = {
  tool_call: { kind: 'gate', deadlineMs: 30_000, onFailure: 'block' },
} as const satisfies Record<string, { kind: 'gate'; deadlineMs: number; onFailure: 'block' | 'ignore' }>;
export type HookName = keyof typeof HOOKS;
export const HOOK_NAMES = Object.keys(HOOKS) as HookName[];

export const FailureShape = record({ extension: text(), hook: text(200), message: text() }, { stack: text() });
/** What a handler did wrong, for a person. */
export type HookFailure = Infer<typeof FailureShape>;

const GateOutcomeShape = record(
  { failures: list(FailureShape) },
  {
    /** The event after all handlers; left out when none changed it. */
    event: jsonObject,
    blocked: record({ extension: text() }, { reason: text() }),
  },
);
export type GateOutcome = Infer<typeof GateOutcomeShape>;

/** What the core may ask a worker. */
export const workerHooks = {
  /** Runs the handlers of the named extensions, in that order, on one event. Arguments: hook, extensions, event. */
  'hooks.run': method({ args: tuple(oneOf(...HOOK_NAMES), list(text()), jsonObject), result: GateOutcomeShape }),
  /** Tells all listeners of the worker. Arguments: the event, whose `type` is the listeners' name. */
  'hooks.emit': note(tuple(jsonObject)),
};

/** What a worker may tell the core. */
export const coreHooks = {
  /** Extension, event name, and whether it now has at least one handler. */
  'hooks.subscribed': note(tuple(text(), text(200), flag)),
  'hooks.failed': note(tuple(FailureShape)),
};
