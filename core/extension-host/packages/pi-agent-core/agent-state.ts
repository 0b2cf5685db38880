import type { Model, ThinkingLevel } from '../../../protocol/model.js';
import type { AgentEvent, AgentMessage, AgentTool } from './types.js';

/** Source: README of pi-agent-core, "Agent State". Assigned arrays are copied; the arrays read are the agent's own. */
export class AgentState {
  systemPrompt: string;
  model: Model;
  thinkingLevel: ThinkingLevel;
  isStreaming = false;
  streamingMessage: AgentMessage | undefined;
  errorMessage: string | undefined;
  pendingToolCalls: ReadonlySet<string> = new Set();
  #tools: AgentTool[];
  #messages: AgentMessage[];

  constructor(initial: Partial<Pick<AgentState, 'systemPrompt' | 'model' | 'thinkingLevel' | 'tools' | 'messages'>>) {
    this.systemPrompt = initial.systemPrompt ?? '';
    // An agent may get its model later; asking without one is an error then.
    this.model = initial.model ?? NO_MODEL;
    this.thinkingLevel = initial.thinkingLevel ?? 'off';
    this.#tools = [...(initial.tools ?? [])];
    this.#messages = [...(initial.messages ?? [])];
  }

  get tools(): AgentTool[] {
    return this.#tools;
  }
  set tools(tools: AgentTool[]) {
    this.#tools = [...tools];
  }

  get messages(): AgentMessage[] {
    return this.#messages;
  }
  set messages(messages: AgentMessage[]) {
    this.#messages = [...messages];
  }

  /** Follows a run. */
  follow(event: AgentEvent): void {
    switch (event.type) {
      case 'message_start':
      case 'message_update':
        if (event.message.role === 'assistant') this.streamingMessage = event.message;
        break;
      case 'message_end':
        this.streamingMessage = undefined;
        this.#messages.push(event.message);
        break;
      case 'tool_execution_start':
        this.pendingToolCalls = new Set([...this.pendingToolCalls, event.toolCallId]);
        break;
      case 'tool_execution_end':
        this.pendingToolCalls = new Set([...this.pendingToolCalls].filter((id) => id !== event.toolCallId));
        break;
      case 'turn_end':
        if ('errorMessage' in event.message && event.message.errorMessage) this.errorMessage = event.message.errorMessage;
        break;
    }
  }
}

const NO_MODEL: Model = {
  id: 'unknown',
  name: 'unknown',
  api: 'unknown',
  provider: 'unknown',
  baseUrl: '',
  reasoning: false,
  input: [],
  contextWindow: 0,
  maxTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};
