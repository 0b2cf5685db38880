import { messageOf } from '../../base/coded-error.js';
import { withDeadline } from '../../base/deadline.js';
import { type GateOutcome, HOOKS, type HookFailure, type HookName } from '../contract/hooks.js';
import type { EventHandler, ExtensionContext, ToolCallDecision } from '../contract/public.js';
import type { CurrentExtension, WorkerExtension } from './current-extension.js';
import type { Registrations } from './registrations.js';

export interface HookSurroundings {
  current: CurrentExtension;
  context: ExtensionContext;
}

/**
 * Runs the gates of the given extensions on one event, which each may change in place. The first that blocks ends it; so does one that
 * fails where the hook's table says that failing blocks. The event comes back only when it was changed.
 */
export async function runGate(
  hook: HookName,
  extensions: readonly Registrations[],
  event: Record<string, unknown>,
  surroundings: HookSurroundings,
): Promise<GateOutcome> {
  const spec = HOOKS[hook];
  const before = JSON.stringify(event);
  const failures: HookFailure[] = [];
  let blocked: GateOutcome['blocked'];
  walk: for (const registrations of extensions) {
    const { extension } = registrations;
    for (const handler of registrations.handlers(hook)) {
      try {
        const decision = (await runHandler(handler, extension, event, surroundings, spec.deadlineMs)) as
          | ToolCallDecision
          | undefined
          | null;
        if (decision?.block !== true) continue;
        blocked = { extension: extension.name, ...(typeof decision.reason === 'string' && { reason: decision.reason }) };
      } catch (error) {
        const failure = toFailure(hook, extension, error);
        failures.push(failure);
        if (spec.onFailure !== 'block') continue;
        blocked = { extension: extension.name, reason: `${extension.name}: ${failure.message}` };
      }
      break walk;
    }
  }
  const changed = JSON.stringify(event) !== before;
  return { failures, ...(changed && { event }), ...(blocked && { blocked }) };
}

/**
 * Tells every listener in order of loading, each before the first `await` of those before it is over. Resolves when all are done; never
 * rejects, failures are given to `onFailure`.
 */
export function tellListeners(
  extensions: Iterable<Registrations>,
  event: Record<string, unknown>,
  { current, context }: HookSurroundings,
  onFailure: (failure: HookFailure) => void,
): Promise<void> | undefined {
  const type = String(event.type);
  let waiting: Promise<void>[] | undefined;
  for (const registrations of extensions) {
    const { extension } = registrations;
    for (const handler of registrations.handlers(type)) {
      const failed = (error: unknown): void => onFailure(toFailure(type, extension, error));
      try {
        const outcome: unknown = current.run(extension, () => handler(event, context));
        if (!(outcome instanceof Promise)) continue;
        waiting ??= [];
        waiting.push(outcome.then(() => undefined, failed));
      } catch (error) {
        failed(error);
      }
    }
  }
  // Events are many and their listeners mostly synchronous: those cost no promise.
  return waiting && Promise.all(waiting).then(() => undefined);
}

/** A handler that answers at once costs no timer. */
function runHandler(
  handler: EventHandler,
  extension: WorkerExtension,
  event: Record<string, unknown>,
  { current, context }: HookSurroundings,
  deadlineMs: number,
): unknown {
  const outcome: unknown = current.run(extension, () => handler(event, context));
  return outcome instanceof Promise ? withDeadline(outcome, deadlineMs, `the handler of ${extension.name}`) : outcome;
}

function toFailure(hook: string, extension: WorkerExtension, error: unknown): HookFailure {
  const stack = error instanceof Error && typeof error.stack === 'string' ? { stack: error.stack } : {};
  return { extension: extension.name, hook, message: messageOf(error), ...stack };
}
