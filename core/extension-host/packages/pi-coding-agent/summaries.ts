import { NO_HOOKS } from '../../../agent/hooks.js';
import { Summarizer } from '../../../agent/summarizer.js';
import { historyPrompt, joinSummaries, prefixPrompt } from '../../../agent/summary-text.js';
import { uuidV7 } from '../../../base/id.js';
import { createLogger } from '../../../base/logger.js';
import type { CompactionPlan, FileLists } from '../../../protocol/compaction-plan.js';
import type { AgentMessage } from '../../../protocol/messages.js';
import type { Model } from '../../../protocol/model.js';
import type { Usage } from '../../../protocol/usage.js';
import { modelStreamFor } from '../../../providers/streams.js';
import { workerServices } from '../../contract/worker-services.js';
import { isAskedByAgent } from '../pi-ai/known-models.js';
import type { CompactionSettings } from './cut-point.js';
import { streamThroughCore } from './stream-through-core.js';

export interface SummaryAsk {
  model: Model;
  prompts: readonly string[];
  maxTokens: number;
  /** Left out: the agent's own credentials, when it knows the model. */
  apiKey?: string | undefined;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
}

/** Asks for summaries side by side. Throws `SUMMARY_FAILED`, `EMPTY_SUMMARY`, `ABORTED`. */
export async function summarize(ask: SummaryAsk): Promise<{ texts: string[]; usage: Usage }> {
  const { model, prompts, maxTokens, apiKey, headers = {}, signal = new AbortController().signal } = ask;
  const services = workerServices();
  const throughCore = services && apiKey === undefined && isAskedByAgent(model) ? streamThroughCore(services) : undefined;
  const summarizer = new Summarizer({
    source: {
      available: async () => [model],
      find: async () => model,
      credentials: async () => ({ apiKey, headers }),
      streamOf: () => throughCore ?? modelStreamFor(model.api),
    },
    retry: () => ({ enabled: true, maxRetries: 3, baseDelayMs: 2000, maxDelayMs: 60_000 }),
    idleTimeoutMs: 300_000,
    hooks: NO_HOOKS,
    emit: () => undefined,
    log: createLogger({ room: 'packages', level: 'warn', write: (line) => void process.stderr.write(line) }),
    now: Date.now,
  });
  return summarizer.summarize({ model, prompts, sessionId: uuidV7(), maxTokens, source: 'compaction', signal });
}

export interface FileOperations {
  read: Set<string>;
  written: Set<string>;
  edited: Set<string>;
}

/** What a compaction works on, as hooks see it. Source: compaction document, "session_before_compact". */
export interface CompactionPreparation {
  firstKeptEntryId: string;
  messagesToSummarize: readonly AgentMessage[];
  turnPrefixMessages: readonly AgentMessage[];
  isSplitTurn: boolean;
  tokensBefore: number;
  previousSummary?: string;
  fileOps?: FileOperations | Partial<FileLists>;
  settings?: CompactionSettings | { reserveTokens: number };
}

export interface CompactionOutcome {
  summary: string;
  firstKeptEntryId: string;
  tokensBefore: number;
  usage: Usage;
  details: FileLists;
}

/** Has a model summarise what a compaction leaves out. Nothing is stored. Argument order as observed, 0.84.0. */
export async function compact(
  preparation: CompactionPreparation,
  model: Model,
  apiKey?: string,
  headers?: Record<string, string>,
  customInstructions?: string,
  signal?: AbortSignal,
): Promise<CompactionOutcome> {
  const { firstKeptEntryId, tokensBefore, turnPrefixMessages, isSplitTurn, settings } = preparation;
  const plan = planOf(preparation);
  const hasHistory = plan.messages.length > 0 || plan.previousSummary !== undefined;
  const hasPrefix = isSplitTurn && turnPrefixMessages.length > 0;
  const prompts = [...(hasHistory ? [historyPrompt(plan, customInstructions)] : []), ...(hasPrefix ? [prefixPrompt(plan)] : [])];
  const maxTokens = Math.floor((settings?.reserveTokens ?? 16_384) * 0.8);
  const { texts, usage } = await summarize({ model, prompts, maxTokens, apiKey, headers, signal });
  const summary = joinSummaries(hasHistory ? texts[0] : undefined, hasPrefix ? texts.at(-1) : undefined, plan.files);
  return { summary, firstKeptEntryId, tokensBefore, usage, details: plan.files };
}

/** A summary of messages, brought together with an earlier one. Argument order as observed, 0.84.0. */
export async function generateSummaryWithUsage(
  currentMessages: readonly AgentMessage[],
  model: Model,
  reserveTokens: number,
  apiKey?: string,
  headers?: Record<string, string>,
  signal?: AbortSignal,
  customInstructions?: string,
  previousSummary?: string,
): Promise<{ text: string; usage: Usage }> {
  const plan = planOf({
    firstKeptEntryId: '',
    messagesToSummarize: currentMessages,
    turnPrefixMessages: [],
    isSplitTurn: false,
    tokensBefore: 0,
    ...(previousSummary === undefined ? {} : { previousSummary }),
  });
  const maxTokens = Math.floor(reserveTokens * 0.8);
  const prompts = [historyPrompt(plan, customInstructions)];
  const { texts, usage } = await summarize({ model, prompts, maxTokens, apiKey, headers, signal });
  return { text: texts[0] ?? '', usage };
}

export async function generateSummary(...args: Parameters<typeof generateSummaryWithUsage>): Promise<string> {
  return (await generateSummaryWithUsage(...args)).text;
}

/** A summary with the lists of files at its end. */
export const withFileLists = (summary: string, files: FileLists): string => joinSummaries(summary, undefined, files);

function planOf(preparation: CompactionPreparation): CompactionPlan {
  const { firstKeptEntryId, messagesToSummarize, turnPrefixMessages, previousSummary, tokensBefore, fileOps } = preparation;
  return {
    firstKeptEntryId,
    messages: messagesToSummarize,
    turnPrefix: turnPrefixMessages,
    previousSummary,
    files: filesOf(fileOps),
    tokensBefore,
  };
}

function filesOf(fileOps: CompactionPreparation['fileOps']): FileLists {
  if (!fileOps) return { readFiles: [], modifiedFiles: [] };
  if (!('read' in fileOps))
    return { readFiles: [...(fileOps.readFiles ?? [])], modifiedFiles: [...(fileOps.modifiedFiles ?? [])] };
  const modified = [...new Set([...fileOps.written, ...fileOps.edited])].sort();
  return { readFiles: [...fileOps.read].filter((file) => !modified.includes(file)).sort(), modifiedFiles: modified };
}
