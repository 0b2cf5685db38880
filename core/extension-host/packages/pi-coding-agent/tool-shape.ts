import { CodedError } from '../../../base/coded-error.js';
import type { ImageContent, TextContent } from '../../../protocol/content.js';
import type { ThinkingLevel } from '../../../protocol/model.js';
import type { JsonSchema, Tool, ToolResult } from '../../../protocol/tool.js';
import type { Usage } from '../../../protocol/usage.js';
import { CODING_AGENT_ERRORS } from './errors.js';
import type { Component } from './tui.js';

export interface AgentToolResult {
  content: (TextContent | ImageContent)[];
  details?: unknown;
  usage?: Usage;
  terminate?: boolean;
}

export type ToolUpdate = (partial: AgentToolResult) => void;

/** What a tool looks at in the context it may be called with; everything may be missing. */
export interface ToolSessionContext {
  cwd?: string;
  sessionManager?: { getSessionId(): string; getSessionFile(): string | undefined };
  model?: { provider: string; id: string } | undefined;
  thinkingLevel?: ThinkingLevel;
}

export type ExecuteTool = (
  toolCallId: string,
  params: Record<string, unknown>,
  signal?: AbortSignal,
  onUpdate?: ToolUpdate,
  ctx?: ToolSessionContext,
) => Promise<AgentToolResult>;

/** A tool by itself, as the agent runs it. It fails by throwing. */
export interface AgentTool {
  name: string;
  label: string;
  description: string;
  parameters: JsonSchema;
  prepareArguments?: (args: unknown) => unknown;
  executionMode?: 'parallel' | 'sequential';
  execute: ExecuteTool;
}

interface ToolTheme {
  fg(color: string, text: string): string;
  bold(text: string): string;
}

/** A tool as extensions register it. Source: extensions document, "Tool Definition". */
export interface ToolDefinition extends AgentTool {
  promptSnippet?: string;
  promptGuidelines?: readonly string[];
  renderShell?: 'default' | 'self';
  renderCall?: (args: Record<string, unknown>, theme: ToolTheme, context?: unknown) => Component;
  renderResult?: (
    result: AgentToolResult,
    options: { expanded?: boolean; isPartial?: boolean },
    theme: ToolTheme,
    context?: unknown,
  ) => Component;
}

/** Makes the tool for one call; what is around the call is known then. */
export type MakeTool = (ctx: ToolSessionContext | undefined) => Tool;

const NEVER_ABORTED = new AbortController().signal;

export function toAgentTool(make: MakeTool): AgentTool {
  const { name, label = name, description, parameters, prepareArguments, executionMode } = make(undefined);
  return {
    name,
    label,
    description,
    parameters,
    ...(prepareArguments && { prepareArguments }),
    ...(executionMode && { executionMode }),
    async execute(toolCallId, params, signal = NEVER_ABORTED, onUpdate, ctx) {
      const tool = make(ctx);
      // Called by hand there is nobody else who would put old forms of arguments right.
      const args = tool.prepareArguments?.(params) ?? params;
      const context = { toolCallId, signal, onUpdate: (partial: ToolResult) => onUpdate?.(withoutFlag(partial)) };
      const result = await tool.execute(args as Record<string, unknown>, context); // the caller's arguments, whatever they are
      if (result.isError) throw failure(result);
      return withoutFlag(result);
    },
  };
}

function withoutFlag({ isError: _, ...result }: ToolResult): AgentToolResult {
  return result;
}

function failure({ content, details }: ToolResult): CodedError {
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return new CodedError(CODING_AGENT_ERRORS.TOOL_FAILED, text, details === undefined ? {} : { data: { details } });
}

/** The session variables of a command. Source: environment-variables document. */
export function sessionVariables(ctx: ToolSessionContext | undefined): Record<string, string> {
  const manager = ctx?.sessionManager;
  const file = manager?.getSessionFile();
  return {
    ...(manager && { PI_SESSION_ID: manager.getSessionId() }),
    ...(file === undefined ? {} : { PI_SESSION_FILE: file }),
    ...(ctx?.model && { PI_PROVIDER: ctx.model.provider, PI_MODEL: ctx.model.id }),
    ...(ctx?.thinkingLevel && { PI_REASONING_LEVEL: ctx.thinkingLevel }),
  };
}
