import type { ToolCall } from '../protocol/content.js';
import type { ToolResultMessage } from '../protocol/messages.js';
import type { Tool, ToolResult } from '../protocol/tool.js';
import { prepareCall, type ReadyCall, shownResult, type ToolCallOptions } from './tool-call.js';

export interface ToolBatchOptions extends ToolCallOptions {
  calls: readonly ToolCall[];
  tools: readonly Tool[];
  /** Called as soon as a call has its result, in order of completion, before its siblings are waited for. */
  onResult: (message: ToolResultMessage) => void;
}

export interface ToolBatchOutcome {
  /** One per call, in the order of the calls. */
  results: ToolResultMessage[];
  /** Every call asked to end the run. */
  terminate: boolean;
}

/**
 * Runs the tool calls of one answer: side by side unless a tool wants to be alone, results in the order of the calls.
 * Every call gets exactly one result, whatever its tool does. Calls that can't run fail before the others start.
 * Source: FACTS "Bash and tools"; extensions document, "tool_call".
 */
export async function runToolBatch(options: ToolBatchOptions): Promise<ToolBatchOutcome> {
  const byName = new Map(options.tools.map((tool) => [tool.name, tool]));
  const ready: ReadyCall[] = [];
  for (const call of options.calls) ready.push(await prepareCall(call, byName.get(call.name), options));

  const results = new Array<ToolResultMessage>(ready.length);
  let terminating = 0;
  const finish = async (item: ReadyCall, result: ToolResult): Promise<void> => {
    const { call } = item;
    const isError = result.isError === true;
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
    const heard = options.conversation.tell({
      type: 'tool_execution_end',
      toolCallId: call.id,
      toolName: call.name,
      result: shownResult(result),
      isError,
      durationMs: Math.max(0, Math.round(options.now() - item.startedAt)),
    });
    if (result.terminate) terminating += 1;
    results[ready.indexOf(item)] = message;
    options.onResult(message);
    if (heard) await heard;
  };

  for (const item of ready) if (item.refused) await finish(item, item.refused);
  const runnable = ready.flatMap((item) => (item.run ? [{ item, run: item.run }] : []));
  const runOne = async ({ item, run }: (typeof runnable)[number]): Promise<void> => finish(item, await run());
  if (runnable.some(({ item }) => byName.get(item.call.name)?.executionMode === 'sequential')) {
    for (const one of runnable) await runOne(one);
  } else {
    // Wait for all, even when storing one result failed: no tool may outlive the run it belongs to.
    for (const done of await Promise.allSettled(runnable.map(runOne))) if (done.status === 'rejected') throw done.reason;
  }
  return { results, terminate: terminating > 0 && terminating === ready.length };
}
