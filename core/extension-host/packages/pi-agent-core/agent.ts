import type { ImageContent } from '../../../protocol/content.js';
import type { ThinkingLevel } from '../../../protocol/model.js';
import { AgentState } from './agent-state.js';
import { assertContinuable, runAgentLoop, sayFailed } from './loop.js';
import { MessageQueue, type QueueMode } from './message-queue.js';
import type { AgentEvent, AgentLoopConfig, AgentMessage, Awaitable, StreamFn } from './types.js';

type Hooks = Pick<
  AgentLoopConfig,
  | 'convertToLlm'
  | 'transformContext'
  | 'getApiKey'
  | 'toolExecution'
  | 'beforeToolCall'
  | 'afterToolCall'
  | 'shouldStopAfterTurn'
  | 'sessionId'
  | 'onPayload'
  | 'onResponse'
>;

export interface AgentOptions extends Hooks {
  initialState?: Partial<Pick<AgentState, 'systemPrompt' | 'model' | 'thinkingLevel' | 'tools' | 'messages'>>;
  streamFn?: StreamFn;
  steeringMode?: QueueMode;
  followUpMode?: QueueMode;
  thinkingBudgets?: Partial<Record<ThinkingLevel, number>>;
}

type Listener = (event: AgentEvent, signal: AbortSignal) => Awaitable<void>;

interface ActiveRun {
  controller: AbortController;
  done: Promise<void>;
}

/**
 * An agent of an extension's own: state, queues and runs, apart from the agent the extension works in.
 * Source: README of pi-agent-core. Listeners are awaited in the order of subscribing.
 */
export class Agent {
  readonly state: AgentState;
  streamFn: StreamFn | undefined;
  sessionId: string | undefined;
  thinkingBudgets: Partial<Record<ThinkingLevel, number>> | undefined;
  convertToLlm: Hooks['convertToLlm'];
  transformContext: Hooks['transformContext'];
  getApiKey: Hooks['getApiKey'];
  toolExecution: Hooks['toolExecution'];
  beforeToolCall: Hooks['beforeToolCall'];
  afterToolCall: Hooks['afterToolCall'];
  shouldStopAfterTurn: Hooks['shouldStopAfterTurn'];
  onPayload: Hooks['onPayload'];
  onResponse: Hooks['onResponse'];
  readonly #listeners = new Set<Listener>();
  readonly #steering: MessageQueue;
  readonly #followUps: MessageQueue;
  #active: ActiveRun | undefined;

  constructor(options: AgentOptions = {}) {
    this.state = new AgentState(options.initialState ?? {});
    this.streamFn = options.streamFn;
    this.sessionId = options.sessionId;
    this.thinkingBudgets = options.thinkingBudgets;
    this.convertToLlm = options.convertToLlm;
    this.transformContext = options.transformContext;
    this.getApiKey = options.getApiKey;
    this.toolExecution = options.toolExecution ?? 'parallel';
    this.beforeToolCall = options.beforeToolCall;
    this.afterToolCall = options.afterToolCall;
    this.shouldStopAfterTurn = options.shouldStopAfterTurn;
    this.onPayload = options.onPayload;
    this.onResponse = options.onResponse;
    this.#steering = new MessageQueue(options.steeringMode ?? 'one-at-a-time');
    this.#followUps = new MessageQueue(options.followUpMode ?? 'one-at-a-time');
  }

  get steeringMode(): QueueMode {
    return this.#steering.mode;
  }
  set steeringMode(mode: QueueMode) {
    this.#steering.mode = mode;
  }

  get followUpMode(): QueueMode {
    return this.#followUps.mode;
  }
  set followUpMode(mode: QueueMode) {
    this.#followUps.mode = mode;
  }

  /** Fires when the current run is aborted; undefined when there is none. */
  get signal(): AbortSignal | undefined {
    return this.#active?.controller.signal;
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Says something and waits for the end of the run. Throws while another one is on: queue with `steer` or `followUp`. */
  async prompt(input: string | AgentMessage | AgentMessage[], images: ImageContent[] = []): Promise<void> {
    const messages = typeof input === 'string' ? [userMessage(input, images)] : [input].flat();
    await this.#run(messages);
  }

  /** Goes on from what was said; after an answer, with what is queued. Throws when nothing waits for an answer. */
  async continue(): Promise<void> {
    const isAnswered = this.state.messages.at(-1)?.role === 'assistant';
    if (!isAnswered || this.#steering.size + this.#followUps.size === 0) assertContinuable(this.state.messages);
    await this.#run(isAnswered && this.#steering.size === 0 ? this.#followUps.take() : []);
  }

  /** Said before the model is asked again. */
  steer(message: AgentMessage): void {
    this.#steering.push(message);
  }

  /** Said when the agent would stop. */
  followUp(message: AgentMessage): void {
    this.#followUps.push(message);
  }

  clearSteeringQueue(): void {
    this.#steering.clear();
  }

  clearFollowUpQueue(): void {
    this.#followUps.clear();
  }

  clearAllQueues(): void {
    this.#steering.clear();
    this.#followUps.clear();
  }

  hasQueuedMessages(): boolean {
    return this.#steering.size + this.#followUps.size > 0;
  }

  abort(): void {
    this.#active?.controller.abort();
  }

  /** Resolves when the run, and the listeners of its last event, have ended. */
  async waitForIdle(): Promise<void> {
    await this.#active?.done;
  }

  /** Forgets what was said and queued; model, tools and prompt stay. */
  reset(): void {
    this.state.messages = [];
    this.state.errorMessage = undefined;
    this.state.streamingMessage = undefined;
    this.state.pendingToolCalls = new Set();
    this.clearAllQueues();
  }

  async #run(prompts: AgentMessage[]): Promise<void> {
    if (this.#active)
      throw new Error('The agent is still at work: queue messages with steer() or followUp(), or wait for the end');
    const controller = new AbortController();
    // The run is known before its first event is told.
    const done = Promise.resolve().then(() => this.#loop(prompts, controller.signal));
    this.#active = { controller, done };
    await done;
  }

  async #loop(prompts: AgentMessage[], signal: AbortSignal): Promise<void> {
    const { state } = this;
    state.isStreaming = true;
    state.errorMessage = undefined;
    const emit = async (event: AgentEvent): Promise<void> => {
      state.follow(event);
      for (const listener of this.#listeners) await listener(event, signal);
    };
    try {
      const { systemPrompt, messages, tools } = state;
      await runAgentLoop(prompts, { systemPrompt, messages, tools }, this.#config(), emit, signal, this.streamFn);
    } catch (error) {
      await sayFailed(state.model, error, signal.aborted, emit);
    } finally {
      state.isStreaming = false;
      state.streamingMessage = undefined;
      state.pendingToolCalls = new Set();
      this.#active = undefined;
    }
  }

  #config(): AgentLoopConfig {
    const { model, thinkingLevel } = this.state;
    return {
      model,
      reasoning: thinkingLevel,
      sessionId: this.sessionId,
      thinkingBudgets: this.thinkingBudgets,
      convertToLlm: this.convertToLlm,
      transformContext: this.transformContext,
      getApiKey: this.getApiKey,
      toolExecution: this.toolExecution,
      beforeToolCall: this.beforeToolCall,
      afterToolCall: this.afterToolCall,
      shouldStopAfterTurn: this.shouldStopAfterTurn,
      onPayload: this.onPayload,
      onResponse: this.onResponse,
      getSteeringMessages: () => this.#steering.take(),
      getFollowUpMessages: () => this.#followUps.take(),
    };
  }
}

function userMessage(text: string, images: readonly ImageContent[]): AgentMessage {
  return { role: 'user', content: [{ type: 'text', text }, ...images], timestamp: Date.now() };
}
