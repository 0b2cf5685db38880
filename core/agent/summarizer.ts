import { CodedError } from '../base/coded-error.js';
import { abortedError, sleep } from '../base/deadline.js';
import type { Logger } from '../base/logger.js';
import type { CompactionReason } from '../protocol/events.js';
import type { AssistantMessage } from '../protocol/messages.js';
import type { Model } from '../protocol/model.js';
import type { ModelAnswer } from '../protocol/model-stream.js';
import { noUsage } from '../protocol/no-usage.js';
import type { Usage } from '../protocol/usage.js';
import { AGENT_ERRORS } from './errors.js';
import type { AgentHooks } from './hooks.js';
import { Patience } from './patience.js';
import type { Emit, ModelSource } from './ports.js';
import { requestHooks } from './request-hooks.js';
import { nextRetry, type RetrySettings } from './retry-policy.js';
import { SUMMARY_SYSTEM_PROMPT } from './summary-text.js';

export interface SummarizerOptions {
  source: ModelSource;
  retry: () => RetrySettings;
  idleTimeoutMs: number;
  hooks: AgentHooks;
  emit: Emit;
  log: Logger;
  now: () => number;
}

export interface SummaryRequest {
  model: Model;
  prompts: readonly string[];
  sessionId: string;
  maxTokens: number;
  source: 'compaction' | 'branchSummary';
  reason?: CompactionReason;
  signal: AbortSignal;
}

/** Asks the model for summaries, side by side, retrying as runs do and saying so. Rejects with the last error or `ABORTED`. */
export class Summarizer {
  readonly #options: SummarizerOptions;

  constructor(options: SummarizerOptions) {
    this.#options = options;
  }

  async summarize(request: SummaryRequest): Promise<{ texts: string[]; usage: Usage }> {
    const retries = { announced: false };
    try {
      const answers = await Promise.all(request.prompts.map((prompt) => this.#one(request, prompt, retries)));
      return { texts: answers.map(textOf), usage: addUp(answers.map(({ usage }) => usage)) };
    } finally {
      if (retries.announced) void this.#options.emit({ type: 'summarization_retry_finished' });
    }
  }

  async #one(request: SummaryRequest, prompt: string, retries: { announced: boolean }): Promise<AssistantMessage> {
    const { emit, retry } = this.#options;
    for (let attempt = 0; ; ) {
      const { message, failure } = await this.#ask(request, prompt);
      if (request.signal.aborted) throw abortedError(request.signal);
      if (message.stopReason !== 'error' && message.stopReason !== 'aborted') {
        if (textOf(message).trim() === '') throw new CodedError(AGENT_ERRORS.EMPTY_SUMMARY, 'The model gave an empty summary');
        return message;
      }
      const errorMessage = message.errorMessage ?? 'The model gave no answer';
      const next = failure && nextRetry(retry(), failure, attempt);
      if (!next) throw new CodedError(AGENT_ERRORS.SUMMARY_FAILED, errorMessage);
      attempt = next.attempt;
      retries.announced = true;
      void emit({ type: 'summarization_retry_scheduled', ...next, errorMessage });
      await sleep(next.delayMs, request.signal);
      const { source, reason } = request;
      void emit({ type: 'summarization_retry_attempt_start', source, ...(reason ? { reason } : {}) });
    }
  }

  async #ask(request: SummaryRequest, prompt: string): Promise<ModelAnswer> {
    const { source, idleTimeoutMs, hooks, log, now } = this.#options;
    const { model, signal, sessionId, maxTokens } = request;
    const stream = source.streamOf(model);
    if (!stream)
      throw new CodedError(
        AGENT_ERRORS.UNKNOWN_API,
        `Nothing here can speak the API "${model.api}" of ${model.provider}/${model.id}`,
      );
    const credentials = await source.credentials(model);
    const context = {
      systemPrompt: SUMMARY_SYSTEM_PROMPT,
      messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: prompt }], timestamp: now() }],
      tools: [],
    };
    const hooked = await requestHooks(hooks, credentials.headers, new Patience(signal, log));
    return stream(
      {
        model,
        context,
        options: {
          signal,
          apiKey: credentials.apiKey,
          thinkingLevel: 'off',
          maxTokens: Math.max(1, Math.min(maxTokens, model.maxTokens)),
          sessionId,
          idleTimeoutMs,
          ...hooked,
        },
      },
      () => undefined,
    );
  }
}

function textOf(message: AssistantMessage): string {
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function addUp(usages: readonly Usage[]): Usage {
  const sum = noUsage();
  for (const usage of usages) {
    sum.input += usage.input;
    sum.output += usage.output;
    sum.cacheRead += usage.cacheRead;
    sum.cacheWrite += usage.cacheWrite;
    sum.totalTokens += usage.totalTokens ?? usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
    for (const key of ['input', 'output', 'cacheRead', 'cacheWrite', 'total'] as const) sum.cost[key] += usage.cost[key];
  }
  return sum;
}
