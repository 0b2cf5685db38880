import { messageOf } from '../../../base/coded-error.js';
import type { AssistantMessage, ToolResultMessage } from '../../../protocol/messages.js';
import { validateToolArguments } from '../pi-ai/tool-arguments.js';
import type { AgentContext, AgentLoopConfig, AgentTool, AgentToolResult, Emit, ToolCallAbout } from './types.js';

interface Batch {
  message: AssistantMessage;
  context: AgentContext;
  config: AgentLoopConfig;
  signal: AbortSignal | undefined;
  emit: Emit;
}

interface Outcome {
  result: AgentToolResult;
  isError: boolean;
}
type Call = ToolCallAbout['toolCall'];

const failure = (text: string, terminate = false): Outcome => ({
  result: { content: [{ type: 'text', text }], ...(terminate ? { terminate } : {}) },
  isError: true,
});

/**
 * Runs the tool calls of one answer. Calls are looked at in their order and then run side by side, unless the run or one of the tools
 * wants one at a time; results come in the order of the calls. Source: README of pi-agent-core, "With Tool Calls".
 */
export async function runToolCalls(batch: Batch): Promise<{ results: ToolResultMessage[]; terminate: boolean }> {
  const calls = batch.message.content.filter((block) => block.type === 'toolCall');
  const tools = new Map((batch.context.tools ?? []).map((tool) => [tool.name, tool]));
  const isSequential =
    batch.config.toolExecution === 'sequential' || calls.some(({ name }) => tools.get(name)?.executionMode === 'sequential');
  const outcomes: Promise<Outcome>[] = [];
  for (const call of calls) {
    const run = await preflight(batch, call, tools.get(call.name));
    const outcome = run().then(async (done) => {
      const { id: toolCallId, name: toolName } = call;
      await batch.emit({ type: 'tool_execution_end', toolCallId, toolName, ...done });
      return done;
    });
    outcomes.push(outcome);
    if (isSequential) await outcome;
  }
  const settled = await Promise.all(outcomes);
  const results = settled.map((outcome, at) => toMessage(calls[at], outcome));
  for (const message of results) {
    await batch.emit({ type: 'message_start', message });
    await batch.emit({ type: 'message_end', message });
  }
  return { results, terminate: settled.length > 0 && settled.every(({ result }) => result.terminate === true) };
}

/** Everything before the tool itself; gives what to do then. */
async function preflight(batch: Batch, call: Call, tool: AgentTool | undefined): Promise<() => Promise<Outcome>> {
  const { emit, config, context, message, signal } = batch;
  await emit({ type: 'tool_execution_start', toolCallId: call.id, toolName: call.name, args: call.arguments });
  const refuse = (outcome: Outcome) => async () => outcome;
  if (!tool) return refuse(failure(`Tool ${call.name} not found`));
  if (message.stopReason === 'length')
    return refuse(failure('This call was not run: the answer was cut at the output limit, so its arguments may be incomplete'));
  try {
    const prepared = tool.prepareArguments ? tool.prepareArguments(call.arguments) : call.arguments;
    const args = validateToolArguments(tool, { name: call.name, arguments: prepared });
    const about = { assistantMessage: message, toolCall: call, args, context };
    const verdict = await config.beforeToolCall?.(about, signal);
    if (verdict?.block) return refuse(failure(verdict.reason ?? 'Tool execution was blocked', verdict.terminate));
    return () => execute(batch, tool, about);
  } catch (error) {
    return refuse(failure(messageOf(error)));
  }
}

async function execute({ emit, signal, config }: Batch, tool: AgentTool, about: ToolCallAbout): Promise<Outcome> {
  const { id: toolCallId, name: toolName, arguments: args } = about.toolCall;
  const updates: unknown[] = [];
  let isOver = false;
  const onUpdate = (partialResult: AgentToolResult): void => {
    // What comes after the result belongs to nothing.
    if (!isOver) updates.push(emit({ type: 'tool_execution_update', toolCallId, toolName, args, partialResult }));
  };
  let outcome: Outcome;
  try {
    signal?.throwIfAborted();
    outcome = { result: await tool.execute(toolCallId, about.args, signal, onUpdate), isError: false };
  } catch (error) {
    outcome = failure(messageOf(error));
  }
  isOver = true;
  await Promise.all(updates);
  try {
    const changed = await config.afterToolCall?.({ ...about, ...outcome }, signal);
    if (!changed) return outcome;
    const { isError = outcome.isError, ...parts } = changed;
    return { result: { ...outcome.result, ...parts }, isError };
  } catch (error) {
    return failure(messageOf(error));
  }
}

function toMessage(call: Call | undefined, { result, isError }: Outcome): ToolResultMessage {
  return {
    role: 'toolResult',
    toolCallId: call?.id ?? '',
    toolName: call?.name ?? '',
    content: result.content,
    ...(result.details === undefined ? {} : { details: result.details }),
    ...(result.usage === undefined ? {} : { usage: result.usage }),
    isError,
    timestamp: Date.now(),
  };
}
