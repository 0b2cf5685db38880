import type { BashResult } from '../protocol/commands/bash.js';
import type { StoredEntry } from '../protocol/commands/session.js';
import type { CompactionPlanResult } from '../protocol/compaction-plan.js';
import type { NewEntry, SessionEntry } from '../protocol/entries.js';
import type { AgentEvent } from '../protocol/events.js';
import type { AgentMessage, ModelMessage } from '../protocol/messages.js';
import type { Model } from '../protocol/model.js';
import type { ModelStream } from '../protocol/model-stream.js';
import type { Tool } from '../protocol/tool.js';

/**
 * Takes every event. What it returns is waited for where an event is a station of a run (starts and ends of the agent, turns,
 * messages and tool executions); it never rejects.
 */
export type Emit = (event: AgentEvent) => void | Promise<void>;

/** The agent's view of a session: it appends, and reads the branch the model should see. */
export interface SessionLog {
  readonly id: string;
  readonly leafId: string | null;
  /** Attaches the entry to the leaf and writes it before returning. Throws `SESSION_WRITE_FAILED`, leaving the file as it was. */
  append(entry: NewEntry): SessionEntry;
  /** Makes sure that the session may be written, before something is begun that will need it. Throws `SESSION_LOCKED` and its like. */
  claim(): void;
  /** The parent of an entry; null for a root. */
  parentOf(id: string): string | null;
  /** All entries from the root to the leaf, oldest first. Reads the file: for what is rarely wanted. */
  branch(): readonly StoredEntry[];
  /** Moves the leaf: the next entry attaches there. */
  setLeaf(id: string | null): void;
  /** The current branch since the last compaction, oldest first. The array is the session's own: read it, do not keep or change it. */
  contextMessages(): readonly AgentMessage[];
  /** Tokens in the context: the last valid answer's usage and an estimate of what came after; null right after a compaction. */
  contextTokens(): number | null;
  /** The whole context, estimated. */
  estimateContext(): number;
  planCompaction(keepRecentTokens: number): CompactionPlanResult;
}

/** Turns a stored branch into messages valid for `model`. Pure; returns the same objects for the same stored messages. */
export type ToModelMessages = (messages: readonly AgentMessage[], model: Model) => readonly ModelMessage[];

/** Repairs what the model sent by the tool's schema, then validates. `error` is a text for the model. */
export type PrepareArguments = (
  tool: Tool,
  args: unknown,
) => Promise<{ ok: true; args: Record<string, unknown> } | { ok: false; error: string }>;

/** Runs a shell command for the `bash` command of a client. */
export type RunShell = (
  command: string,
  options: { signal: AbortSignal; onOutput: (delta: string) => void },
) => Promise<BashResult>;

/** How the agent reaches models: which exist, whether they may be used, and the stream that asks one. */
export interface ModelSource {
  /** Models with credentials, in the order clients cycle through. */
  available(): Promise<readonly Model[]>;
  /** A model with credentials, or undefined. */
  find(provider: string, id: string): Promise<Model | undefined>;
  /** What a request needs. Throws a coded error that says which variable or file to set. */
  credentials(model: Model): Promise<{ apiKey?: string | undefined; headers: Record<string, string> }>;
  /** The dialect of the model; undefined when nobody knows its `api`. */
  streamOf(model: Model): ModelStream | undefined;
}

/** The parts of a request that do not come from the session. */
export interface RequestParts {
  systemPrompt(): Promise<string>;
  /** The active tools; asked before every request, so that a change counts from the next one. */
  tools(): readonly Tool[];
}
