/** The client alone: for hosts that drive `pi --mode rpc` and need nothing of the agent itself. */
export { CodedError, isCoded } from '../base/coded-error.js';
export type { SessionStats, StoredEntry } from '../protocol/commands/session.js';
export type { ImageContent, TextContent, ThinkingContent, ToolCall } from '../protocol/content.js';
export type { AgentEvent, AgentEventType, AssistantMessageEvent, EventOf } from '../protocol/events.js';
export type { AgentMessage, AssistantMessage, ToolResultMessage, UserMessage } from '../protocol/messages.js';
export type { Model, ThinkingLevel } from '../protocol/model.js';
export type { CommandMethods, RequestOptions } from './commands.js';
export type { DialogHandlers, DialogRequest } from './dialogs.js';
export { CLIENT_ERRORS } from './errors.js';
export { type Notice, type Resumed, RpcClient, type RpcClientOptions } from './rpc-client.js';
