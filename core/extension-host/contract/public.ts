/** The API that extensions are written against. `Source:` pi's extensions.md. */

export interface ToolCallEvent {
  type: 'tool_call';
  toolCallId: string;
  toolName: string;
  /** May be changed in place: later handlers and the tool see the change. */
  input: Record<string, unknown>;
}

export interface ToolCallDecision {
  block?: boolean;
  /** Told to the model in place of a result. */
  reason?: string;
}

export interface ReadonlySessionManager {
  /** Every entry of the session, oldest first, up to and including what the event being handled announced. */
  getEntries(): unknown[];
}

export interface ExtensionContext {
  readonly sessionManager: ReadonlySessionManager;
}

export type EventHandler<E = unknown, R = unknown> = (event: E, ctx: ExtensionContext) => R | undefined | Promise<R | undefined>;

export interface ExtensionToolResult {
  content: ({ type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string })[];
  details?: unknown;
  isError?: boolean;
  terminate?: boolean;
}

export interface ExtensionTool {
  name: string;
  label?: string;
  description: string;
  parameters: Record<string, unknown>;
  promptSnippet?: string;
  promptGuidelines?: string[];
  executionMode?: 'parallel' | 'sequential';
  execute(
    toolCallId: string,
    params: Record<string, unknown>,
    signal: AbortSignal,
    onUpdate: (partial: ExtensionToolResult) => void,
    ctx: ExtensionContext,
  ): ExtensionToolResult | Promise<ExtensionToolResult>;
}

export interface ExtensionAPI {
  /** Listens, or decides where the event is a hook. Returns a function that unsubscribes. Unknown names are accepted. */
  on(event: 'tool_call', handler: EventHandler<ToolCallEvent, ToolCallDecision>): () => void;
  on(event: string, handler: EventHandler): () => void;
  registerTool(tool: ExtensionTool): void;
}

/** What an extension file exports by default. */
export type ExtensionFactory = (pi: ExtensionAPI) => void | Promise<void>;
