import { CodedError, messageOf } from '../base/coded-error.js';
import { abortedError, sleep } from '../base/deadline.js';
import type { CustomMessage, UserMessage } from '../protocol/messages.js';
import { emptyAnswer } from './ask-model.js';
import type { Compactor } from './compactor.js';
import { AGENT_ERRORS } from './errors.js';
import { NO_HOOKS } from './hooks.js';
import { type MessageQueues, type Sayable, textOf } from './message-queues.js';
import type { ModelChoice } from './model-choice.js';
import { Patience } from './patience.js';
import { nextRetry, type RetrySettings } from './retry-policy.js';
import { Run, type RunOptions, type RunOutcome } from './run.js';

export interface RunDriverOptions
  extends Omit<RunOptions, 'model' | 'thinkingLevel' | 'session' | 'systemPrompt' | 'queues' | 'onAnswered'> {
  /** The session in use now; it may be another one between two runs. */
  session: () => RunOptions['session'];
  models: ModelChoice;
  queues: MessageQueues;
  compactor: Compactor;
  /** Whether a context that is full is compacted without being asked. */
  autoCompaction: () => boolean;
  retry: () => RetrySettings;
  /** False while somebody waits for the agent to be quiet: what is queued stays queued then. */
  mayContinue: () => boolean;
  /** What is still being said while the agent is idle, and has to be said before a run. */
  unfinished: () => Promise<unknown> | undefined;
  /** The last run is over; called just before `agent_settled`. */
  onSettled: () => void;
}

/** What a run begins with: a user's prompt, or a message of an extension that wants an answer. */
export type Opening = { prompt: UserMessage } | { custom: CustomMessage };

/**
 * Drives runs until nothing is left to do: retries transient failures, makes room in the context, delivers what is queued.
 * Whatever was accepted ends with exactly one `agent_settled`, whatever fails in between.
 */
export class RunDriver {
  readonly #options: RunDriverOptions;
  #isRunning = false;
  #abort = new AbortController();
  #patience: Patience;
  #retryWait: AbortController | undefined;
  #settled: Promise<void> = Promise.resolve();
  #systemPrompt: string | undefined;

  constructor(options: RunDriverOptions) {
    this.#options = options;
    this.#patience = new Patience(this.#abort.signal, options.log);
  }

  /** True from the acceptance of an opening until just before its `agent_settled`. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Fires when the run that is on is aborted. */
  get signal(): AbortSignal | undefined {
    return this.#isRunning ? this.#abort.signal : undefined;
  }

  /** What `beforeAgentStart` made of the system prompt, until the agent has settled. */
  get systemPrompt(): string | undefined {
    return this.#systemPrompt;
  }

  /** Resolves when no run is on. */
  whenSettled(): Promise<void> {
    return this.#settled;
  }

  /** The agent runs from this moment; nothing is sent before the function this returns is called. */
  accept(opening: Opening): () => void {
    this.#isRunning = true;
    this.#renewAbort();
    let settle: () => void = () => undefined;
    this.#settled = new Promise((resolve) => {
      settle = resolve;
    });
    return () => void this.#drive(opening).then(settle);
  }

  /** Stops the run; see {@link whenSettled}. */
  abort(): void {
    this.#abort.abort(abortedError());
    this.#retryWait?.abort();
  }

  /** Gives up a pending retry; the run ends with the error it had. */
  abortRetry(): void {
    this.#retryWait?.abort();
  }

  #renewAbort(): void {
    this.#abort = new AbortController();
    this.#patience = new Patience(this.#abort.signal, this.#options.log);
  }

  /** Always ends with `agent_settled`. */
  async #drive(opening: Opening): Promise<void> {
    const { unfinished, onSettled, emit } = this.#options;
    let outcome: RunOutcome | undefined;
    try {
      const before = unfinished();
      if (before) await this.#patience.lastWord(before);
      outcome = await this.#runUntilDone(await this.#open(opening));
    } catch (error) {
      this.#reportFailure(error);
    }
    onSettled();
    this.#systemPrompt = undefined;
    this.#isRunning = false;
    void emit(outcome?.aborted ? { type: 'agent_settled', aborted: true } : { type: 'agent_settled' });
  }

  /** Everything the first run begins with: the prompt, what was held for it, what hooks add. Source: extensions document, `before_agent_start`. */
  async #open(opening: Opening): Promise<Sayable[]> {
    if ('custom' in opening) return [opening.custom];
    const { hooks, queues, parts, now, log } = this.#options;
    const { prompt } = opening;
    const said: Sayable[] = [prompt, ...queues.takeForPrompt()];
    if (hooks === NO_HOOKS) return said;
    try {
      const images = typeof prompt.content === 'string' ? [] : prompt.content.filter((part) => part.type === 'image');
      const asked = hooks.beforeAgentStart({
        prompt: textOf(prompt),
        ...(images.length > 0 ? { images } : {}),
        systemPrompt: await parts.systemPrompt(),
      });
      const answer = asked && (await this.#patience.answer(asked));
      for (const message of answer?.messages ?? []) said.push({ role: 'custom', ...message, timestamp: now() });
      this.#systemPrompt = answer?.systemPrompt;
    } catch (error) {
      // Aborted: the run begins all the same, so that its end can be told.
      log.debug('a run begins without what hooks would add', { error: messageOf(error) });
    }
    return said;
  }

  async #runUntilDone(opening: readonly Sayable[]): Promise<RunOutcome> {
    const { emit, autoCompaction, compactor, models, retry: retrySettings, queues } = this.#options;
    let next = opening;
    let attempt = 0;
    let overflowed = false;
    const onAnswered = (): void => {
      overflowed = false;
      if (attempt > 0) void emit({ type: 'auto_retry_end', success: true, attempt });
      attempt = 0;
    };
    for (;;) {
      const outcome = await this.#runOnce(next, onAnswered);
      next = [];
      const retry = outcome.failure && nextRetry(retrySettings(), outcome.failure, attempt);
      const heard = emit({ type: 'agent_end', messages: outcome.messages, willRetry: retry !== undefined });
      if (heard) await this.#patience.lastWord(heard);
      if (retry) {
        attempt = retry.attempt;
        if (await this.#waitForRetry(retry, outcome)) continue;
        void emit({ type: 'auto_retry_end', success: false, attempt, finalError: 'Retry cancelled' });
        if (!this.#continueAfterAbort()) return { ...outcome, aborted: this.#abort.signal.aborted };
        attempt = 0;
        continue;
      }
      if (outcome.failure && attempt > 0) {
        void emit({ type: 'auto_retry_end', success: false, attempt, finalError: outcome.errorMessage ?? '' });
      }
      if (outcome.failure?.kind === 'overflow' && autoCompaction()) {
        if (overflowed) compactor.reportSecondOverflow(outcome.errorMessage ?? '');
        else if (await this.#makeRoom(outcome.answerId)) {
          overflowed = true;
          attempt = 0;
          continue;
        }
      }
      const isDone = !outcome.failure && !outcome.aborted;
      if (isDone && models.model && autoCompaction() && compactor.isNeeded(models.model)) {
        await compactor.compactAutomatically(models.model, 'threshold', this.#patience);
      }
      if (outcome.aborted || this.#abort.signal.aborted) {
        if (!this.#continueAfterAbort()) return outcome;
      } else if (!isDone || queues.size === 0) return outcome;
      // Queued after the run had looked for the last time: by whoever heard of its end, or during a compaction.
      attempt = 0;
    }
  }

  /** The request did not fit: takes the failed answer out of the branch and compacts. False when that did not help. */
  async #makeRoom(failed: string | undefined): Promise<boolean> {
    const { compactor, models } = this.#options;
    const session = this.#options.session();
    if (!models.model || failed === undefined) return false;
    const isTakenOut = this.#takeOut(failed);
    const before = session.leafId;
    if (await compactor.compactAutomatically(models.model, 'overflow', this.#patience)) return true;
    // Nothing was replaced: the failed answer stays as the last word of the run.
    if (isTakenOut && session.leafId === before) session.setLeaf(failed);
    return false;
  }

  /** Takes a failed answer out of the branch, unless somebody has built on it: then it stays, and no model is shown it anyway. */
  #takeOut(failed: string): boolean {
    const session = this.#options.session();
    if (session.leafId !== failed) return false;
    session.setLeaf(session.parentOf(failed));
    return true;
  }

  /** After an abort, what was queued gets a run of its own. Source: FACTS "Queues". */
  #continueAfterAbort(): boolean {
    const { mayContinue, queues } = this.#options;
    if (!this.#abort.signal.aborted || !mayContinue() || queues.size === 0) return false;
    this.#renewAbort();
    return true;
  }

  async #runOnce(opening: readonly Sayable[], onAnswered: () => void): Promise<RunOutcome> {
    const { models, session } = this.#options;
    const { model } = models;
    if (!model) throw new CodedError(AGENT_ERRORS.NO_MODEL, 'The model was taken away during the run');
    const run = new Run(
      {
        ...this.#options,
        model: () => models.model ?? model,
        thinkingLevel: () => models.thinkingLevel,
        session: session(),
        systemPrompt: this.#systemPrompt,
        onAnswered,
      },
      this.#patience,
    );
    return run.execute(opening);
  }

  /** Waits, then takes the failed answer out of the branch. False when the wait was cancelled. */
  async #waitForRetry(
    retry: { attempt: number; maxAttempts: number; delayMs: number },
    { errorMessage = '', answerId }: RunOutcome,
  ): Promise<boolean> {
    this.#retryWait = new AbortController();
    if (this.#abort.signal.aborted) this.#retryWait.abort();
    void this.#options.emit({ type: 'auto_retry_start', ...retry, errorMessage });
    try {
      await sleep(retry.delayMs, this.#retryWait.signal);
    } catch {
      // Cancelled: the failed answer stays where it is, as the last word of the run.
      return false;
    } finally {
      this.#retryWait = undefined;
    }
    if (answerId !== undefined) this.#takeOut(answerId);
    return true;
  }

  /** Something of ours broke during a run: clients still get an answer and an end, and stderr the reason. */
  #reportFailure(error: unknown): void {
    const { emit, log, models, now } = this.#options;
    log.error('a run failed', { error: messageOf(error) });
    const { model } = models;
    if (!model) {
      void emit({ type: 'agent_end', messages: [], willRetry: false });
      return;
    }
    const message = emptyAnswer(model, 'error', messageOf(error), now());
    void emit({ type: 'message_start', message });
    void emit({ type: 'message_end', message });
    void emit({ type: 'turn_end', message, toolResults: [] });
    void emit({ type: 'agent_end', messages: [message], willRetry: false });
  }
}
