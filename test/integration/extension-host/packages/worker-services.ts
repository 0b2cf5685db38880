import {
  setWorkerServices,
  type WorkerModelEvent,
  type WorkerServices,
} from '../../../../core/extension-host/contract/worker-services.js';
import type { Model } from '../../../../core/protocol/model.js';
import { modelStreamFor } from '../../../../core/providers/streams.js';
import { toModelMessages } from '../../../../core/session/to-model-messages.js';

export const AGENT_KEY = 'sk-agent-0123456789';

/** Services as a worker has them: the other side asks with the agent's key, and everything crosses as JSON. */
export function useServices(models: readonly Model[], changes: Partial<WorkerServices> = {}): Disposable {
  setWorkerServices({
    version: '0.0.0',
    agentDir: '/nowhere',
    cliPath: '/nowhere/cli.js',
    models: () => models,
    credentials: async () => ({ apiKey: AGENT_KEY, headers: { 'x-agent': 'yes' } }),
    streamModel: askElsewhere,
    ...changes,
  });
  return { [Symbol.dispose]: () => setWorkerServices(undefined) };
}

const crossed = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

async function* askElsewhere(
  ...[model, context, options, signal]: Parameters<WorkerServices['streamModel']>
): AsyncGenerator<WorkerModelEvent> {
  const stream = modelStreamFor(model.api);
  if (!stream) throw new Error(`nobody speaks ${model.api}`);
  const { bodyFields, headers, idleTimeoutMs, sessionId, ...rest } = crossed(options);
  const events: WorkerModelEvent[] = [];
  let wake = (): void => {};
  void stream(
    {
      model,
      context: { ...crossed(context), messages: toModelMessages(crossed(context.messages), model) },
      options: {
        ...rest,
        signal,
        apiKey: AGENT_KEY,
        headers: headers ?? {},
        sessionId: sessionId ?? 'session',
        idleTimeoutMs: idleTimeoutMs ?? 60_000,
        ...(bodyFields ? { onPayload: (payload) => ({ ...(payload() as object), ...bodyFields }) } : {}),
      },
    },
    (event) => {
      events.push(crossed(event));
      wake();
    },
  ).then((answer) => {
    events.push({ type: 'answer', answer: crossed(answer) });
    wake();
  });
  for (;;) {
    const event = events.shift();
    if (!event) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    yield event;
    if (event.type === 'answer') return;
  }
}
