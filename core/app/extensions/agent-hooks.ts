import type { AgentHooks, NewCustomMessage } from '../../agent/hooks.js';
import type { ExtensionEvent } from '../../extension-host/host/dispatch.js';
import type { ExtensionRecord } from '../../extension-host/host/extension-record.js';
import type { Extensions } from '../../extension-host/host/extensions.js';
import type { BashResult } from '../../protocol/commands/bash.js';
import type { AgentMessage } from '../../protocol/messages.js';
import type { ToolResult } from '../../protocol/tool.js';
import type { Usage } from '../../protocol/usage.js';

export interface AgentHooksOptions {
  extensions: Extensions;
  /** Source: extensions document, `systemPromptOptions`. */
  promptOptions: () => Promise<Record<string, unknown>>;
  /** An extension answered a hook with something that can't be used. */
  onBadAnswer: (event: string, message: string) => void;
}

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What extensions say to a run, in the agent's words. An answer of the wrong form is reported and changes nothing. */
export function createAgentHooks({ extensions, promptOptions, onBadAnswer }: AgentHooksOptions): AgentHooks {
  const hook = (event: ExtensionEvent, signal?: AbortSignal) =>
    extensions.listens(event.type) ? extensions.hook(event, signal) : undefined;
  const bad = (event: string, wanted: string): undefined => {
    onBadAnswer(event, `the answer must have ${wanted}`);
    return undefined;
  };
  const then = async <T, R>(asked: Promise<T>, use: (answer: T) => R): Promise<R> => use(await asked);

  return {
    beforeAgentStart(start) {
      if (!extensions.listens('before_agent_start')) return undefined;
      return promptOptions().then(async (systemPromptOptions) => {
        const answer = await extensions.hook({ type: 'before_agent_start', ...start, systemPromptOptions });
        if (!answer) return { messages: [] };
        const { event, outcome } = answer;
        const messages = (Array.isArray(outcome.messages) ? outcome.messages : []).flatMap(
          (message: unknown) =>
            toCustomMessage(message) ?? bad('before_agent_start', 'a message with customType and content') ?? [],
        );
        const changed = typeof event.systemPrompt === 'string' && event.systemPrompt !== start.systemPrompt;
        return { messages, ...(changed && { systemPrompt: event.systemPrompt as string }) };
      });
    },
    context(messages) {
      const asked = hook({ type: 'context', messages });
      return (
        asked &&
        then(asked, ({ event }) =>
          Array.isArray(event.messages) ? (event.messages as AgentMessage[]) : (bad('context', 'a list of messages') ?? messages),
        )
      );
    },
    beforeProviderHeaders(headers) {
      const asked = hook({ type: 'before_provider_headers', headers });
      return (
        asked &&
        then(asked, ({ event }) =>
          isObject(event.headers) ? toHeaders(event.headers) : (bad('before_provider_headers', 'headers') ?? { ...headers }),
        )
      );
    },
    beforeProviderRequest(payload) {
      if (!extensions.listens('before_provider_request')) return undefined;
      const asked = hook({ type: 'before_provider_request', payload: payload() });
      return asked && then(asked, ({ event }) => event.payload);
    },
    afterProviderResponse(response) {
      const asked = hook({ type: 'after_provider_response', ...response });
      return asked && then(asked, () => undefined);
    },
    mayChangeMessages: () => extensions.listens('message_end'),
    messageEnd(message) {
      const asked = hook({ type: 'message_end', message });
      return (
        asked && then(asked, ({ event }) => (isObject(event.message) ? (event.message as unknown as AgentMessage) : message))
      );
    },
    toolCall(call, signal) {
      const asked = hook({ type: 'tool_call', ...call }, signal);
      return (
        asked &&
        then(asked, ({ event, outcome }) => {
          const input = isObject(event.input) ? event.input : call.input;
          if (outcome.block !== true) return { input };
          return { input, blocked: typeof outcome.reason === 'string' ? outcome.reason : 'Blocked by an extension' };
        })
      );
    },
    toolResult(result, signal) {
      const asked = hook({ type: 'tool_result', ...result }, signal);
      return (
        asked &&
        then(asked, ({ event }) => ({
          content: Array.isArray(event.content) ? (event.content as ToolResult['content']) : result.content,
          ...(event.details !== undefined && { details: event.details }),
          ...(event.usage !== undefined && { usage: event.usage as Usage }),
          isError: event.isError === true,
        }))
      );
    },
    userBash(command) {
      const asked = hook({ type: 'user_bash', ...command });
      return asked && then(asked, ({ outcome }) => userBash(extensions, outcome, command.cwd));
    },
    beforeCompact({ branchEntries, ...question }, signal) {
      if (!extensions.listens('session_before_compact')) return undefined;
      const asked = hook({ type: 'session_before_compact', ...question, branchEntries: branchEntries() }, signal);
      return (
        asked &&
        then(asked, ({ outcome }) => {
          if (outcome.cancel === true) return { cancel: true };
          const { compaction } = outcome;
          if (compaction === undefined) return {};
          if (!isObject(compaction) || typeof compaction.summary !== 'string' || typeof compaction.firstKeptEntryId !== 'string')
            return bad('session_before_compact', 'a compaction with summary and firstKeptEntryId') ?? {};
          const { summary, firstKeptEntryId, tokensBefore, details, usage } = compaction;
          return {
            compaction: {
              summary,
              firstKeptEntryId,
              tokensBefore: typeof tokensBefore === 'number' ? tokensBefore : question.preparation.tokensBefore,
              ...(details !== undefined && { details }),
              ...(usage !== undefined && { usage: usage as Usage }),
            },
          };
        })
      );
    },
    compacted(notice) {
      const asked = hook({ type: 'session_compact', ...notice });
      return asked && then(asked, () => undefined);
    },
    beforeTree(question, signal) {
      const asked = hook({ type: 'session_before_tree', ...question }, signal);
      return (
        asked &&
        then(asked, ({ outcome }) => {
          if (outcome.cancel === true) return { cancel: true };
          const { summary } = outcome;
          if (!isObject(summary) || typeof summary.summary !== 'string') return {};
          return {
            summary: {
              summary: summary.summary,
              ...(summary.details !== undefined && { details: summary.details }),
              ...(summary.usage !== undefined && { usage: summary.usage as Usage }),
            },
          };
        })
      );
    },
    treeMoved(move) {
      extensions.touch('session', 'agent');
      const asked = hook({ type: 'session_tree', ...move });
      return asked && then(asked, () => undefined);
    },
  };
}

/** A message as extensions write it; undefined when it is none. */
export function toCustomMessage(value: unknown): NewCustomMessage | undefined {
  if (!isObject(value) || typeof value.customType !== 'string') return undefined;
  const { customType, content, display, details } = value;
  if (typeof content !== 'string' && !Array.isArray(content)) return undefined;
  return {
    customType,
    content: content as NewCustomMessage['content'],
    display: display !== false,
    ...(details !== undefined && { details }),
  };
}

function toHeaders(headers: Fields): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value === null ? null : String(value)]],
    ),
  );
}

/** A result in place of the command, or a shell of the extension's own, which is reached by its handle. */
function userBash(extensions: Extensions, outcome: Fields, cwd: string): Awaited<ReturnType<AgentHooks['userBash']>> {
  if (isObject(outcome.result)) return { result: toBashResult(outcome.result) };
  const handle = isObject(outcome.operations) ? outcome.operations.handle : undefined;
  const owner = extensions.records.find(({ name }) => name === (outcome.operations as Fields | undefined)?.extension);
  if (typeof handle !== 'number' || !owner) return undefined;
  return { run: (command, options) => runElsewhere(extensions, owner, handle, command, cwd, options) };
}

async function runElsewhere(
  extensions: Extensions,
  owner: ExtensionRecord,
  handle: number,
  command: string,
  cwd: string,
  { signal, onOutput }: { signal: AbortSignal; onOutput: (delta: string) => void },
): Promise<BashResult> {
  let output = '';
  try {
    const done = await extensions.callHandle(owner, handle, [command, cwd, {}], {
      signal,
      onProgress: (data) => {
        output += String(data);
        onOutput(String(data));
      },
    });
    const exitCode = isObject(done) && typeof done.exitCode === 'number' ? { exitCode: done.exitCode } : {};
    return { output, ...exitCode, cancelled: false, truncated: false };
  } catch (error) {
    if (signal.aborted) return { output, cancelled: true, truncated: false };
    throw error;
  } finally {
    extensions.releaseHandle(owner, handle);
  }
}

function toBashResult({ output, exitCode, cancelled, truncated, fullOutputPath }: Fields): BashResult {
  return {
    output: typeof output === 'string' ? output : '',
    ...(typeof exitCode === 'number' && { exitCode }),
    cancelled: cancelled === true,
    truncated: truncated === true,
    ...(typeof fullOutputPath === 'string' && { fullOutputPath }),
  };
}
