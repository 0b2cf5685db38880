import type { ImageContent, TextContent } from './content.js';
import type { Usage } from './usage.js';

/** A JSON Schema document (draft 7 or 2020-12 vocabulary as providers accept it). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What the model is told about a tool. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: JsonSchema;
}

export interface ToolResult {
  content: (TextContent | ImageContent)[];
  /** For programs and people; never sent to the model. */
  details?: unknown;
  /** Tokens the tool itself spent. */
  usage?: Usage;
  isError?: boolean;
  /** Ends the run after this batch, when every call of the batch asks for it. */
  terminate?: boolean;
}

export interface ToolCallContext {
  toolCallId: string;
  signal: AbortSignal;
  /** Everything so far, not the delta. May be called at any rate; the caller of the tool coalesces. */
  onUpdate: (partial: ToolResult) => void;
}

/** A tool the agent can run. `execute` gets arguments that passed `parameters`; it throws or returns `isError` on failure. */
export interface Tool extends ToolDefinition {
  label?: string;
  /** One line for the system prompt's list of tools. */
  promptSnippet?: string;
  /** Bullet points for the system prompt while the tool is active. */
  promptGuidelines?: readonly string[];
  /** `sequential`: no other call of the batch runs beside it. Default `parallel`. */
  executionMode?: 'parallel' | 'sequential';
  /** Called with the model's raw arguments before they are validated; a promise is awaited. */
  prepareArguments?: (args: unknown) => unknown;
  execute(args: Record<string, unknown>, context: ToolCallContext): Promise<ToolResult>;
}
