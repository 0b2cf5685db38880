/**
 * The part of pi's model interface this extension uses, written down here so that it depends on nothing: pi's own `ModelStream` accepts
 * {@link OfflineStream} as it stands (a type test holds the two together).
 */
export interface TextBlock {
  type: 'text';
  text: string;
}
export interface ImageBlock {
  type: 'image';
  data: string;
  mimeType: string;
}
export interface ThinkingBlock {
  type: 'thinking';
  thinking: string;
}
export interface ToolCallBlock {
  type: 'toolCall';
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens?: number | undefined;
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

export interface UserMessage {
  role: 'user';
  content: string | (TextBlock | ImageBlock)[];
  /** Milliseconds since the epoch. */
  timestamp: number;
}
export interface AssistantMessage {
  role: 'assistant';
  content: (TextBlock | ThinkingBlock | ToolCallBlock)[];
  api: string;
  provider: string;
  model: string;
  usage: Usage;
  stopReason: 'stop' | 'length' | 'toolUse' | 'error' | 'aborted' | 'pending';
  errorMessage?: string | undefined;
  timestamp: number;
}
export interface ToolResultMessage {
  role: 'toolResult';
  toolCallId: string;
  toolName: string;
  content: (TextBlock | ImageBlock)[];
  isError: boolean;
  timestamp: number;
}
export type Message = UserMessage | AssistantMessage | ToolResultMessage;

export interface ToolInfo {
  name: string;
  /** JSON Schema of its arguments. */
  parameters: Readonly<Record<string, unknown>>;
}

export interface OfflineRequest {
  model: { id: string; api: string; provider: string };
  context: { systemPrompt: string; messages: readonly Message[]; tools: readonly ToolInfo[] };
  options: { signal: AbortSignal };
}

export type OfflineEvent =
  | { type: 'start'; message: AssistantMessage }
  | { type: 'text_start'; contentIndex: number }
  | { type: 'text_delta'; contentIndex: number; delta: string }
  | { type: 'text_end'; contentIndex: number; content: string }
  | { type: 'toolcall_start'; contentIndex: number; id: string; toolName: string }
  | { type: 'toolcall_delta'; contentIndex: number; delta: string }
  | { type: 'toolcall_end'; contentIndex: number; toolCall: ToolCallBlock };

export type OfflineStream = (
  request: OfflineRequest,
  emit: (event: OfflineEvent) => void,
) => Promise<{ message: AssistantMessage }>;
