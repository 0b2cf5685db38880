import type { BashResult } from '../protocol/commands/bash.js';
import type { StoredEntry } from '../protocol/commands/session.js';
import type { ImageContent } from '../protocol/content.js';
import type { EntryOf } from '../protocol/entries.js';
import type { CompactionReason } from '../protocol/events.js';
import type { AgentMessage, CustomMessage } from '../protocol/messages.js';
import type { ToolResult } from '../protocol/tool.js';
import type { Usage } from '../protocol/usage.js';
import type { RunShell } from './ports.js';

/** A custom message that has not been said yet. */
export type NewCustomMessage = Omit<CustomMessage, 'role' | 'timestamp'>;

export interface AgentStart {
  /** The prompt's text, expanded. */
  prompt: string;
  images?: readonly ImageContent[];
  systemPrompt: string;
}

export interface ToolCallQuestion {
  toolCallId: string;
  toolName: string;
  /** Repaired and validated. The agent's own object: send a copy. */
  input: Record<string, unknown>;
}

export interface ToolResultQuestion extends ToolCallQuestion {
  content: ToolResult['content'];
  details?: unknown;
  usage?: Usage;
  isError: boolean;
}

/** The result as it is from now on, whole. */
export type ToolResultAnswer = Pick<ToolResultQuestion, 'content' | 'details' | 'usage' | 'isError'>;

export interface UserBash {
  command: string;
  excludeFromContext: boolean;
  cwd: string;
}

/** Source: compaction document, "session_before_compact". */
export interface CompactionPreparation {
  firstKeptEntryId: string;
  messagesToSummarize: readonly AgentMessage[];
  turnPrefixMessages: readonly AgentMessage[];
  isSplitTurn: boolean;
  previousSummary?: string;
  tokensBefore: number;
  fileOps: { readFiles: readonly string[]; modifiedFiles: readonly string[] };
  settings: { reserveTokens: number; keepRecentTokens: number };
}

export interface CompactionQuestion {
  preparation: CompactionPreparation;
  /** All entries of the branch, oldest first. A function because a long branch is read from its file: call it only when someone listens. */
  branchEntries: () => readonly StoredEntry[];
  customInstructions?: string;
  reason: CompactionReason;
  /** The request that did not fit is made again afterwards. */
  willRetry: boolean;
}

export interface CompactionNotice {
  compactionEntry: EntryOf<'compaction'>;
  fromExtension: boolean;
  reason: CompactionReason;
  willRetry: boolean;
}

/** Source: compaction document, "session_before_tree". */
export interface TreePreparation {
  targetId: string;
  oldLeafId: string | null;
  commonAncestorId: string | null;
  /** What the old branch has beyond the common ancestor, oldest first. */
  entriesToSummarize: readonly StoredEntry[];
  userWantsSummary: boolean;
  customInstructions?: string;
  replaceInstructions?: boolean;
  label?: string;
}

export interface TreeMove {
  newLeafId: string | null;
  oldLeafId: string | null;
  summaryEntry?: StoredEntry;
  fromExtension?: boolean;
}

/**
 * Where others have a say in what the agent does. Each member answers `undefined` at once when nobody listens, and then costs
 * nothing. Promises do not reject; should one all the same, a tool call is refused, a compaction or a move fails, and a run goes on
 * unchanged. Given
 * messages and entries are the session's own: whoever changes or keeps them copies them first.
 * The agent stops waiting by itself when it is aborted. Source: extensions document, "Lifecycle Overview".
 */
export interface AgentHooks {
  /** Once per prompt, before `agent_start`. The messages follow the prompt; the system prompt counts until the agent has settled. */
  beforeAgentStart(start: AgentStart): Promise<{ messages: readonly NewCustomMessage[]; systemPrompt?: string }> | undefined;
  /** Before each request: gives the messages of this request only. */
  context(messages: readonly AgentMessage[]): Promise<readonly AgentMessage[]> | undefined;
  /** Before each request: gives all headers that are to be sent beside the SDK's own; null takes away one of the SDK's. */
  beforeProviderHeaders(headers: Readonly<Record<string, string>>): Promise<Record<string, string | null>> | undefined;
  /** Before each request: gives the body to send. `payload` builds it anew, which costs the whole context: call it only when someone listens. */
  beforeProviderRequest(payload: () => unknown): Promise<unknown> | undefined;
  /** The head of an accepted request is here, its body is not read yet. */
  afterProviderResponse(response: { status: number; headers: Record<string, string> }): Promise<void> | undefined;
  /** True while `messageEnd` may change a message. Then tool results are stored in the order they are announced, not as they come in. */
  mayChangeMessages(): boolean;
  /** After `message_start`, before the message is stored. Gives the message to store and show, of the same role. */
  messageEnd(message: AgentMessage): Promise<AgentMessage> | undefined;
  /** After `tool_execution_start` and validation, one call after the other, before any of them runs. `blocked` becomes the error result. */
  toolCall(
    call: ToolCallQuestion,
    signal: AbortSignal,
  ): Promise<{ input: Record<string, unknown>; blocked?: string }> | undefined;
  /** After a tool has ended or thrown, before `tool_execution_end`. Not asked for calls that never ran. */
  toolResult(result: ToolResultQuestion, signal: AbortSignal): Promise<ToolResultAnswer> | undefined;
  /** A client's shell command: answered here, or run by another shell, or (`undefined`) run as usual. */
  userBash(command: UserBash): Promise<{ result: BashResult } | { run: RunShell } | undefined> | undefined;
  /** After `compaction_start`. */
  beforeCompact(
    question: CompactionQuestion,
    signal: AbortSignal,
  ):
    | Promise<{
        cancel?: boolean;
        compaction?: { summary: string; firstKeptEntryId: string; tokensBefore: number; details?: unknown; usage?: Usage };
      }>
    | undefined;
  /** After `compaction_end`, when the agent takes prompts again. */
  compacted(notice: CompactionNotice): Promise<void> | undefined;
  beforeTree(
    question: { preparation: TreePreparation },
    signal: AbortSignal,
  ): Promise<{ cancel?: boolean; summary?: { summary: string; details?: unknown; usage?: Usage } }> | undefined;
  treeMoved(move: TreeMove): Promise<void> | undefined;
}

const nobody = (): undefined => undefined;

/** Nobody has a say. */
export const NO_HOOKS: AgentHooks = {
  beforeAgentStart: nobody,
  context: nobody,
  beforeProviderHeaders: nobody,
  beforeProviderRequest: nobody,
  afterProviderResponse: nobody,
  mayChangeMessages: () => false,
  messageEnd: nobody,
  toolCall: nobody,
  toolResult: nobody,
  userBash: nobody,
  beforeCompact: nobody,
  compacted: nobody,
  beforeTree: nobody,
  treeMoved: nobody,
};
