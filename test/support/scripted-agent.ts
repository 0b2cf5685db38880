import { Agent } from '../../core/agent/agent.js';
import type { AgentOptions } from '../../core/agent/agent-options.js';
import { emptyAnswer } from '../../core/agent/ask-model.js';
import { ModelChoice, type ModelChoiceChange } from '../../core/agent/model-choice.js';
import { createLogger } from '../../core/base/logger.js';
import type { AssistantContent } from '../../core/protocol/content.js';
import type { AgentEvent } from '../../core/protocol/events.js';
import type { UserMessage } from '../../core/protocol/messages.js';
import type { Model } from '../../core/protocol/model.js';
import type { ModelAnswer, ModelFailure, ModelRequest } from '../../core/protocol/model-stream.js';
import type { Tool } from '../../core/protocol/tool.js';
import { clampLevel, levelsOf } from '../../core/providers/thinking.js';
import { createSession, type Session } from '../../core/session/session.js';
import { toModelMessages } from '../../core/session/to-model-messages.js';
import { prepareArguments } from '../../core/tools/arguments.js';

export const MODEL: Model = {
  id: 'scripted',
  name: 'Scripted',
  api: 'scripted',
  provider: 'test',
  baseUrl: 'test:',
  reasoning: false,
  input: ['text', 'image'],
  contextWindow: 100_000,
  maxTokens: 1000,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

/** One answer of the scripted model. */
export type Reply =
  | { text?: string; calls?: { id: string; name: string; args?: Record<string, unknown> }[]; stopReason?: 'length' }
  | { failure: ModelFailure; error: string }
  | { throws: unknown }
  /** Streams "partial" and waits for the abort. */
  | { hang: true };

export interface ScriptedAgent {
  agent: Agent;
  events: AgentEvent[];
  requests: ModelRequest[];
  session: Session;
  models: ModelChoice;
  /** Accepts a prompt, lets it begin, and waits until the run settled. */
  run(text: string): Promise<void>;
  /** Resolves once an event fits. */
  seen(fits: (event: AgentEvent) => boolean): Promise<void>;
}

export const say = (text: string): UserMessage => ({ role: 'user', content: [{ type: 'text', text }], timestamp: 1 });

/** An agent over an in-memory session whose model answers from a script. */
export function scriptedAgent(
  script: Reply[],
  overrides: Partial<AgentOptions> & {
    tools?: Tool[];
    log?: never;
    /** Hears each event after it was recorded; what it returns is what `emit` returns. */
    listen?: (event: AgentEvent) => void | Promise<void>;
    onModelChange?: (change: ModelChoiceChange) => void;
  } = {},
): ScriptedAgent {
  const events: AgentEvent[] = [];
  const requests: ModelRequest[] = [];
  const watchers = new Set<() => void>();
  const session = createSession({ cwd: '/' });
  const emit = (event: AgentEvent): void | Promise<void> => {
    events.push(event);
    for (const watch of [...watchers]) watch();
    return overrides.listen?.(event);
  };
  const source = {
    available: async () => [MODEL],
    find: async () => MODEL,
    credentials: async () => ({ headers: {} }),
    streamOf:
      () => async (request: ModelRequest, send: Parameters<NonNullable<ReturnType<AgentOptions['source']['streamOf']>>>[1]) => {
        requests.push(request);
        return answer(script.shift() ?? { failure: { kind: 'fatal' }, error: 'script exhausted' }, request, send);
      },
  } satisfies AgentOptions['source'];
  const models = new ModelChoice({
    source,
    thinking: { levelsOf, clamp: clampLevel },
    append: (entry) => session.append(entry),
    emit,
    ...(overrides.onModelChange ? { onChange: overrides.onModelChange } : {}),
  });
  models.restore(MODEL, undefined);
  const agent = new Agent({
    session: () => session,
    models,
    source,
    parts: { systemPrompt: async () => 'system', tools: () => overrides.tools ?? [] },
    toModelMessages,
    prepareArguments,
    runShell: async () => ({ output: '', exitCode: 0, cancelled: false, truncated: false }),
    settings: {
      steeringMode: 'one-at-a-time',
      followUpMode: 'one-at-a-time',
      retry: { enabled: true, maxRetries: 2, baseDelayMs: 1, maxDelayMs: 60_000 },
      thinkingBudgets: {},
      streamIdleTimeoutMs: 1000,
      compaction: { reserveTokens: 1000, keepRecentTokens: 500 },
    },
    autoCompaction: () => true,
    emit,
    ...overrides,
    log: createLogger({ room: 'test', level: 'error', write: () => undefined }),
  });
  return {
    agent,
    events,
    requests,
    session,
    models,
    async run(text) {
      const { begin } = await agent.prompt(say(text), undefined);
      begin?.();
      await agent.whenIdle();
    },
    seen(fits) {
      if (events.some(fits)) return Promise.resolve();
      return new Promise((resolve) => {
        const watch = (): void => {
          const last = events.at(-1);
          if (!last || !fits(last)) return;
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
      });
    },
  };
}

async function answer(
  reply: Reply,
  { context, options }: ModelRequest,
  emit: (event: Parameters<Parameters<import('../../core/protocol/model-stream.js').ModelStream>[1]>[0]) => void,
): Promise<ModelAnswer> {
  // As the real dialects do, at the same moments; nothing is waited for where nobody has a say.
  const replaced = options.onPayload?.(() => ({ system: context.systemPrompt, messages: context.messages.length }));
  if (replaced) await replaced;
  const seen = options.onResponse?.({ status: 200, headers: { 'x-scripted': 'yes' } });
  if (seen) await seen;
  if ('throws' in reply) throw reply.throws;
  if ('failure' in reply) {
    const message = emptyAnswer(MODEL, 'error', reply.error, 1);
    emit({ type: 'start', message });
    return { message, failure: reply.failure };
  }
  if ('hang' in reply) {
    const message = { ...emptyAnswer(MODEL, 'aborted', 'Request was aborted', 1) };
    emit({ type: 'start', message });
    emit({ type: 'text_start', contentIndex: 0 });
    emit({ type: 'text_delta', contentIndex: 0, delta: 'partial' });
    message.content.push({ type: 'text', text: 'partial' });
    if (!options.signal.aborted) {
      await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve(), { once: true }));
    }
    return { message };
  }
  const content: AssistantContent[] = [];
  if (reply.text !== undefined) content.push({ type: 'text', text: reply.text });
  for (const call of reply.calls ?? []) {
    content.push({ type: 'toolCall', id: call.id, name: call.name, arguments: call.args ?? {} });
  }
  const { errorMessage: _none, ...base } = emptyAnswer(MODEL, 'error', '', 1);
  const message = { ...base, content, stopReason: reply.stopReason ?? (reply.calls ? ('toolUse' as const) : ('stop' as const)) };
  emit({ type: 'start', message });
  return { message };
}
