import { messageOf } from '../base/coded-error.js';
import type { ToolCall } from '../protocol/content.js';
import type { AgentEvent } from '../protocol/events.js';
import type { ToolResultMessage } from '../protocol/messages.js';
import type { Tool, ToolResult } from '../protocol/tool.js';
import type { PrepareArguments } from './ports.js';
import { UpdateCoalescer } from './tool-updates.js';

export interface ToolBatchOptions {
  calls: readonly ToolCall[];
  tools: readonly Tool[];
  signal: AbortSignal;
  /** Set when no call may run; the text becomes every call's error result. */
  refusal?: string;
  prepareArguments: PrepareArguments;
  emit: (event: AgentEvent) => void;
  /** Called as soon as a call has its result, in order of completion: it is stored before its siblings are waited for. */
  onResult: (message: ToolResultMessage) => void;
  now: () => number;
}

export interface ToolBatchOutcome {
  /** One per call, in the order of the calls. */
  results: ToolResultMessage[];
  /** Every call asked to end the run. */
  terminate: boolean;
}

interface ReadyCall {
  call: ToolCall;
  run: (() => Promise<ToolResult>) | undefined;
  refused: ToolResult | undefined;
  updates: UpdateCoalescer<ToolResult>;
  startedAt: number;
}

const errorResult = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: true });

/**
 * Runs the tool calls of one answer: side by side unless a tool wants to be alone, results in the order of the calls.
 * Every call gets exactly one result, whatever its tool does. Calls that can't run fail before the others start.
 * Source: FACTS "Bash and tools".
 */
export async function runToolBatch(options: ToolBatchOptions): Promise<ToolBatchOutcome> {
  const byName = new Map(options.tools.map((tool) => [tool.name, tool]));
  const ready: ReadyCall[] = [];
  for (const call of options.calls) ready.push(await prepareCall(call, byName.get(call.name), options));

  const results = new Array<ToolResultMessage>(ready.length);
  let terminating = 0;
  const finish = (item: ReadyCall, result: ToolResult): void => {
    const { call } = item;
    item.updates.finish();
    const isError = result.isError === true;
    options.emit({
      type: 'tool_execution_end',
      toolCallId: call.id,
      toolName: call.name,
      result: shown(result),
      isError,
      durationMs: Math.max(0, Math.round(options.now() - item.startedAt)),
    });
    if (result.terminate) terminating += 1;
    const message: ToolResultMessage = {
      role: 'toolResult',
      toolCallId: call.id,
      toolName: call.name,
      content: result.content,
      ...(result.details === undefined ? {} : { details: result.details }),
      ...(result.usage === undefined ? {} : { usage: result.usage }),
      isError,
      timestamp: options.now(),
    };
    results[ready.indexOf(item)] = message;
    options.onResult(message);
  };

  for (const item of ready) if (item.refused) finish(item, item.refused);
  const runnable = ready.filter((item) => item.run);
  const runOne = async (item: ReadyCall): Promise<void> => finish(item, item.run ? await item.run() : errorResult('not run'));
  if (runnable.some((item) => byName.get(item.call.name)?.executionMode === 'sequential')) {
    for (const item of runnable) await runOne(item);
  } else {
    // Wait for all, even when storing one result failed: no tool may outlive the run it belongs to.
    for (const done of await Promise.allSettled(runnable.map(runOne))) if (done.status === 'rejected') throw done.reason;
  }
  return { results, terminate: terminating > 0 && terminating === ready.length };
}

async function prepareCall(call: ToolCall, tool: Tool | undefined, options: ToolBatchOptions): Promise<ReadyCall> {
  const { emit, signal } = options;
  const about = { toolCallId: call.id, toolName: call.name, args: call.arguments };
  emit({ type: 'tool_execution_start', ...about });
  const updates = new UpdateCoalescer<ToolResult>((partial) =>
    emit({ type: 'tool_execution_update', ...about, partialResult: shown(partial) }),
  );
  const item: ReadyCall = { call, run: undefined, refused: undefined, updates, startedAt: options.now() };
  const refuse = (text: string): ReadyCall => ({ ...item, refused: errorResult(text) });

  if (options.refusal !== undefined) return refuse(options.refusal);
  if (!tool) return refuse(`Tool ${call.name} not found`);
  const prepared = await prepareSafely(tool, call, options.prepareArguments);
  if (!prepared.ok) return refuse(prepared.error);
  const { args } = prepared;
  item.run = async () => {
    if (signal.aborted) return errorResult('The run was aborted before this tool started');
    try {
      const work = tool.execute(args, { toolCallId: call.id, signal, onUpdate: (partial) => updates.push(partial) });
      return await orGivenUp(work, signal, call.name);
    } catch (error) {
      return errorResult(messageOf(error));
    }
  };
  return item;
}

/** After an abort a tool has this long to end by itself; then the run goes on without it. Source: SANDBOX "Limits". */
export const ABORT_GRACE_MS = 2000;

async function orGivenUp(work: Promise<ToolResult>, signal: AbortSignal, name: string): Promise<ToolResult> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const givenUp = new Promise<ToolResult>((resolve) => {
    onAbort = () => {
      timer = setTimeout(() => resolve(errorResult(`Tool ${name} did not stop when the run was aborted`)), ABORT_GRACE_MS);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    clearTimeout(timer);
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}

async function prepareSafely(tool: Tool, call: ToolCall, prepareArguments: PrepareArguments): ReturnType<PrepareArguments> {
  try {
    const raw = tool.prepareArguments ? tool.prepareArguments(call.arguments) : call.arguments;
    return await prepareArguments(tool, raw);
  } catch (error) {
    return { ok: false, error: `Validation failed for tool "${tool.name}": ${messageOf(error)}` };
  }
}

/** What clients see of a result: `isError` and `terminate` are said elsewhere. */
function shown(result: ToolResult): { content: ToolResult['content']; details?: unknown } {
  return result.details === undefined ? { content: result.content } : { content: result.content, details: result.details };
}
