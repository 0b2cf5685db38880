import { CodedError } from '../../base/coded-error.js';
import type { ModelAnswer, ModelStreamEvent } from '../../protocol/model-stream.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { LoadSettings } from '../contract/lifecycle.js';
import type { WorkerModelEvent, WorkerServices } from '../contract/worker-services.js';
import type { CorePort } from './core-port.js';
import type { CurrentExtension } from './current-extension.js';

export interface ServicesOptions {
  core: CorePort;
  current: CurrentExtension;
  settings: () => LoadSettings;
}

/** What the packages that extensions import can have of this worker; requests to models go through the core in the extension's name. */
export function createWorkerServices({ core, current, settings }: ServicesOptions): WorkerServices {
  const name = (): string => {
    const extension = current.get();
    if (extension) return extension.name;
    throw new CodedError(BOUNDARY_ERRORS.NOT_LOADED, 'A model can be asked only by code of an extension');
  };
  return {
    get version() {
      return settings().version;
    },
    get agentDir() {
      return settings().agentDir;
    },
    get cliPath() {
      return settings().cliPath;
    },
    models: () => core.state.models().all,
    async credentials(model) {
      const answer = await core.call('models.auth', [name(), model.provider, model.id]);
      if (answer.ok !== true) throw new CodedError('CREDENTIALS_MISSING', String(answer.error));
      return {
        ...(typeof answer.apiKey === 'string' && { apiKey: answer.apiKey }),
        headers: (answer.headers ?? {}) as Record<string, string>,
      };
    },
    async *streamModel(model, context, options, signal): AsyncGenerator<WorkerModelEvent> {
      const events: WorkerModelEvent[] = [];
      let wake = (): void => undefined;
      const push = (event: WorkerModelEvent): void => {
        events.push(event);
        wake();
      };
      const request = JSON.parse(JSON.stringify({ model, context, options })) as Record<string, unknown>;
      const asked = core.call('models.stream', [name(), request], {
        signal,
        onProgress: (step) => push(step as unknown as ModelStreamEvent),
      });
      let failed: unknown;
      const done = asked.then(
        (answer) => push({ type: 'answer', answer: answer as unknown as ModelAnswer }),
        (error: unknown) => {
          failed = error;
          wake();
        },
      );
      for (;;) {
        const event = events.shift();
        if (event) {
          yield event;
          if (event.type === 'answer') break;
          continue;
        }
        if (failed !== undefined) throw failed;
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (events.length > 0 || failed !== undefined) resolve();
        });
      }
      await done;
    },
  };
}
