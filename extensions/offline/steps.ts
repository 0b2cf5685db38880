import type { AssistantMessage, OfflineEvent, OfflineRequest } from './model-api.js';
import { offlineStream } from './stream.js';

/** A step of an answer as providers of extensions send it. */
export type OfflineStep =
  | { type: 'start'; partial: AssistantMessage }
  | (Exclude<OfflineEvent, { type: 'start' }> & { partial?: AssistantMessage })
  | { type: 'done'; reason: AssistantMessage['stopReason']; message: AssistantMessage }
  | { type: 'error'; reason: 'aborted'; error: AssistantMessage };

/** The answer as an asynchronous sequence of steps, the last of them `done` or, after an abort, `error`. */
export async function* offlineSteps(
  model: unknown,
  context: unknown,
  options: { signal?: AbortSignal } = {},
): AsyncGenerator<OfflineStep> {
  const steps: OfflineStep[] = [];
  let wake = (): void => undefined;
  const push = (step: OfflineStep): void => {
    steps.push(step);
    wake();
  };
  const request = { model, context, options: { signal: options.signal ?? new AbortController().signal } } as OfflineRequest;
  const answered = offlineStream(request, (event) =>
    push(event.type === 'start' ? { type: 'start', partial: event.message } : { ...event }),
  ).then(({ message }) =>
    push(
      message.stopReason === 'aborted'
        ? { type: 'error', reason: 'aborted', error: message }
        : { type: 'done', reason: message.stopReason, message },
    ),
  );
  for (;;) {
    const step = steps.shift();
    if (!step) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (steps.length > 0) resolve();
      });
      continue;
    }
    yield step;
    if (step.type === 'done' || step.type === 'error') break;
  }
  await answered;
}
