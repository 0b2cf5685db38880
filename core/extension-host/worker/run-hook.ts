import { codeOf, messageOf } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import { type HookFailure, type HookOutcome, hookSpec } from '../contract/hooks.js';
import type { EventHandler } from '../contract/public.js';
import type { CurrentExtension } from './current-extension.js';
import { REDUCERS } from './hook-reducers.js';
import type { ExtensionInstance } from './instance.js';

export interface HookRun {
  current: CurrentExtension;
  onFailure: (failure: HookFailure) => void;
  /** Whether an error comes of an attempt to change what extensions share. */
  isBroken: (error: unknown) => boolean;
  /** Called after each handler with the event as it is now. */
  onStep?: (event: Record<string, unknown>) => void;
}

/**
 * Runs the handlers of these extensions on one event, each after the one before is done. They may change the event in place and answer;
 * the hook's reducer puts the answers together. Never rejects: what a handler does wrong is reported, and blocks where the hook's table
 * says so. The event comes back only when it was changed.
 */
export async function runHook(
  instances: readonly ExtensionInstance[],
  event: Record<string, unknown>,
  outcome: Record<string, unknown>,
  run: HookRun,
): Promise<HookOutcome> {
  const type = String(event.type);
  const spec = hookSpec(type);
  const reduce = REDUCERS[type];
  const before = reduce ? JSON.stringify(event) : '';
  let stopped = false;
  const timesUs: number[] = [];
  walk: for (const [at, instance] of instances.entries()) {
    const startedAt = performance.now();
    timesUs[at] = 0;
    for (const handler of instance.registrations.handlers(type)) {
      try {
        const answer = await runHandler(handler, instance, event, run, spec.deadlineMs);
        stopped = reduce?.(event, outcome, answer) ?? false;
      } catch (error) {
        const failure = toFailure(type, instance, error, run);
        run.onFailure(failure);
        if (spec.onFailure === 'block') {
          Object.assign(outcome, { block: true, reason: failure.message });
          stopped = true;
        }
      }
      run.onStep?.(event);
      timesUs[at] = Math.round((performance.now() - startedAt) * 1_000);
      if (stopped) break walk;
    }
  }
  const changed = reduce !== undefined && JSON.stringify(event) !== before;
  return { outcome, stopped, timesUs, ...(changed && { event }) };
}

/**
 * Tells every listener in order of loading, each before the first `await` of those before it is over. Never throws; nobody waits for the
 * listeners, and each has its own deadline.
 */
export function tellListeners(instances: Iterable<ExtensionInstance>, event: Record<string, unknown>, run: HookRun): void {
  const type = String(event.type);
  const { deadlineMs } = hookSpec(type);
  for (const instance of instances) {
    for (const handler of instance.registrations.handlers(type)) {
      try {
        const outcome = runHandler(handler, instance, event, run, deadlineMs);
        // Events are many and their listeners mostly synchronous: those cost no promise.
        if (outcome instanceof Promise) outcome.catch((error: unknown) => run.onFailure(toFailure(type, instance, error, run)));
      } catch (error) {
        run.onFailure(toFailure(type, instance, error, run));
      }
    }
  }
}

/** A handler that answers at once costs no timer. */
function runHandler(
  handler: EventHandler,
  instance: ExtensionInstance,
  event: Record<string, unknown>,
  { current }: HookRun,
  deadlineMs: number,
): unknown {
  const outcome: unknown = current.run(instance.extension, () => handler(event, instance.context));
  if (!isThenable(outcome)) return outcome;
  // Without a limit of the program there is none of the extension's: somebody else keeps one for all together.
  const limitMs = deadlineMs === 0 ? 0 : (instance.hookMs ?? deadlineMs);
  return instance.clock.limit(Promise.resolve(outcome), limitMs, `the "${String(event.type)}" handler of ${instance.name}`);
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

function toFailure(hook: string, instance: ExtensionInstance, error: unknown, { isBroken }: HookRun): HookFailure {
  const stack = error instanceof Error && typeof error.stack === 'string' ? { stack: error.stack } : {};
  const code = isBroken(error) ? BOUNDARY_ERRORS.INTRINSIC_FIXED : codeOf(error);
  return { extension: instance.name, hook, message: messageOf(error), ...stack, ...(code !== undefined && { code }) };
}
