import { CodedError, isCoded, messageOf } from '../base/coded-error.js';
import { abortedError } from '../base/deadline.js';
import type { CompactionPlan } from '../protocol/compaction-plan.js';
import type { EntryOf } from '../protocol/entries.js';
import type { CompactionReason, CompactionResult } from '../protocol/events.js';
import type { Model } from '../protocol/model.js';
import type { Budget } from './budget.js';
import { compactionOfHook } from './compaction-hook.js';
import { AGENT_ERRORS } from './errors.js';
import type { AgentHooks } from './hooks.js';
import type { Patience } from './patience.js';
import type { Emit, SessionLog } from './ports.js';
import type { Summarizer } from './summarizer.js';
import { historyPrompt, joinSummaries, prefixPrompt } from './summary-text.js';

export interface CompactionSettings {
  /** Tokens kept free for an answer; the summary may use four fifths of them. */
  reserveTokens: number;
  /** Tokens of recent messages that stay as they are. */
  keepRecentTokens: number;
}

export interface CompactorOptions {
  session: () => SessionLog;
  summarizer: Summarizer;
  settings: CompactionSettings;
  budget: Budget;
  hooks: AgentHooks;
  emit: Emit;
}

/** A compaction that is in the session. */
export interface Compacted {
  result: CompactionResult;
  entry: EntryOf<'compaction'>;
  reason: CompactionReason;
}

const REFUSALS = {
  TOO_SMALL: 'Nothing to compact (session too small)',
  ALREADY_COMPACTED: 'Already compacted',
} as const;

/** Replaces the older part of the context by a summary, one compaction at a time. Source: rpc-mode document, "compact". */
export class Compactor {
  readonly #options: CompactorOptions;
  #running: { abort: AbortController; done: Promise<void> } | undefined;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** True when the context no longer leaves room for an answer. Unknown right after a compaction: then it is not. */
  isNeeded(model: Model): boolean {
    const tokens = this.#options.session().contextTokens();
    return tokens !== null && tokens > model.contextWindow - this.#options.settings.reserveTokens;
  }

  /** Stops the compaction that is on, if any, and waits until it has ended. */
  async abort(): Promise<void> {
    this.#running?.abort.abort(abortedError());
    await this.#running?.done;
  }

  /** Asked for by a client, who calls {@link announce}. Throws what `errorMessage` of `compaction_end` says. */
  async compact(model: Model, customInstructions: string | undefined): Promise<Compacted> {
    const planned = this.#options.session().planCompaction(this.#options.settings.keepRecentTokens);
    if (!planned.ok && planned.reason === 'TOO_SMALL') throw new CodedError(AGENT_ERRORS.NOTHING_TO_COMPACT, REFUSALS.TOO_SMALL);
    const outcome = await this.#run(model, 'manual', customInstructions, undefined);
    if (outcome.ok) return outcome.compacted;
    throw outcome.error;
  }

  /** Started by the agent itself; never throws. True when the context was replaced. */
  async compactAutomatically(model: Model, reason: 'threshold' | 'overflow', patience: Patience): Promise<boolean> {
    const outcome = await this.#run(model, reason, undefined, patience.signal);
    if (!outcome.ok) return false;
    const heard = this.announce(outcome.compacted);
    if (heard) await patience.lastWord(heard);
    return true;
  }

  /** Tells the hooks of a compaction; undefined when nobody listens. */
  announce({ entry, reason }: Compacted): Promise<void> | undefined {
    return this.#options.hooks.compacted({
      compactionEntry: entry,
      fromExtension: entry.fromHook === true,
      reason,
      willRetry: reason === 'overflow',
    });
  }

  /** A context that does not fit after it was compacted will not fit the next time either (guarantee 29). */
  reportSecondOverflow(error: string): void {
    void this.#options.emit({
      type: 'compaction_end',
      reason: 'overflow',
      result: null,
      aborted: false,
      willRetry: false,
      errorMessage: `Compaction failed: the context is too large even after it was compacted (${error})`,
    });
  }

  async #run(
    model: Model,
    reason: CompactionReason,
    customInstructions: string | undefined,
    outer: AbortSignal | undefined,
  ): Promise<{ ok: true; compacted: Compacted } | { ok: false; error: unknown }> {
    const { emit } = this.#options;
    const abort = new AbortController();
    const onAbort = (): void => abort.abort(outer?.reason);
    if (outer?.aborted) onAbort();
    outer?.addEventListener('abort', onAbort, { once: true });
    let finish = (): void => undefined;
    this.#running = {
      abort,
      done: new Promise((resolve) => {
        finish = resolve;
      }),
    };
    void emit({ type: 'compaction_start', reason });
    const end = (result: CompactionResult | null, error?: unknown): void => {
      const aborted =
        error !== undefined &&
        (abort.signal.aborted || isCoded(error, 'ABORTED') || isCoded(error, AGENT_ERRORS.COMPACTION_CANCELLED));
      this.#running = undefined;
      void emit({
        type: 'compaction_end',
        reason,
        result,
        aborted,
        willRetry: result !== null && reason === 'overflow',
        ...(error === undefined || aborted ? {} : { errorMessage: `Compaction failed: ${messageOf(error)}` }),
      });
    };
    try {
      const compacted = await this.#replace(model, reason, customInstructions, abort.signal);
      end(compacted.result);
      return { ok: true, compacted };
    } catch (error) {
      end(null, error);
      return { ok: false, error };
    } finally {
      outer?.removeEventListener('abort', onAbort);
      finish();
    }
  }

  async #replace(
    model: Model,
    reason: CompactionReason,
    customInstructions: string | undefined,
    signal: AbortSignal,
  ): Promise<Compacted> {
    const { session, settings, hooks, emit } = this.#options;
    const planned = session().planCompaction(settings.keepRecentTokens);
    if (!planned.ok) throw new CodedError(AGENT_ERRORS.NOTHING_TO_COMPACT, REFUSALS[planned.reason]);
    const { plan } = planned;
    const given = await compactionOfHook({ hooks, session: session(), settings, plan, reason, customInstructions, signal });
    const content = given ?? {
      firstKeptEntryId: plan.firstKeptEntryId,
      tokensBefore: plan.tokensBefore,
      details: plan.files,
      ...(await this.#summarize(model, plan, reason, customInstructions, signal)),
    };
    const { summary, firstKeptEntryId, tokensBefore, details, usage } = content;
    this.#options.budget.spend(usage);
    const replaced = {
      summary,
      firstKeptEntryId,
      tokensBefore,
      ...(details === undefined ? {} : { details }),
      ...(usage === undefined ? {} : { usage }),
    };
    const entry = session().append({ type: 'compaction', ...replaced, fromHook: given !== undefined });
    void emit({ type: 'entry_appended', entry });
    return {
      // What was appended comes back, with its place in the tree.
      entry: entry as EntryOf<'compaction'>,
      reason,
      result: { ...replaced, estimatedTokensAfter: session().estimateContext() },
    };
  }

  async #summarize(
    model: Model,
    plan: CompactionPlan,
    reason: CompactionReason,
    customInstructions: string | undefined,
    signal: AbortSignal,
  ): Promise<{ summary: string; usage: NonNullable<CompactionResult['usage']> }> {
    const { session, summarizer, settings } = this.#options;
    const hasHistory = plan.messages.length > 0 || plan.previousSummary !== undefined;
    const prompts = [
      ...(hasHistory ? [historyPrompt(plan, customInstructions)] : []),
      ...(plan.turnPrefix.length > 0 ? [prefixPrompt(plan)] : []),
    ];
    const { texts, usage } = await summarizer.summarize({
      model,
      prompts,
      sessionId: session().id,
      maxTokens: Math.floor(settings.reserveTokens * 0.8),
      source: 'compaction',
      reason,
      signal,
    });
    const history = hasHistory ? texts[0] : undefined;
    const prefix = plan.turnPrefix.length > 0 ? texts.at(-1) : undefined;
    return { summary: joinSummaries(history, prefix, plan.files), usage };
  }
}
