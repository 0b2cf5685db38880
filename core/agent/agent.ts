import { CodedError } from '../base/coded-error.js';
import { abortedError } from '../base/deadline.js';
import type { BashResult } from '../protocol/commands/bash.js';
import type { UserContent } from '../protocol/content.js';
import type { CompactionResult } from '../protocol/events.js';
import type { AgentMessage, UserMessage } from '../protocol/messages.js';
import type { Model } from '../protocol/model.js';
import type { Usage } from '../protocol/usage.js';
import type { AgentOptions } from './agent-options.js';
import { Budget } from './budget.js';
import { Compactor } from './compactor.js';
import { AGENT_ERRORS } from './errors.js';
import { type CustomMessageOptions, ExtensionMessages } from './extension-messages.js';
import { type NewCustomMessage, NO_HOOKS } from './hooks.js';
import { IdleTalk } from './idle-talk.js';
import { MessageQueues, type QueueKind } from './message-queues.js';
import { endlessPatience } from './patience.js';
import type { RetrySettings } from './retry-policy.js';
import { type Opening, RunDriver } from './run-driver.js';
import { type ShellCommandOptions, ShellCommands } from './shell-commands.js';
import { Summarizer } from './summarizer.js';
import { branchPrompt } from './summary-text.js';

export interface BranchSummaryOptions {
  customInstructions?: string | undefined;
  replaceInstructions?: boolean | undefined;
}

/** What became of a message. `begin` starts the run: call it after the acceptance was answered. */
export interface Acceptance {
  disposition: 'started' | 'queued';
  begin?: () => void;
}

/** Takes prompts and messages, lets the driver run, and stops on demand: the agent as modes, extensions and sdk see it. */
export class Agent {
  readonly queues: MessageQueues;
  readonly #options: AgentOptions;
  readonly #driver: RunDriver;
  readonly #compactor: Compactor;
  readonly #budget: Budget;
  readonly #summarizer: Summarizer;
  readonly #shell: ShellCommands;
  readonly #extensions: ExtensionMessages;
  #retry: RetrySettings;
  /** Set while something of a client or extension needs the session for itself: a compaction, a move in the tree. */
  #alone: AbortController | undefined;

  constructor(options: AgentOptions) {
    const { session, source, settings, emit, runShell, log, cwd = process.cwd(), hooks = NO_HOOKS, now = Date.now } = options;
    this.#options = options;
    this.#retry = { ...settings.retry };
    const modes = { steering: settings.steeringMode, followUp: settings.followUpMode };
    this.queues = new MessageQueues(modes, (steering, followUp) => void emit({ type: 'queue_update', steering, followUp }));
    this.#shell = new ShellCommands({
      runShell,
      hooks,
      cwd,
      store: (message) => session().append({ type: 'message', message }),
      isHeld: () => this.isRunning,
      log,
      now,
    });
    this.#budget = new Budget(options.budget ?? {});
    const retry = (): RetrySettings => this.#retry;
    const idleTimeoutMs = settings.streamIdleTimeoutMs;
    this.#summarizer = new Summarizer({ source, retry, idleTimeoutMs, hooks, emit, log, now });
    this.#compactor = new Compactor({
      session,
      summarizer: this.#summarizer,
      settings: settings.compaction,
      budget: this.#budget,
      hooks,
      emit,
    });
    const idleTalk = new IdleTalk({ session, hooks, emit, log });
    this.#extensions = new ExtensionMessages({
      queues: this.queues,
      idleTalk,
      isRunning: () => this.isRunning,
      prompt: async (message, whileRunning) => {
        const { disposition, begin } = await this.prompt(message, whileRunning);
        begin?.();
        return disposition;
      },
      checkStart: () => this.#checkStart(),
      start: (custom) => this.#start({ custom })(),
      now,
    });
    this.#driver = new RunDriver({
      session,
      models: options.models,
      source,
      parts: options.parts,
      toModelMessages: options.toModelMessages,
      prepareArguments: options.prepareArguments,
      thinkingBudgets: settings.thinkingBudgets,
      idleTimeoutMs,
      queues: this.queues,
      budget: this.#budget,
      compactor: this.#compactor,
      autoCompaction: options.autoCompaction,
      retry,
      mayContinue: () => this.#alone === undefined,
      unfinished: () => idleTalk.unfinished,
      onSettled: () => this.#shell.release(),
      hooks,
      emit,
      log,
      now,
    });
  }

  /** True from the acceptance of a prompt until just before its `agent_settled`. */
  get isRunning(): boolean {
    return this.#driver.isRunning;
  }

  /** False from the moment on in which a prompt or an extension's message starts a run. */
  get isIdle(): boolean {
    return !this.isRunning && this.#extensions.starting === undefined;
  }

  get isCompacting(): boolean {
    return this.#alone !== undefined || this.#compactor.isRunning;
  }

  /** Fires when the run that is on is aborted; undefined when none is. */
  get signal(): AbortSignal | undefined {
    return this.#driver.signal;
  }

  /** The system prompt that hooks made for the run that is on, in place of the usual one. */
  get runSystemPrompt(): string | undefined {
    return this.#driver.systemPrompt;
  }

  /** Resolves when no run is on. */
  async whenIdle(): Promise<void> {
    while (this.#extensions.starting) await this.#extensions.starting;
    return this.#driver.whenSettled();
  }

  setRetryEnabled(enabled: boolean): void {
    this.#retry = { ...this.#retry, enabled };
  }

  /**
   * Accepts a message, or throws `AGENT_BUSY`, `COMPACTING`, `NO_MODEL`, the error of missing credentials or of a session that
   * can't be written. When it returns `begin`, the agent is running from this moment; nothing is sent before `begin` is called.
   */
  async prompt(message: UserMessage, whileRunning: QueueKind | undefined): Promise<Acceptance> {
    if (this.isRunning) return this.#queueOrRefuse(message, whileRunning);
    await this.#checkStart();
    if (this.isRunning) return this.#queueOrRefuse(message, whileRunning);
    return { disposition: 'started', begin: this.#start({ prompt: message }) };
  }

  /** A user's message that code wrote; its run begins at once. Throws what {@link prompt} throws. */
  async sendUserMessage(
    content: string | UserContent[],
    options: { deliverAs?: 'steer' | 'followUp' | undefined } = {},
  ): Promise<{ disposition: Acceptance['disposition'] }> {
    return { disposition: await this.#extensions.user(content, options.deliverAs) };
  }

  /**
   * Resolves when the message is said, queued or kept, or the run it starts has begun; rejects with what {@link prompt} throws, and
   * then it is not said.
   */
  sendCustomMessage(message: NewCustomMessage, options: CustomMessageOptions = {}): Promise<void> {
    return this.#extensions.custom(message, options);
  }

  queue(kind: QueueKind, message: UserMessage): Acceptance {
    this.queues.push(kind, message);
    return { disposition: 'queued' };
  }

  /** Stops the run and waits until all is quiet. Queued messages are not lost: they start a run of their own. */
  async abort(): Promise<void> {
    this.#driver.abort();
    this.#alone?.abort(abortedError());
    await Promise.all([this.#driver.whenSettled(), this.#compactor.abort()]);
  }

  /** Gives up a pending retry; the run ends with the error it had. */
  abortRetry(): void {
    this.#driver.abortRetry();
  }

  /**
   * Keeps runs and compactions away while `work` changes the session; `signal` fires on abort. Throws `AGENT_BUSY` and `COMPACTING`,
   * which name `what`.
   */
  async alone<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.assertIdle(what);
    return this.#keepAlone(work);
  }

  /** Throws when a run or a compaction is on, which `what` would pull the session away from. */
  assertIdle(what: string): void {
    if (this.isRunning)
      throw new CodedError(AGENT_ERRORS.BUSY, `The agent is working: it can't ${what} now. Abort it, or wait for agent_settled`);
    if (this.isCompacting) throw new CodedError(AGENT_ERRORS.COMPACTING, `The context is being compacted: it can't ${what} now`);
  }

  /** Tells what a branch was about; within {@link alone}. Throws `NO_MODEL`, `SUMMARY_FAILED`, `EMPTY_SUMMARY`, `ABORTED`. */
  async summarizeBranch(
    messages: readonly AgentMessage[],
    options: BranchSummaryOptions,
    signal: AbortSignal,
  ): Promise<{ summary: string; usage: Usage }> {
    const { session, settings } = this.#options;
    const { texts, usage } = await this.#summarizer.summarize({
      model: this.#summaryModel(),
      prompts: [branchPrompt(messages, options.customInstructions, options.replaceInstructions ?? false)],
      sessionId: session().id,
      maxTokens: Math.floor(settings.compaction.reserveTokens * 0.8),
      source: 'branchSummary',
      signal,
    });
    this.#budget.spend(usage);
    return { summary: texts[0] ?? '', usage };
  }

  /**
   * Compacts the context now; a run that is on is stopped first, and what is queued stays queued. Throws `NO_MODEL`,
   * `NOTHING_TO_COMPACT`, `COMPACTING`, `COMPACTION_CANCELLED`, `COMPACTION_REFUSED`, `SUMMARY_FAILED`, `EMPTY_SUMMARY`, `ABORTED`.
   */
  async compact(customInstructions: string | undefined): Promise<CompactionResult> {
    const model = this.#summaryModel();
    if (this.isCompacting) throw new CodedError(AGENT_ERRORS.COMPACTING, 'The context is being compacted already');
    // Refused before a model is paid for it.
    this.#options.session().claim();
    const compacted = await this.#keepAlone(async () => {
      if (this.isRunning) {
        this.#driver.abort();
        await this.#driver.whenSettled();
      }
      return this.#compactor.compact(model, customInstructions);
    });
    const heard = this.#compactor.announce(compacted);
    if (heard) await endlessPatience(this.#options.log).lastWord(heard);
    return compacted.result;
  }

  /** Runs a shell command for a client and adds it to the conversation: at once, or after the run that is on. */
  async bash(command: string, options: ShellCommandOptions): Promise<BashResult> {
    this.#options.session().claim();
    return this.#shell.run(command, options);
  }

  abortBash(): void {
    this.#shell.abort();
  }

  #queueOrRefuse(message: UserMessage, kind: QueueKind | undefined): Acceptance {
    if (kind) return this.queue(kind, message);
    throw new CodedError(
      AGENT_ERRORS.BUSY,
      'The agent is working. Set streamingBehavior to "steer" or "followUp" to queue the message, or wait for agent_settled',
    );
  }

  /** Everything that would keep a run from starting is said now, to whoever wants one. */
  async #checkStart(): Promise<void> {
    const { models, source } = this.#options;
    this.#refuseWhileAlone();
    if (!models.model) {
      throw new CodedError(
        AGENT_ERRORS.NO_MODEL,
        'No model is chosen. Set an API key (pi auth set <provider>) and choose one with --provider and --model, or try --provider offline, which needs neither',
      );
    }
    await source.credentials(models.model);
    this.#refuseWhileAlone();
  }

  #refuseWhileAlone(): void {
    if (!this.#alone) return;
    throw new CodedError(AGENT_ERRORS.COMPACTING, 'The context is being compacted. Wait for compaction to finish, or abort it');
  }

  #start(opening: Opening): () => void {
    this.#options.session().claim();
    return this.#driver.accept(opening);
  }

  async #keepAlone<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const alone = new AbortController();
    this.#alone = alone;
    try {
      return await work(alone.signal);
    } finally {
      this.#alone = undefined;
    }
  }

  #summaryModel(): Model {
    const { model } = this.#options.models;
    if (!model) throw new CodedError(AGENT_ERRORS.NO_MODEL, 'No model is chosen that could write a summary');
    return model;
  }
}
