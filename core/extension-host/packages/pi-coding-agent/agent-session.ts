import type { NewCustomMessage } from '../../../agent/hooks.js';
import type { ModelChoice } from '../../../agent/model-choice.js';
import { CodedError, messageOf } from '../../../base/coded-error.js';
import type { BashResult } from '../../../protocol/commands/bash.js';
import type { SessionStats } from '../../../protocol/commands/session.js';
import type { QueueMode } from '../../../protocol/commands/state.js';
import type { UserContent } from '../../../protocol/content.js';
import type { AgentEvent, CompactionResult } from '../../../protocol/events.js';
import type { AgentMessage } from '../../../protocol/messages.js';
import type { Model, ThinkingLevel } from '../../../protocol/model.js';
import { AgentFacade } from './agent-facade.js';
import { CODING_AGENT_ERRORS } from './errors.js';
import type { ModelRuntime } from './model-runtime.js';
import { type NavigateTreeOptions, type NavigateTreeResult, navigateIn } from './navigate-tree.js';
import type { ResourceLoader } from './resource-loader.js';
import type { AgentSessionEvent } from './session-events.js';
import { contextUsage, forkPoints, lastAssistantText, sessionStats } from './session-facts.js';
import type { SessionManager } from './session-manager.js';
import type { AgentSessionParts } from './session-parts.js';
import { expandSlash, type PromptImage, systemPromptOf, userMessage } from './session-prompt.js';
import type { SessionTools, ToolInfo } from './session-tools.js';
import type { SettingsManager } from './settings-manager.js';

export interface PromptOptions {
  /** Whether `/skill:name` and `/template` are put in full; default: yes. */
  expandPromptTemplates?: boolean;
  images?: readonly PromptImage[];
  streamingBehavior?: 'steer' | 'followUp';
  source?: string;
  /** Told once: whether the prompt was accepted. */
  preflightResult?: (accepted: boolean) => void;
}

/**
 * A conversation with a model and tools of its own, within an extension. It shares nothing with the session the extension serves but
 * what it was given. Source: sdk document, "AgentSession".
 */
export class AgentSession {
  readonly sessionManager: SessionManager;
  readonly settingsManager: SettingsManager;
  /** The lower half: its state may be read and replaced. */
  readonly agent: AgentFacade;
  readonly #parts: AgentSessionParts;
  readonly #listeners = new Set<(event: AgentSessionEvent) => void>();
  #disposed = false;

  constructor(parts: AgentSessionParts) {
    this.#parts = parts;
    this.sessionManager = parts.manager;
    this.settingsManager = parts.settings;
    this.agent = new AgentFacade(this, parts);
    parts.wire.emit = (event) => this.#emit(event);
  }

  get modelRuntime(): ModelRuntime {
    return this.#parts.runtime;
  }

  get resourceLoader(): ResourceLoader {
    return this.#parts.loader;
  }

  get sessionId(): string {
    return this.sessionManager.getSessionId();
  }

  /** Undefined in memory. */
  get sessionFile(): string | undefined {
    return this.sessionManager.getSessionFile();
  }

  get sessionName(): string | undefined {
    return this.sessionManager.getSessionName();
  }

  get model(): Model | undefined {
    return this.#parts.models.model;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#parts.models.thinkingLevel;
  }

  get scopedModels(): readonly { model: Model; thinkingLevel?: ThinkingLevel }[] {
    return this.#parts.scopedModels;
  }

  /** The context as the model sees it. */
  get messages(): AgentMessage[] {
    return this.sessionManager.buildSessionContext().messages;
  }

  get state(): AgentFacade['state'] {
    return this.agent.state;
  }

  get systemPrompt(): string {
    const { overrides, loader, tools, cwd, agent } = this.#parts;
    return agent.runSystemPrompt ?? overrides.systemPrompt ?? systemPromptOf(loader, tools.active, cwd);
  }

  get isStreaming(): boolean {
    return this.#parts.agent.isRunning;
  }

  get isIdle(): boolean {
    return this.#parts.agent.isIdle;
  }

  get isCompacting(): boolean {
    return this.#parts.agent.isCompacting;
  }

  get pendingMessageCount(): number {
    return this.#parts.agent.queues.size;
  }

  get promptTemplates(): ReturnType<ResourceLoader['getPrompts']>['prompts'] {
    return this.#parts.loader.getPrompts().prompts;
  }

  /** Every event in order; gives the way to stop listening. */
  subscribe(listener: (event: AgentSessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves when the run has settled, or at once when the message was queued. Failures of the model are in the last message; rejects
   * with what keeps a run from starting (`NO_MODEL`, `AGENT_BUSY`, missing credentials).
   */
  async prompt(text: string, options: PromptOptions = {}): Promise<void> {
    const { agent, loader } = this.#parts;
    const { images, streamingBehavior, expandPromptTemplates = true, preflightResult } = options;
    let begin: (() => void) | undefined;
    try {
      this.#mustLive();
      if (await this.#ranCommand(text)) {
        preflightResult?.(true);
        return;
      }
      const full = expandPromptTemplates ? await expandSlash(loader, text) : text;
      const kind = streamingBehavior && (streamingBehavior === 'steer' ? 'steering' : 'followUp');
      ({ begin } = await agent.prompt(userMessage(full, images), kind));
    } catch (error) {
      preflightResult?.(false);
      throw error;
    }
    preflightResult?.(true);
    if (!begin) return;
    begin();
    await agent.whenIdle();
  }

  /** Queued while a run is on, said before the next request. */
  steer(text: string, images?: readonly PromptImage[]): Promise<void> {
    return this.#queue('steering', text, images);
  }

  /** Queued while a run is on, said when it would end. */
  followUp(text: string, images?: readonly PromptImage[]): Promise<void> {
    return this.#queue('followUp', text, images);
  }

  async sendUserMessage(content: string | UserContent[], options?: { deliverAs?: 'steer' | 'followUp' }): Promise<void> {
    this.#mustLive();
    await this.#parts.agent.sendUserMessage(content, options);
    if (!options?.deliverAs) await this.#parts.agent.whenIdle();
  }

  async sendCustomMessage(
    message: NewCustomMessage,
    options?: { triggerTurn?: boolean; deliverAs?: 'steer' | 'followUp' | 'nextTurn' },
  ): Promise<void> {
    this.#mustLive();
    await this.#parts.agent.sendCustomMessage(message, options);
    if (options?.triggerTurn) await this.#parts.agent.whenIdle();
  }

  /** Stops the run; resolves when all is quiet. */
  async abort(): Promise<void> {
    await this.#parts.agent.abort();
  }

  waitForIdle(): Promise<void> {
    return this.#parts.agent.whenIdle();
  }

  clearQueue(): { steering: string[]; followUp: string[] } {
    return this.#parts.agent.queues.clear();
  }

  get steeringMode(): QueueMode {
    return this.#parts.agent.queues.modes.steering;
  }

  get followUpMode(): QueueMode {
    return this.#parts.agent.queues.modes.followUp;
  }

  setSteeringMode(mode: QueueMode): void {
    this.#parts.agent.queues.modes.steering = mode;
  }

  setFollowUpMode(mode: QueueMode): void {
    this.#parts.agent.queues.modes.followUp = mode;
  }

  /** Rejects when the model has no credentials. */
  async setModel(model: Model): Promise<void> {
    await this.#parts.runtime.credentials(model);
    this.#parts.models.use(model);
  }

  setThinkingLevel(level: ThinkingLevel): void {
    this.#parts.models.setLevel(level);
  }

  cycleModel(): ReturnType<ModelChoice['cycle']> {
    return this.#parts.models.cycle();
  }

  cycleThinkingLevel(): ThinkingLevel | undefined {
    return this.#parts.models.cycleLevel();
  }

  getAvailableThinkingLevels(): ThinkingLevel[] {
    return [...this.#parts.models.levels];
  }

  supportsThinking(): boolean {
    return this.model?.reasoning === true;
  }

  getActiveToolNames(): string[] {
    return this.#parts.tools.activeNames;
  }

  setActiveToolsByName(names: readonly string[]): void {
    this.#parts.tools.setActive(names);
  }

  getAllTools(): ToolInfo[] {
    return this.#parts.tools.list();
  }

  getToolDefinition(name: string): ReturnType<SessionTools['definition']> {
    return this.#parts.tools.definition(name);
  }

  setSessionName(name: string): void {
    this.sessionManager.appendSessionInfo(name);
    const current = this.sessionName;
    void this.#emit({ type: 'session_info_changed', ...(current === undefined ? {} : { name: current }) });
  }

  compact(customInstructions?: string): Promise<CompactionResult> {
    return this.#parts.agent.compact(customInstructions);
  }

  abortCompaction(): void {
    void this.#parts.agent.abort();
  }

  abortBranchSummary(): void {
    void this.#parts.agent.abort();
  }

  get autoCompactionEnabled(): boolean {
    return this.#parts.compaction.enabled;
  }

  setAutoCompactionEnabled(enabled: boolean): void {
    this.#parts.compaction.enabled = enabled;
  }

  setAutoRetryEnabled(enabled: boolean): void {
    this.#parts.agent.setRetryEnabled(enabled);
  }

  abortRetry(): void {
    this.#parts.agent.abortRetry();
  }

  /** Runs a command and adds it to the conversation. */
  executeBash(
    command: string,
    onChunk?: (chunk: string) => void,
    options: { excludeFromContext?: boolean } = {},
  ): Promise<BashResult> {
    return this.#parts.agent.bash(command, {
      excludeFromContext: options.excludeFromContext ?? false,
      onOutput: (delta) => onChunk?.(delta),
    });
  }

  abortBash(): void {
    this.#parts.agent.abortBash();
  }

  navigateTree(targetId: string, options: NavigateTreeOptions = {}): Promise<NavigateTreeResult> {
    return navigateIn({ agent: this.#parts.agent, manager: this.sessionManager }, targetId, options);
  }

  getUserMessagesForForking(): { entryId: string; text: string }[] {
    return forkPoints(this.sessionManager);
  }

  getLastAssistantText(): string | undefined {
    return lastAssistantText(this.sessionManager);
  }

  getContextUsage(): SessionStats['contextUsage'] {
    return this.model && contextUsage(this.sessionManager, this.model);
  }

  /** Counters over all entries, also of branches that were left. */
  getSessionStats(): SessionStats {
    return sessionStats(this.sessionManager, this.model);
  }

  /** Accepted: extensions of this session are bound when it is made. */
  async bindExtensions(_bindings: object = {}): Promise<void> {}

  /** Reads the resources anew; they count from the next prompt. */
  async reload(): Promise<void> {
    await this.settingsManager.reload();
    await this.#parts.loader.reload();
  }

  hasExtensionHandlers(event: string): boolean {
    return this.#parts.extensions.hasHandlers(event);
  }

  /** Stops everything. Nothing is waited for; what was said is in the session already. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    const { agent, tools, extensions } = this.#parts;
    agent.queues.clear();
    const ended = Promise.resolve(extensions.tell({ type: 'session_shutdown' }))
      .then(() => agent.abort())
      .then(() => tools.shell.dispose());
    ended.catch((error: unknown) => console.error(`A session within an extension did not end well: ${messageOf(error)}`));
    this.#listeners.clear();
  }

  async #queue(kind: 'steering' | 'followUp', text: string, images: readonly PromptImage[] = []): Promise<void> {
    this.#mustLive();
    if (this.#commandIn(text)) {
      const message = 'A command of an extension can not be queued; send it with prompt()';
      throw new CodedError(CODING_AGENT_ERRORS.BAD_ARGUMENT, message, { data: { text } });
    }
    this.#parts.agent.queue(kind, userMessage(await expandSlash(this.#parts.loader, text), images));
  }

  #commandIn(text: string): { run: () => unknown } | undefined {
    const match = /^\/(\S+)(?:\s([\s\S]*))?$/.exec(text);
    const command = match?.[1] === undefined ? undefined : this.#parts.extensions.commands.get(match[1]);
    return command && { run: () => command.handler(match?.[2] ?? '', this.#parts.extensions.context()) };
  }

  async #ranCommand(text: string): Promise<boolean> {
    const command = this.#commandIn(text);
    if (command) await command.run();
    return command !== undefined;
  }

  #emit(event: AgentEvent): void | Promise<void> {
    const translated = this.#parts.events.translate(event);
    if (!translated) return;
    for (const listener of [...this.#listeners]) {
      try {
        listener(translated);
      } catch (error) {
        console.error(`A listener of a session within an extension failed: ${messageOf(error)}`);
      }
    }
    return this.#parts.extensions.tell(translated);
  }

  #mustLive(): void {
    if (this.#disposed) throw new CodedError(CODING_AGENT_ERRORS.DISPOSED, 'This session was disposed');
  }
}
