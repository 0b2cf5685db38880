import { messageOf } from '../base/coded-error.js';
import type { ToolCall } from '../protocol/content.js';
import type { Tool, ToolResult } from '../protocol/tool.js';
import type { Conversation } from './conversation.js';
import type { AgentHooks } from './hooks.js';
import { orAborted, orGivenUp } from './patience.js';
import type { PrepareArguments } from './ports.js';
import { UpdateCoalescer } from './tool-updates.js';

export interface ToolCallOptions {
  /** Set when no call may run; the text becomes every call's error result. */
  refusal?: string;
  prepareArguments: PrepareArguments;
  hooks: AgentHooks;
  conversation: Conversation;
  now: () => number;
}

export interface ReadyCall {
  call: ToolCall;
  /** Gives the result, after whoever has a say in it; never rejects. Undefined when the call is refused. */
  run: (() => Promise<ToolResult>) | undefined;
  refused: ToolResult | undefined;
  startedAt: number;
}

const errorResult = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: true });
const NOT_STARTED = 'The run was aborted before this tool started';

/** Announces a call, checks its arguments and asks the hooks whether and with what it may run. */
export async function prepareCall(call: ToolCall, tool: Tool | undefined, options: ToolCallOptions): Promise<ReadyCall> {
  const item: ReadyCall = { call, run: undefined, refused: undefined, startedAt: options.now() };
  const refuse = (text: string): ReadyCall => ({ ...item, refused: errorResult(text) });
  const about = { toolCallId: call.id, toolName: call.name, args: call.arguments };
  const heard = options.conversation.tell({ type: 'tool_execution_start', ...about });
  if (heard) await heard;

  if (options.refusal !== undefined) return refuse(options.refusal);
  if (!tool) return refuse(`Tool ${call.name} not found`);
  const prepared = await prepareSafely(tool, call, options.prepareArguments);
  if (!prepared.ok) return refuse(prepared.error);
  const allowed = await askLeave(call, prepared.args, options);
  if ('refusal' in allowed) return refuse(allowed.refusal);
  const { input } = allowed;
  const run = async (): Promise<ToolResult> => {
    if (options.conversation.patience.signal.aborted) return errorResult(NOT_STARTED);
    return withLastWord(call, input, await execute(call, tool, input, options), options);
  };
  return { ...item, run };
}

/** What a hook changed is not validated again. Fails closed: when it can't be asked, the call does not run. */
async function askLeave(
  call: ToolCall,
  input: Record<string, unknown>,
  { hooks, conversation }: ToolCallOptions,
): Promise<{ input: Record<string, unknown> } | { refusal: string }> {
  const { signal } = conversation.patience;
  if (signal.aborted) return { refusal: NOT_STARTED };
  try {
    const asked = hooks.toolCall({ toolCallId: call.id, toolName: call.name, input }, signal);
    if (!asked) return { input };
    const answer = await orAborted(asked, signal);
    return answer.blocked === undefined ? { input: answer.input } : { refusal: answer.blocked };
  } catch (error) {
    return { refusal: signal.aborted ? NOT_STARTED : messageOf(error) };
  }
}

async function execute(
  call: ToolCall,
  tool: Tool,
  input: Record<string, unknown>,
  { conversation }: ToolCallOptions,
): Promise<ToolResult> {
  const { signal } = conversation.patience;
  const about = { toolCallId: call.id, toolName: call.name, args: call.arguments };
  const updates = new UpdateCoalescer<ToolResult>((partial) =>
    conversation.mention({ type: 'tool_execution_update', ...about, partialResult: shownResult(partial) }),
  );
  try {
    const work = tool.execute(input, { toolCallId: call.id, signal, onUpdate: (partial) => updates.push(partial) });
    return await orGivenUp(work, signal, () => errorResult(`Tool ${call.name} did not stop when the run was aborted`));
  } catch (error) {
    return errorResult(messageOf(error));
  } finally {
    updates.finish();
  }
}

async function withLastWord(
  call: ToolCall,
  input: Record<string, unknown>,
  result: ToolResult,
  { hooks, conversation: { patience } }: ToolCallOptions,
): Promise<ToolResult> {
  const { content, details, usage, isError = false, terminate } = result;
  const asked = hooks.toolResult(
    {
      toolCallId: call.id,
      toolName: call.name,
      input,
      content,
      ...(details === undefined ? {} : { details }),
      ...(usage === undefined ? {} : { usage }),
      isError,
    },
    patience.signal,
  );
  const changed = asked && (await patience.lastWord(asked));
  if (!changed) return result;
  return { ...changed, ...(terminate === undefined ? {} : { terminate }) };
}

async function prepareSafely(tool: Tool, call: ToolCall, prepareArguments: PrepareArguments): ReturnType<PrepareArguments> {
  try {
    const raw = tool.prepareArguments ? await tool.prepareArguments(call.arguments) : call.arguments;
    return await prepareArguments(tool, raw);
  } catch (error) {
    return { ok: false, error: `Validation failed for tool "${tool.name}": ${messageOf(error)}` };
  }
}

/** What clients see of a result: `isError` and `terminate` are said elsewhere. */
export function shownResult(result: ToolResult): { content: ToolResult['content']; details?: unknown } {
  return result.details === undefined ? { content: result.content } : { content: result.content, details: result.details };
}
