import type { ModelSource } from '../../agent/ports.js';
import { CodedError } from '../../base/coded-error.js';
import type { Model, ThinkingLevel } from '../../protocol/model.js';
import type { ModelContext } from '../../protocol/model-stream.js';
import type { ModelRegistry } from '../../providers/registry.js';
import { toModelMessages } from '../../session/to-model-messages.js';

export interface ModelAccessOptions {
  registry: ModelRegistry;
  source: ModelSource;
  sessionId: () => string;
  idleTimeoutMs: number;
}

type Fields = Record<string, unknown>;

/** How extensions reach models: their credentials, and answers that the core asks for on their behalf. */
export class ModelAccess {
  readonly #options: ModelAccessOptions;

  constructor(options: ModelAccessOptions) {
    this.#options = options;
  }

  /** The model, when there are credentials for it. */
  usable(provider: string, id: string): Promise<Model | undefined> {
    return this.#options.source.find(provider, id);
  }

  /** Throws what says how to get some. */
  async credentials(provider: string, id: string | undefined): Promise<Fields> {
    const { registry, source } = this.#options;
    const all = await registry.all();
    const model =
      (id === undefined ? undefined : await registry.lookup(provider, id)) ?? all.find((one) => one.provider === provider);
    if (!model) throw new CodedError('MODEL_NOT_FOUND', `No provider "${provider}"`);
    const { apiKey, headers } = await source.credentials(model);
    return { ...(apiKey !== undefined && { apiKey }), headers, baseUrl: model.baseUrl };
  }

  /**
   * Asks a model for an extension: `{model, context, options}`. Gives the answer; its steps go to `step`. Who may not describe a model gets
   * the one known by its name: else a key would go wherever the description says.
   */
  async stream(request: Fields, signal: AbortSignal, step: (step: Fields) => void, mayDescribe = true): Promise<Fields> {
    const { source, sessionId, idleTimeoutMs } = this.#options;
    const model = mayDescribe ? (request.model as Model) : await this.#known(request.model as Model);
    const context = request.context as Partial<ModelContext>;
    const options = (request.options ?? {}) as Fields;
    const stream = source.streamOf(model);
    if (!stream) throw new CodedError('MODEL_API_UNKNOWN', `The API "${String(model.api)}" is none that this program speaks`);
    const own = await source.credentials(model);
    const { bodyFields } = options;
    const answer = await stream(
      {
        model,
        context: {
          systemPrompt: context.systemPrompt ?? '',
          messages: toModelMessages(asMessages(context.messages), model),
          tools: context.tools ?? [],
        },
        options: {
          signal,
          apiKey: own.apiKey,
          headers: mergeHeaders(own.headers, options.headers),
          thinkingLevel: (typeof options.thinkingLevel === 'string' ? options.thinkingLevel : 'off') as ThinkingLevel,
          ...(isObject(options.thinkingBudgets) && { thinkingBudgets: options.thinkingBudgets as Record<string, number> }),
          ...(typeof options.maxTokens === 'number' && { maxTokens: options.maxTokens }),
          sessionId: typeof options.sessionId === 'string' ? options.sessionId : sessionId(),
          idleTimeoutMs: typeof options.idleTimeoutMs === 'number' ? options.idleTimeoutMs : idleTimeoutMs,
          ...(isObject(bodyFields) && { onPayload: (payload: () => unknown) => ({ ...(payload() as Fields), ...bodyFields }) }),
        },
      },
      // A copy of this moment: the live message grows while the step waits to be sent.
      (event) => step(structuredClone(event) as unknown as Fields),
    );
    return answer as unknown as Fields;
  }

  async #known({ provider, id }: Model): Promise<Model> {
    const model = await this.#options.registry.lookup(String(provider), String(id));
    if (model) return model;
    throw new CodedError('MODEL_NOT_FOUND', `There is no model "${provider}/${id}"`);
  }

  async refresh(): Promise<void> {
    this.#options.registry.reload();
  }
}

/** Extensions may leave out what the stored form has. */
function asMessages(messages: unknown): Parameters<typeof toModelMessages>[0] {
  const list = Array.isArray(messages) ? (messages as Fields[]) : [];
  return list.map((message) => ({
    timestamp: Date.now(),
    ...message,
    ...(message.role === 'user' && typeof message.content === 'string' && { content: [{ type: 'text', text: message.content }] }),
  })) as unknown as Parameters<typeof toModelMessages>[0];
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null takes a header away. */
function mergeHeaders(own: Record<string, string>, more: unknown): Record<string, string> {
  const merged = { ...own, ...(isObject(more) ? more : {}) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => typeof value === 'string')) as Record<string, string>;
}
