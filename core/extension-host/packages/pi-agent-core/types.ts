import type { UserContent } from '../../../protocol/content.js';
import type {
  AssistantMessage,
  AgentMessage as KnownMessage,
  ModelMessage,
  ToolResultMessage,
} from '../../../protocol/messages.js';
import type { Model, ThinkingLevel } from '../../../protocol/model.js';
import type { Usage } from '../../../protocol/usage.js';
import type { AnswerEvent } from '../pi-ai/answer-event.js';
import type { AssistantMessageEventStream } from '../pi-ai/event-stream.js';
import type { Context, StreamOptions } from '../pi-ai/stream-options.js';

/** Messages of the program and any that an extension makes up. */
export type AgentMessage = KnownMessage | { role: string; timestamp: number };

export interface AgentToolResult {
  content: UserContent[];
  details?: unknown;
  usage?: Usage;
  terminate?: boolean;
}

export interface AgentTool {
  name: string;
  label?: string;
  description: string;
  parameters: object;
  executionMode?: 'parallel' | 'sequential';
  prepareArguments?: (args: unknown) => unknown;
  execute(
    toolCallId: string,
    params: Record<string, unknown>,
    signal: AbortSignal | undefined,
    onUpdate: (partial: AgentToolResult) => void,
  ): Promise<AgentToolResult> | AgentToolResult;
}

export interface AgentContext {
  systemPrompt: string;
  messages: AgentMessage[];
  tools?: AgentTool[];
}

export type AgentEvent =
  | { type: 'agent_start' }
  | { type: 'agent_end'; messages: AgentMessage[] }
  | { type: 'turn_start' }
  | { type: 'turn_end'; message: AgentMessage; toolResults: ToolResultMessage[] }
  | { type: 'message_start' | 'message_end'; message: AgentMessage }
  | { type: 'message_update'; message: AgentMessage; assistantMessageEvent: AnswerEvent }
  | { type: 'tool_execution_start'; toolCallId: string; toolName: string; args: unknown }
  | { type: 'tool_execution_update'; toolCallId: string; toolName: string; args: unknown; partialResult: AgentToolResult }
  | { type: 'tool_execution_end'; toolCallId: string; toolName: string; result: AgentToolResult; isError: boolean };

export type StreamFn = (
  model: Model,
  context: Context,
  options: StreamOptions,
) => AssistantMessageEventStream | Promise<AssistantMessageEventStream>;

/** What a hook is told about the call it looks at. */
export interface ToolCallAbout {
  assistantMessage: AssistantMessage;
  toolCall: Extract<AssistantMessage['content'][number], { type: 'toolCall' }>;
  args: Record<string, unknown>;
  context: AgentContext;
}
export type BeforeToolCall = (
  about: ToolCallAbout,
  signal: AbortSignal | undefined,
) => Awaitable<{ block?: boolean; reason?: string; terminate?: boolean } | undefined>;
export type AfterToolCall = (
  about: ToolCallAbout & { result: AgentToolResult; isError: boolean },
  signal: AbortSignal | undefined,
) => Awaitable<(Partial<AgentToolResult> & { isError?: boolean }) | undefined>;
export type ShouldStopAfterTurn = (
  turn: { message: AssistantMessage; toolResults: ToolResultMessage[]; context: AgentContext; newMessages: AgentMessage[] },
  signal: AbortSignal | undefined,
) => Awaitable<boolean | undefined>;

export type Awaitable<T> = T | Promise<T>;

/** How one run goes. Source: README of pi-agent-core, "Agent Options" and "Low-Level API". */
export interface AgentLoopConfig extends Omit<StreamOptions, 'signal' | 'reasoning'> {
  model: Model;
  reasoning?: ThinkingLevel | undefined;
  convertToLlm?: ((messages: AgentMessage[]) => Awaitable<ModelMessage[]>) | undefined;
  transformContext?: ((messages: AgentMessage[], signal?: AbortSignal) => Awaitable<AgentMessage[]>) | undefined;
  getApiKey?: ((provider: string) => Awaitable<string | undefined>) | undefined;
  getSteeringMessages?: (() => Awaitable<AgentMessage[]>) | undefined;
  getFollowUpMessages?: (() => Awaitable<AgentMessage[]>) | undefined;
  toolExecution?: 'parallel' | 'sequential' | undefined;
  beforeToolCall?: BeforeToolCall | undefined;
  afterToolCall?: AfterToolCall | undefined;
  shouldStopAfterTurn?: ShouldStopAfterTurn | undefined;
}

export type Emit = (event: AgentEvent) => Awaitable<void>;
