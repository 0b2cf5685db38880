import { emptyAnswer } from '../../agent/ask-model.js';
import { CodedError, messageOf } from '../../base/coded-error.js';
import type { BridgedProvider } from '../../extension-host/contract/registrations.js';
import type { ExtensionRecord } from '../../extension-host/host/extension-record.js';
import type { AssistantMessage } from '../../protocol/messages.js';
import type { ModelStream, ModelStreamEvent } from '../../protocol/model-stream.js';
import type { ModelRegistry } from '../../providers/registry.js';
import type { RegisteredProvider } from '../../providers/registry-types.js';

export interface ExtensionProvidersOptions {
  registry: ModelRegistry;
  /** What is known of a provider without the extension that brought it. */
  fallback: (name: string) => RegisteredProvider | undefined;
  stream: (
    record: ExtensionRecord,
    provider: string,
    request: Record<string, unknown>,
    how: { signal: AbortSignal; onStep: (step: ModelStreamEvent) => void },
  ) => Promise<Record<string, unknown>>;
}

/** Models that extensions offer, in the registry of all models. */
export class ExtensionProviders {
  readonly #options: ExtensionProvidersOptions;
  readonly #owners = new Map<string, ExtensionRecord>();

  constructor(options: ExtensionProvidersOptions) {
    this.#options = options;
  }

  has(provider: string): boolean {
    return this.#owners.has(provider);
  }

  /** Throws when the models can't be reached. Source: transcripts of `registerProvider`. */
  register(record: ExtensionRecord, { name, config, streams }: BridgedProvider): void {
    const { models, baseUrl } = config;
    if (Array.isArray(models) && models.length > 0 && typeof baseUrl !== 'string' && !streams)
      throw new CodedError('PROVIDER_INVALID', `pi.registerProvider('${name}'): "baseUrl" is required when models are given`);
    // The registry checks each member when it makes models of them.
    const provider = { ...config } as RegisteredProvider;
    this.#options.registry.registerProvider(name, {
      ...provider,
      ...(streams && { stream: this.#streamOf(record, name), keyless: config.apiKey === undefined }),
    });
    this.#owners.set(name, record);
  }

  unregister(record: ExtensionRecord, name: string): void {
    if (this.#owners.get(name) !== record) return;
    this.#owners.delete(name);
    const { registry, fallback } = this.#options;
    const known = fallback(name);
    if (known) registry.registerProvider(name, known);
    else registry.unregisterProvider(name);
  }

  /** The answer is made in the worker; its steps come over the boundary and are put together here. */
  #streamOf(record: ExtensionRecord, provider: string): ModelStream {
    return async ({ model, context, options }, emit) => {
      const { signal, apiKey, headers, thinkingLevel, maxTokens, sessionId } = options;
      let live: AssistantMessage | undefined;
      try {
        const request = {
          model,
          context,
          options: {
            headers,
            sessionId,
            ...(apiKey !== undefined && { apiKey }),
            ...(maxTokens !== undefined && { maxTokens }),
            ...(thinkingLevel !== 'off' && { reasoning: thinkingLevel }),
          },
        };
        const answer = await this.#options.stream(record, provider, request, {
          signal,
          onStep: (step) => {
            if (step.type === 'start') live = step.message;
            emit(step);
          },
        });
        const message = answer as unknown as AssistantMessage;
        return message.stopReason === 'error' ? { message, failure: { kind: 'fatal' } } : { message };
      } catch (error) {
        const stopReason = signal.aborted ? 'aborted' : 'error';
        const own = emptyAnswer(model, stopReason, messageOf(error), Date.now());
        const message = { ...own, content: live?.content ?? [], usage: live?.usage ?? own.usage };
        return stopReason === 'error' ? { message, failure: { kind: 'fatal' } } : { message };
      }
    };
  }
}
