import { CodedError, messageOf } from '../base/coded-error.js';
import { abortedError, sleep } from '../base/deadline.js';
import type { Logger } from '../base/logger.js';
import type { BashResult } from '../protocol/commands/bash.js';
import type { QueueMode } from '../protocol/commands/state.js';
import type { AgentEvent, CompactionResult } from '../protocol/events.js';
import type { AgentMessage, UserMessage } from '../protocol/messages.js';
import type { ThinkingLevel } from '../protocol/model.js';
import type { Usage } from '../protocol/usage.js';
import { emptyAnswer } from './ask-model.js';
import { Budget, type BudgetLimits } from './budget.js';
import { type CompactionSettings, Compactor } from './compactor.js';
import { AGENT_ERRORS } from './errors.js';
import { MessageQueues, type QueueKind } from './message-queues.js';
import type { ModelChoice } from './model-choice.js';
import type { ModelSource, PrepareArguments, RequestParts, RunShell, SessionLog, ToModelMessages } from './ports.js';
import { nextRetry, type RetrySettings } from './retry-policy.js';
import { Run, type RunOutcome } from './run.js';
import { ShellCommands } from './shell-commands.js';
import { Summarizer } from './summarizer.js';
import { branchPrompt } from './summary-text.js';

export interface AgentSettings {
  steeringMode: QueueMode;
  followUpMode: QueueMode;
  retry: RetrySettings;
  thinkingBudgets: Partial<Record<ThinkingLevel, number>>;
  streamIdleTimeoutMs: number;
  compaction: CompactionSettings;
}

export interface AgentOptions {
  /** The session in use now; it may be another one between two runs. */
  session: () => SessionLog;
  models: ModelChoice;
  source: ModelSource;
  parts: RequestParts;
  toModelMessages: ToModelMessages;
  prepareArguments: PrepareArguments;
  runShell: RunShell;
  settings: AgentSettings;
  /** What may be spent in all; no limit when left out. */
  budget?: BudgetLimits;
  /** Whether a context that is full is compacted without being asked. */
  autoCompaction: () => boolean;
  emit: (event: AgentEvent) => void;
  log: Logger;
  now?: () => number;
}

export interface BranchSummaryOptions {
  customInstructions?: string | undefined;
  replaceInstructions?: boolean | undefined;
}

/** What became of a message. `begin` starts the run: call it after the acceptance was answered. */
export interface Acceptance {
  disposition: 'started' | 'queued';
  begin?: () => void;
}

/**
 * The run loop: takes prompts, drives runs until they settle, retries transient failures, and stops on demand.
 * A prompt that was accepted with `started` gives exactly one `agent_settled`, whatever fails in between.
 */
export class Agent {
  readonly #options: AgentOptions;
  readonly #now: () => number;
  readonly queues: MessageQueues;
  readonly #compactor: Compactor;
  readonly #budget: Budget;
  readonly #summarizer: Summarizer;
  /** Ends the summary of a branch that is being written. */
  #summaryAbort: AbortController | undefined;
  #retry: RetrySettings;
  #running = false;
  #abort = new AbortController();
  #retryWait: AbortController | undefined;
  /** A client's `compact` is on: from its acceptance to its end. */
  #compacting = false;
  #settled: Promise<void> = Promise.resolve();
  readonly #shell: ShellCommands;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#retry = { ...options.settings.retry };
    const { steeringMode, followUpMode } = options.settings;
    this.queues = new MessageQueues({ steering: steeringMode, followUp: followUpMode }, (steering, followUp) =>
      options.emit({ type: 'queue_update', steering, followUp }),
    );
    const { session, source, settings, emit, runShell, log } = options;
    this.#shell = new ShellCommands({
      runShell,
      store: (message) => session().append({ type: 'message', message }),
      isHeld: () => this.#running,
      log,
      now: this.#now,
    });
    this.#budget = new Budget(options.budget ?? {});
    this.#summarizer = new Summarizer({
      source,
      retry: () => this.#retry,
      idleTimeoutMs: settings.streamIdleTimeoutMs,
      emit,
      now: this.#now,
    });
    this.#compactor = new Compactor({
      session,
      summarizer: this.#summarizer,
      settings: settings.compaction,
      budget: this.#budget,
      emit,
    });
  }

  /** True from the acceptance of a prompt until just before its `agent_settled`. */
  get isRunning(): boolean {
    return this.#running;
  }

  get isCompacting(): boolean {
    return this.#compacting || this.#compactor.isRunning;
  }

  /** Resolves when no run is on. */
  whenIdle(): Promise<void> {
    return this.#settled;
  }

  setRetryEnabled(enabled: boolean): void {
    this.#retry = { ...this.#retry, enabled };
  }

  /**
   * Accepts a message, or throws `AGENT_BUSY`, `NO_MODEL`, the error of missing credentials or of a session that can't be written.
   * When it returns `begin`, the agent is running from this moment; nothing is sent before `begin` is called.
   */
  async prompt(message: UserMessage, whileRunning: QueueKind | undefined): Promise<Acceptance> {
    if (this.#running) {
      if (!whileRunning) {
        throw new CodedError(
          AGENT_ERRORS.BUSY,
          'The agent is working. Set streamingBehavior to "steer" or "followUp" to queue the message, or wait for agent_settled',
        );
      }
      return this.queue(whileRunning, message);
    }
    if (this.#compacting) {
      throw new CodedError(AGENT_ERRORS.COMPACTING, 'The context is being compacted. Wait for compaction to finish, or abort it');
    }
    const { models, source } = this.#options;
    const { model } = models;
    if (!model) {
      throw new CodedError(
        AGENT_ERRORS.NO_MODEL,
        'No model is chosen. Set an API key (pi auth set <provider>) and choose one with --provider and --model, or try --provider offline, which needs neither',
      );
    }
    await source.credentials(model);
    if (this.#running) return this.prompt(message, whileRunning);
    this.#options.session().claim();
    this.#running = true;
    this.#abort = new AbortController();
    let settle: () => void = () => undefined;
    this.#settled = new Promise((resolve) => {
      settle = resolve;
    });
    return { disposition: 'started', begin: () => void this.#drive([message]).then(settle) };
  }

  queue(kind: QueueKind, message: UserMessage): Acceptance {
    this.queues.push(kind, message);
    return { disposition: 'queued' };
  }

  /** Stops the run and waits until all is quiet. Queued messages are not lost: they start a run of their own. */
  async abort(): Promise<void> {
    this.#abort.abort(abortedError());
    this.#retryWait?.abort();
    this.#summaryAbort?.abort(abortedError());
    await Promise.all([this.#settled, this.#compactor.abort()]);
  }

  /**
   * Tells what a branch was about. Prompts are refused meanwhile; `abort` ends it. Throws `AGENT_BUSY`, `NO_MODEL`, `COMPACTING`,
   * `SUMMARY_FAILED`, `EMPTY_SUMMARY`, `ABORTED`.
   */
  async summarizeBranch(
    messages: readonly AgentMessage[],
    options: BranchSummaryOptions,
  ): Promise<{ summary: string; usage: Usage }> {
    const { models, session, settings } = this.#options;
    const { model } = models;
    if (!model) throw new CodedError(AGENT_ERRORS.NO_MODEL, 'No model is chosen that could write a summary');
    this.assertIdle('move in the tree');
    session().claim();
    this.#summaryAbort = new AbortController();
    this.#compacting = true;
    try {
      const { texts, usage } = await this.#summarizer.summarize({
        model,
        prompts: [branchPrompt(messages, options.customInstructions, options.replaceInstructions ?? false)],
        sessionId: session().id,
        maxTokens: Math.floor(settings.compaction.reserveTokens * 0.8),
        source: 'branchSummary',
        signal: this.#summaryAbort.signal,
      });
      this.#budget.spend(usage);
      return { summary: texts[0] ?? '', usage };
    } finally {
      this.#compacting = false;
      this.#summaryAbort = undefined;
    }
  }

  /** Throws when a run or a compaction is on, which `what` would pull the session away from. */
  assertIdle(what: string): void {
    if (this.#running)
      throw new CodedError(AGENT_ERRORS.BUSY, `The agent is working: it can't ${what} now. Abort it, or wait for agent_settled`);
    if (this.isCompacting) throw new CodedError(AGENT_ERRORS.COMPACTING, `The context is being compacted: it can't ${what} now`);
  }

  /**
   * Compacts the context now; a run that is on is stopped first, and what is queued stays queued. Throws `NO_MODEL`,
   * `NOTHING_TO_COMPACT`, `COMPACTING`, `SUMMARY_FAILED`, `EMPTY_SUMMARY`, `ABORTED`.
   */
  async compact(customInstructions: string | undefined): Promise<CompactionResult> {
    const { model } = this.#options.models;
    if (!model) throw new CodedError(AGENT_ERRORS.NO_MODEL, 'No model is chosen that could write a summary');
    if (this.isCompacting) throw new CodedError(AGENT_ERRORS.COMPACTING, 'The context is being compacted already');
    // Refused before a model is paid for it.
    this.#options.session().claim();
    this.#compacting = true;
    try {
      if (this.#running) await this.abort();
      return await this.#compactor.compact(model, customInstructions);
    } finally {
      this.#compacting = false;
    }
  }

  /** Gives up a pending retry; the run ends with the error it had. */
  abortRetry(): void {
    this.#retryWait?.abort();
  }

  /** Runs a shell command for a client and adds it to the conversation: at once, or after the run that is on. */
  async bash(command: string, options: { excludeFromContext: boolean; onOutput: (delta: string) => void }): Promise<BashResult> {
    this.#options.session().claim();
    return this.#shell.run(command, options);
  }

  abortBash(): void {
    this.#shell.abort();
  }

  /** Runs, retries and continues until nothing is left to do; always ends with `agent_settled`. */
  async #drive(prompt: UserMessage[]): Promise<void> {
    let outcome: RunOutcome | undefined;
    try {
      outcome = await this.#runUntilDone(prompt);
    } catch (error) {
      this.#reportFailure(error);
    }
    this.#shell.release();
    this.#running = false;
    this.#options.emit(outcome?.aborted ? { type: 'agent_settled', aborted: true } : { type: 'agent_settled' });
  }

  async #runUntilDone(prompt: UserMessage[]): Promise<RunOutcome> {
    const { emit } = this.#options;
    let next: readonly UserMessage[] = prompt;
    let attempt = 0;
    let overflowed = false;
    const onAnswered = (): void => {
      overflowed = false;
      if (attempt > 0) emit({ type: 'auto_retry_end', success: true, attempt });
      attempt = 0;
    };
    for (;;) {
      const outcome = await this.#runOnce(next, onAnswered);
      next = [];
      const retry = outcome.failure && nextRetry(this.#retry, outcome.failure, attempt);
      emit({ type: 'agent_end', messages: outcome.messages, willRetry: retry !== undefined });
      if (retry) {
        attempt = retry.attempt;
        if (await this.#waitForRetry(retry, outcome.errorMessage ?? '')) continue;
        emit({ type: 'auto_retry_end', success: false, attempt, finalError: 'Retry cancelled' });
        if (!this.#continueAfterAbort()) return { ...outcome, aborted: this.#abort.signal.aborted };
        attempt = 0;
        continue;
      }
      if (outcome.failure && attempt > 0) {
        emit({ type: 'auto_retry_end', success: false, attempt, finalError: outcome.errorMessage ?? '' });
      }
      if (outcome.failure?.kind === 'overflow' && this.#options.autoCompaction()) {
        if (overflowed) this.#reportSecondOverflow(outcome.errorMessage ?? '');
        else if (await this.#makeRoom()) {
          overflowed = true;
          attempt = 0;
          continue;
        }
      }
      if (!outcome.failure && !outcome.aborted) await this.#compactIfNeeded();
      if ((outcome.aborted || this.#abort.signal.aborted) && this.#continueAfterAbort()) {
        attempt = 0;
        continue;
      }
      return outcome;
    }
  }

  /** The request did not fit: takes the failed answer out of the branch and compacts. False when that did not help. */
  async #makeRoom(): Promise<boolean> {
    const session = this.#options.session();
    const { model } = this.#options.models;
    const failed = session.leafId;
    if (!model || failed === null) return false;
    session.setLeaf(session.parentOf(failed));
    const before = session.leafId;
    if (await this.#compactor.compactAutomatically(model, 'overflow', this.#abort.signal)) return true;
    // Nothing was replaced: the failed answer stays as the last word of the run.
    if (session.leafId === before) session.setLeaf(failed);
    return false;
  }

  /** A context that does not fit after it was compacted will not fit the next time either (guarantee 29). */
  #reportSecondOverflow(error: string): void {
    this.#options.emit({
      type: 'compaction_end',
      reason: 'overflow',
      result: null,
      aborted: false,
      willRetry: false,
      errorMessage: `Compaction failed: the context is too large even after it was compacted (${error})`,
    });
  }

  async #compactIfNeeded(): Promise<void> {
    const { models, autoCompaction } = this.#options;
    const { model } = models;
    if (!model || !autoCompaction() || !this.#compactor.isNeeded(model)) return;
    await this.#compactor.compactAutomatically(model, 'threshold', this.#abort.signal);
  }

  /** After an abort, what was queued gets a run of its own, unless a client's compaction waits. Source: FACTS "Queues". */
  #continueAfterAbort(): boolean {
    if (!this.#abort.signal.aborted || this.#compacting || this.queues.size === 0) return false;
    this.#abort = new AbortController();
    return true;
  }

  async #runOnce(messages: readonly UserMessage[], onAnswered: () => void): Promise<RunOutcome> {
    const { models, settings, session, source, parts, toModelMessages, prepareArguments, emit, log } = this.#options;
    const { model } = models;
    if (!model) throw new CodedError(AGENT_ERRORS.NO_MODEL, 'The model was taken away during the run');
    emit({ type: 'agent_start' });
    const run = new Run(
      {
        model,
        thinkingLevel: () => models.thinkingLevel,
        thinkingBudgets: settings.thinkingBudgets,
        idleTimeoutMs: settings.streamIdleTimeoutMs,
        session: session(),
        source,
        parts,
        queues: this.queues,
        budget: this.#budget,
        toModelMessages,
        prepareArguments,
        emit,
        onAnswered,
        log,
        now: this.#now,
      },
      this.#abort.signal,
    );
    return run.execute(messages);
  }

  /** Takes the failed answer out of the branch and waits. False when the wait was cancelled. */
  async #waitForRetry(retry: { attempt: number; maxAttempts: number; delayMs: number }, errorMessage: string): Promise<boolean> {
    const session = this.#options.session();
    const failed = session.leafId;
    this.#retryWait = new AbortController();
    if (this.#abort.signal.aborted) this.#retryWait.abort();
    this.#options.emit({ type: 'auto_retry_start', ...retry, errorMessage });
    try {
      await sleep(retry.delayMs, this.#retryWait.signal);
    } catch {
      // Cancelled: the failed answer stays where it is, as the last word of the run.
      return false;
    } finally {
      this.#retryWait = undefined;
    }
    if (failed !== null) session.setLeaf(session.parentOf(failed));
    return true;
  }

  /** Something of ours broke during a run: clients still get an answer and an end, and stderr the reason. */
  #reportFailure(error: unknown): void {
    const { emit, log, models } = this.#options;
    log.error('a run failed', { error: messageOf(error) });
    const { model } = models;
    if (!model) {
      emit({ type: 'agent_end', messages: [], willRetry: false });
      return;
    }
    const message = emptyAnswer(model, 'error', messageOf(error), this.#now());
    emit({ type: 'message_start', message });
    emit({ type: 'message_end', message });
    emit({ type: 'turn_end', message, toolResults: [] });
    emit({ type: 'agent_end', messages: [message], willRetry: false });
  }
}
