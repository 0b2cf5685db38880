import type { SessionStats, StoredEntry } from '../protocol/commands/session.js';
import type { ScannedLine } from './entry-scanner.js';

/** What a model call was made for. */
export type CallCause = 'answer' | 'tool' | 'compaction' | 'branchSummary';

export interface LedgerSums {
  calls: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** US dollars. */
  cost: number;
}

type Counted = Pick<
  ScannedLine,
  'type' | 'role' | 'toolCalls' | 'hasUsage' | 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'cost'
>;

/**
 * Counts every entry of a session once, whatever branch it is on, so that totals never fall: not on a change of branch, not
 * after a compaction, not when an answer is retried. Fed from scanned lines or from entries; both give the same sums.
 */
export class Ledger {
  readonly causes: Readonly<Record<CallCause, LedgerSums>> = {
    answer: noSums(),
    tool: noSums(),
    compaction: noSums(),
    branchSummary: noSums(),
  };
  userMessages = 0;
  assistantMessages = 0;
  toolCalls = 0;
  toolResults = 0;
  totalMessages = 0;

  add(line: Counted): void {
    if (line.type === 'message' && line.role !== null) {
      this.totalMessages++;
      if (line.role === 'user') this.userMessages++;
      if (line.role === 'toolResult') this.toolResults++;
      if (line.role === 'assistant') {
        this.assistantMessages++;
        this.toolCalls += line.toolCalls;
      }
    }
    const cause = causeOf(line);
    if (cause === undefined || !line.hasUsage) return;
    const sums = this.causes[cause];
    sums.calls++;
    sums.input += positive(line.input);
    sums.output += positive(line.output);
    sums.cacheRead += positive(line.cacheRead);
    sums.cacheWrite += positive(line.cacheWrite);
    sums.cost += positive(line.cost);
  }

  addEntry(entry: StoredEntry): void {
    const message = recordOf(entry.message);
    const usage = recordOf(message?.usage) ?? recordOf(entry.usage);
    this.add({
      type: entry.type,
      role: typeof message?.role === 'string' ? message.role : null,
      toolCalls: Array.isArray(message?.content)
        ? message.content.filter((block) => recordOf(block)?.type === 'toolCall').length
        : 0,
      hasUsage: usage !== undefined,
      input: numberOf(usage?.input),
      output: numberOf(usage?.output),
      cacheRead: numberOf(usage?.cacheRead),
      cacheWrite: numberOf(usage?.cacheWrite),
      cost: numberOf(recordOf(usage?.cost)?.total),
    });
  }

  /** The counters clients see. Source: rpc-mode document, `get_session_stats`. */
  counters(): Pick<
    SessionStats,
    'userMessages' | 'assistantMessages' | 'toolCalls' | 'toolResults' | 'totalMessages' | 'tokens' | 'cost'
  > {
    const { userMessages, assistantMessages, toolCalls, toolResults, totalMessages } = this;
    const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
    let cost = 0;
    for (const sums of Object.values(this.causes)) {
      tokens.input += sums.input;
      tokens.output += sums.output;
      tokens.cacheRead += sums.cacheRead;
      tokens.cacheWrite += sums.cacheWrite;
      cost += sums.cost;
    }
    tokens.total = tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite;
    return { userMessages, assistantMessages, toolCalls, toolResults, totalMessages, tokens, cost };
  }
}

function causeOf({ type, role }: Counted): CallCause | undefined {
  if (type === 'compaction') return 'compaction';
  if (type === 'branch_summary') return 'branchSummary';
  if (type !== 'message') return undefined;
  return role === 'assistant' ? 'answer' : role === 'toolResult' ? 'tool' : undefined;
}

const noSums = (): LedgerSums => ({ calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 });
/** A negative figure (a provider's or an extension's mistake) must not make a total fall. */
const positive = (value: number): number => Math.max(value, 0);
const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);

function recordOf(value: unknown): Record<string, unknown> | undefined {
  // A JSON object; arrays are not.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}
