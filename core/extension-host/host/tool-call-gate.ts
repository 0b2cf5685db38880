import { messageOf } from '../../base/coded-error.js';
import { HOOKS, type HookFailure } from '../contract/hooks.js';
import type { WorkerBridge } from './worker-bridge.js';

export interface ToolCallQuestion {
  toolCallId: string;
  toolName: string;
  input: Record<string, unknown>;
}

export interface ToolCallVerdict {
  /** What the tool shall get: the handlers may have changed it. */
  input: Record<string, unknown>;
  /** The call is refused, for this reason. */
  blocked?: string;
  failures: readonly HookFailure[];
}

/** Above the sum of the handlers' own deadlines, which the worker keeps: this one is for a worker that can't. */
const MARGIN_MS = 2_000;

/**
 * Asks the extensions whether and how a tool may be called. Fails closed: when the worker ends or does not answer, the call is refused.
 * An abort is the caller's: it rejects with `ABORTED`.
 */
export async function askToolCallGate(
  bridge: WorkerBridge | undefined,
  question: ToolCallQuestion,
  signal?: AbortSignal,
): Promise<ToolCallVerdict> {
  const extensions = bridge?.subscribers('tool_call') ?? [];
  if (!bridge || extensions.length === 0) return { input: question.input, failures: [] };
  const deadlineMs = HOOKS.tool_call.deadlineMs * extensions.length + MARGIN_MS;
  try {
    const outcome = await bridge.runHook('tool_call', extensions, { type: 'tool_call', ...question }, { signal, deadlineMs });
    const input = outcome.event && isObject(outcome.event.input) ? outcome.event.input : question.input;
    const { blocked, failures } = outcome;
    if (!blocked) return { input, failures };
    return { input, failures, blocked: blocked.reason ?? `Blocked by the extension ${blocked.extension}` };
  } catch (error) {
    if (signal?.aborted) throw error;
    return { input: question.input, failures: [], blocked: `Extensions could not be asked: ${messageOf(error)}` };
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
