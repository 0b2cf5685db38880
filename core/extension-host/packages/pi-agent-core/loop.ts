import { messageOf } from '../../../base/coded-error.js';
import type { AssistantMessage, ModelMessage, ToolResultMessage } from '../../../protocol/messages.js';
import type { Model } from '../../../protocol/model.js';
import { EventStream } from '../pi-ai/event-stream.js';
import { PartialAnswer } from '../pi-ai/partial-answer.js';
import { streamSimple } from '../pi-ai/stream.js';
import { runToolCalls } from './tool-calls.js';
import type { AgentContext, AgentEvent, AgentLoopConfig, AgentMessage, Emit, StreamFn } from './types.js';

let defaultStreamFn: StreamFn = streamSimple;

/** What asks the model when a run brings no stream function of its own. */
export function setDefaultStreamFn(streamFn: StreamFn): void {
  defaultStreamFn = streamFn;
}

/** What providers understand; all other messages are for the program. */
export function onlyModelMessages(messages: AgentMessage[]): ModelMessage[] {
  const roles = new Set(['user', 'assistant', 'toolResult']);
  return messages.filter((message): message is ModelMessage => roles.has(message.role));
}

/**
 * One run: says `prompts`, asks the model and runs its tools until it asks for no more and nothing waits to be said. Each event is
 * handled before the run goes on. Resolves to what was said; failures are answers.
 */
export async function runAgentLoop(
  prompts: AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  emit: Emit,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): Promise<AgentMessage[]> {
  return new Loop(context, config, emit, signal, streamFn ?? defaultStreamFn).run(prompts);
}

/** {@link runAgentLoop} from what is already said; the last message must not be the model's. */
export async function runAgentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  emit: Emit,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): Promise<AgentMessage[]> {
  assertContinuable(context.messages);
  return runAgentLoop([], context, config, emit, signal, streamFn);
}

/** {@link runAgentLoop} as a stream of its events: the run does not wait for who reads them. */
export function agentLoop(
  prompts: AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): EventStream<AgentEvent, AgentMessage[]> {
  return observed(config, signal, (emit) => runAgentLoop(prompts, context, config, emit, signal, streamFn));
}

/** Throws when there is nothing that waits for an answer. */
export function agentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): EventStream<AgentEvent, AgentMessage[]> {
  assertContinuable(context.messages);
  return agentLoop([], context, config, signal, streamFn);
}

export function assertContinuable(messages: readonly AgentMessage[]): void {
  const last = messages.at(-1);
  if (!last) throw new Error('Cannot continue: there are no messages');
  if (last.role === 'assistant') throw new Error('Cannot continue: the last message is the answer of a model');
}

function observed(config: AgentLoopConfig, signal: AbortSignal | undefined, run: (emit: Emit) => Promise<AgentMessage[]>) {
  const events = new EventStream<AgentEvent, AgentMessage[]>(
    (event) => event.type === 'agent_end',
    (event) => (event.type === 'agent_end' ? event.messages : []),
  );
  const emit = (event: AgentEvent): void => events.push(event);
  // Nothing that `emit` does here can fail.
  run(emit).catch((error: unknown) => sayFailed(config.model, error, signal?.aborted === true, emit));
  return events;
}

/** Something of the caller's own threw: the run ends with an answer that says so. */
export async function sayFailed(model: Model, error: unknown, isAborted: boolean, emit: Emit): Promise<void> {
  const partial = new PartialAnswer(model);
  partial.fail(isAborted ? 'aborted' : 'error', messageOf(error));
  const { message } = partial;
  await emit({ type: 'message_start', message });
  await emit({ type: 'message_end', message });
  await emit({ type: 'turn_end', message, toolResults: [] });
  await emit({ type: 'agent_end', messages: [message] });
}

class Loop {
  readonly #context: AgentContext;
  readonly #config: AgentLoopConfig;
  readonly #emit: Emit;
  readonly #signal: AbortSignal | undefined;
  readonly #streamFn: StreamFn;
  readonly #said: AgentMessage[] = [];

  constructor(context: AgentContext, config: AgentLoopConfig, emit: Emit, signal: AbortSignal | undefined, streamFn: StreamFn) {
    // The caller's own list is left as it is.
    this.#context = { ...context, messages: [...context.messages] };
    this.#config = config;
    this.#emit = emit;
    this.#signal = signal;
    this.#streamFn = streamFn;
  }

  async run(prompts: readonly AgentMessage[]): Promise<AgentMessage[]> {
    const { getSteeringMessages, getFollowUpMessages } = this.#config;
    await this.#emit({ type: 'agent_start' });
    let toSay = [...prompts, ...((await getSteeringMessages?.()) ?? [])];
    for (;;) {
      const goesOn = await this.#turn(toSay);
      if (goesOn === 'stop') break;
      toSay = (await getSteeringMessages?.()) ?? [];
      if (goesOn === 'done' && toSay.length === 0) {
        toSay = (await getFollowUpMessages?.()) ?? [];
        if (toSay.length === 0) break;
      }
    }
    await this.#emit({ type: 'agent_end', messages: this.#said });
    return this.#said;
  }

  async #turn(toSay: readonly AgentMessage[]): Promise<'more' | 'done' | 'stop'> {
    await this.#emit({ type: 'turn_start' });
    for (const message of toSay) {
      await this.#emit({ type: 'message_start', message });
      this.#remember(message);
      await this.#emit({ type: 'message_end', message });
    }
    const message = await this.#ask();
    const hasFailed = message.stopReason === 'error' || message.stopReason === 'aborted';
    const { results, terminate } = hasFailed ? { results: [], terminate: true } : await this.#runTools(message);
    await this.#emit({ type: 'turn_end', message, toolResults: results });
    if (hasFailed) return 'stop';
    const turn = { message, toolResults: results, context: this.#context, newMessages: this.#said };
    if (await this.#config.shouldStopAfterTurn?.(turn, this.#signal)) return 'stop';
    return results.length > 0 && !terminate ? 'more' : 'done';
  }

  async #runTools(message: AssistantMessage): Promise<{ results: ToolResultMessage[]; terminate: boolean }> {
    const { results, terminate } = await runToolCalls({
      message,
      context: this.#context,
      config: this.#config,
      signal: this.#signal,
      emit: this.#emit,
    });
    for (const result of results) this.#remember(result);
    return { results, terminate };
  }

  #remember(message: AgentMessage): void {
    this.#said.push(message);
    this.#context.messages.push(message);
  }

  async #ask(): Promise<AssistantMessage> {
    const { model, convertToLlm, transformContext, getApiKey, ...rest } = this.#config;
    const given = this.#context.messages;
    const messages = transformContext ? await transformContext([...given], this.#signal) : given;
    const spoken = await (convertToLlm ?? onlyModelMessages)([...messages]);
    const { systemPrompt, tools } = this.#context;
    const apiKey = (await getApiKey?.(model.provider)) ?? rest.apiKey;
    const options = { ...streamOptionsOf(rest), ...(apiKey === undefined ? {} : { apiKey }), signal: this.#signal };
    const stream = await this.#streamFn(model, { systemPrompt, messages: spoken, tools: tools ?? [] }, options);
    let hasStarted = false;
    for await (const event of stream) {
      if (event.type === 'done' || event.type === 'error') break;
      if (!hasStarted) await this.#emit({ type: 'message_start', message: event.partial });
      if (event.type !== 'start')
        await this.#emit({ type: 'message_update', message: event.partial, assistantMessageEvent: event });
      hasStarted = true;
    }
    const message = await stream.result();
    if (!hasStarted) await this.#emit({ type: 'message_start', message });
    this.#remember(message);
    await this.#emit({ type: 'message_end', message });
    return message;
  }
}

/** What of a run's configuration is for the request. */
function streamOptionsOf(config: Omit<AgentLoopConfig, 'model' | 'convertToLlm' | 'transformContext' | 'getApiKey'>) {
  const {
    getSteeringMessages: _1,
    getFollowUpMessages: _2,
    toolExecution: _3,
    beforeToolCall: _4,
    afterToolCall: _5,
    shouldStopAfterTurn: _6,
    reasoning,
    ...options
  } = config;
  // A run that is not to think asks without the option, as today's providers expect.
  return reasoning === undefined || reasoning === 'off' ? options : { ...options, reasoning };
}
