/**
 * The API that extensions are written against: all a stranger may import from this program. Names and shapes are those of the existing
 * program's extension API. Source: its documents "Extensions", "RPC mode" (extension UI protocol), "Custom providers", "Session format".
 */

import type { ImageContent, TextContent } from '../../protocol/content.js';
import type { SessionEntry, SessionHeader } from '../../protocol/entries.js';
import type { AssistantMessageEvent } from '../../protocol/events.js';
import type { AgentMessage, AssistantMessage, CustomMessage, ToolResultMessage } from '../../protocol/messages.js';
import type { Model, ThinkingLevel } from '../../protocol/model.js';
import type { Usage } from '../../protocol/usage.js';
import type { CommandState, PromptState, SourceInfo, ToolState } from './state-values.js';

export type {
  AgentMessage,
  AssistantMessage,
  CustomMessage,
  ImageContent,
  Model,
  SessionEntry,
  TextContent,
  ThinkingLevel,
  Usage,
};

/** What an extension file exports by default. */
export type ExtensionFactory = (pi: ExtensionAPI) => void | Promise<void>;

// biome-ignore lint/suspicious/noConfusingVoidType: handlers that return nothing are functions that return void
type Answer<R> = R | void | undefined | Promise<R | void | undefined>;
/** Listens to an event, or has a say in it where its answer matters. */
export type EventHandler<E = unknown, R = unknown> = (event: E, ctx: ExtensionContext) => Answer<R>;

interface Event<T extends string> {
  type: T;
}
interface ToolCallRef {
  toolCallId: string;
  toolName: string;
}
type SessionReason = 'startup' | 'new' | 'resume' | 'fork' | 'reload';

export interface ToolCallEvent extends Event<'tool_call'>, ToolCallRef {
  /** May be changed in place: later handlers and the tool see the change. */
  input: Record<string, unknown>;
}
export interface ToolResultEvent extends Event<'tool_result'>, ToolCallRef {
  input: Record<string, unknown>;
  content: (TextContent | ImageContent)[];
  details?: unknown;
  isError: boolean;
  usage?: Usage;
}
export interface InputEvent extends Event<'input'> {
  /** Before `/skill:name` and templates are replaced. */
  text: string;
  images?: ImageContent[];
  source: 'rpc' | 'extension' | 'interactive';
  streamingBehavior?: 'steer' | 'followUp';
}
export interface BeforeAgentStartEvent extends Event<'before_agent_start'> {
  prompt: string;
  images?: ImageContent[];
  /** As changed by the handlers before this one. */
  systemPrompt: string;
  systemPromptOptions: PromptState['options'];
}

/** Event -> what it carries, what a handler may answer. Events that are not listed are accepted, and never fire. */
export interface EventTable {
  project_trust: [Event<'project_trust'> & { cwd: string }, { trusted: 'yes' | 'no' | 'undecided'; remember?: boolean }];
  session_start: [Event<'session_start'> & { reason: SessionReason; previousSessionFile?: string }, never];
  resources_discover: [
    Event<'resources_discover'> & { cwd: string; reason: 'startup' | 'reload' },
    { skillPaths?: string[]; promptPaths?: string[]; themePaths?: string[] },
  ];
  session_before_switch: [
    Event<'session_before_switch'> & { reason: 'new' | 'resume'; targetSessionFile?: string },
    { cancel?: boolean },
  ];
  session_before_fork: [Event<'session_before_fork'> & { entryId: string; position: 'before' | 'at' }, { cancel?: boolean }];
  session_shutdown: [
    Event<'session_shutdown'> & { reason: 'quit' | 'reload' | 'new' | 'resume' | 'fork'; targetSessionFile?: string },
    never,
  ];
  session_info_changed: [Event<'session_info_changed'> & { name: string | undefined }, never];
  session_before_compact: [
    Event<'session_before_compact'> & {
      preparation: Record<string, unknown>;
      branchEntries: SessionEntry[];
      customInstructions?: string;
      reason: 'manual' | 'threshold' | 'overflow';
      willRetry: boolean;
      signal: AbortSignal;
    },
    {
      cancel?: boolean;
      compaction?: { summary: string; firstKeptEntryId: string; tokensBefore: number; details?: unknown; usage?: Usage };
    },
  ];
  session_compact: [
    Event<'session_compact'> & { compactionEntry: SessionEntry; fromExtension: boolean; reason: string; willRetry: boolean },
    never,
  ];
  session_before_tree: [
    Event<'session_before_tree'> & { preparation: Record<string, unknown>; signal: AbortSignal },
    { cancel?: boolean; summary?: { summary: string; details?: unknown; usage?: Usage } },
  ];
  session_tree: [
    Event<'session_tree'> & {
      newLeafId: string | null;
      oldLeafId: string | null;
      summaryEntry?: SessionEntry;
      fromExtension?: boolean;
    },
    never,
  ];
  input: [
    InputEvent,
    { action: 'continue' } | { action: 'transform'; text?: string; images?: ImageContent[] } | { action: 'handled' },
  ];
  before_agent_start: [BeforeAgentStartEvent, { message?: NewMessage; systemPrompt?: string }];
  agent_start: [Event<'agent_start'>, never];
  agent_end: [Event<'agent_end'> & { messages: AgentMessage[] }, never];
  agent_settled: [Event<'agent_settled'>, never];
  turn_start: [Event<'turn_start'> & { turnIndex: number; timestamp: number }, never];
  turn_end: [Event<'turn_end'> & { turnIndex: number; message: AgentMessage; toolResults: ToolResultMessage[] }, never];
  message_start: [Event<'message_start'> & { message: AgentMessage }, never];
  message_update: [Event<'message_update'> & { message: AssistantMessage; assistantMessageEvent: AssistantMessageEvent }, never];
  message_end: [Event<'message_end'> & { message: AgentMessage }, { message: AgentMessage }];
  context: [Event<'context'> & { messages: AgentMessage[] }, { messages: AgentMessage[] }];
  before_provider_headers: [Event<'before_provider_headers'> & { headers: Record<string, string | null> }, never];
  before_provider_request: [Event<'before_provider_request'> & { payload: unknown }, unknown];
  after_provider_response: [Event<'after_provider_response'> & { status: number; headers: Record<string, string> }, never];
  tool_execution_start: [Event<'tool_execution_start'> & ToolCallRef & { args: unknown }, never];
  tool_execution_update: [Event<'tool_execution_update'> & ToolCallRef & { args: unknown; partialResult: unknown }, never];
  tool_execution_end: [Event<'tool_execution_end'> & ToolCallRef & { result: unknown; isError: boolean }, never];
  tool_call: [ToolCallEvent, { block?: boolean; reason?: string }];
  tool_result: [ToolResultEvent, Partial<Pick<ToolResultEvent, 'content' | 'details' | 'isError' | 'usage'>>];
  user_bash: [
    Event<'user_bash'> & { command: string; excludeFromContext: boolean; cwd: string },
    { result?: Record<string, unknown>; operations?: BashOperations },
  ];
  model_select: [Event<'model_select'> & { model: Model; previousModel?: Model; source: 'set' | 'cycle' | 'restore' }, never];
  thinking_level_select: [Event<'thinking_level_select'> & { level: ThinkingLevel; previousLevel: ThinkingLevel }, never];
}

/** Runs shell commands somewhere else. */
export interface BashOperations {
  exec(
    command: string,
    cwd: string,
    options: { onData: (data: Buffer | string) => void; signal?: AbortSignal; timeout?: number; env?: NodeJS.ProcessEnv },
  ): Promise<{ exitCode: number | null }>;
}

export interface ExtensionToolResult {
  content: (TextContent | ImageContent)[];
  /** For programs and people; never sent to the model. What JSON can't hold of it is lost. */
  details?: unknown;
  usage?: Usage;
  isError?: boolean;
  /** Ends the run after this batch, when every call of the batch asks for it. */
  terminate?: boolean;
}

export interface ExtensionTool {
  name: string;
  label?: string;
  description: string;
  /** A JSON Schema, made with `Type` of typebox or by hand. */
  parameters: object;
  promptSnippet?: string;
  promptGuidelines?: string[];
  executionMode?: 'parallel' | 'sequential';
  /** Repairs the model's raw arguments before they are validated. */
  prepareArguments?(args: unknown): unknown;
  execute(
    toolCallId: string,
    // Typed by the schema where `defineTool` is used.
    params: never,
    signal: AbortSignal,
    onUpdate: (partial: ExtensionToolResult) => void,
    ctx: ExtensionContext,
  ): ExtensionToolResult | Promise<ExtensionToolResult>;
  /** Components of a terminal; here they are used by the HTML export. */
  renderCall?(...args: never[]): unknown;
  renderResult?(...args: never[]): unknown;
}

export interface CommandOptions {
  description?: string;
  /** `args`: everything after the first blank, or ''. */
  handler(args: string, ctx: CommandContext): unknown;
  /** For a terminal. */
  getArgumentCompletions?(prefix: string): unknown;
}

export interface FlagOptions {
  type: 'boolean' | 'string';
  description?: string;
  default?: boolean | string;
}

export interface ProviderConfig {
  name?: string;
  baseUrl?: string;
  apiKey?: string;
  api?: string;
  headers?: Record<string, string>;
  authHeader?: boolean;
  models?: (Partial<Model> & { id: string })[];
  /** Speaks to the models itself. Gives an async iterable of steps that ends with `done` or `error`. */
  streamSimple?(model: Model, context: unknown, options?: Record<string, unknown>): unknown;
  /** Asked when models are refreshed: gives the models there are now. */
  refreshModels?(context: { signal: AbortSignal }): unknown;
  oauth?: unknown;
  [member: string]: unknown;
}

export interface NewMessage {
  customType: string;
  content: string | (TextContent | ImageContent)[];
  display?: boolean;
  details?: unknown;
}

export interface ExecResult {
  stdout: string;
  stderr: string;
  code: number;
  killed: boolean;
}

/** Between extensions. `on` gives the function that ends listening. */
export interface EventBusApi {
  on(channel: string, listener: (data: unknown) => void): () => void;
  emit(channel: string, data?: unknown): void;
}

export interface ExtensionAPI {
  /** Listens, or decides where the event is a hook. Gives a function that ends it. Unknown names are accepted. */
  on<N extends keyof EventTable>(event: N, handler: EventHandler<EventTable[N][0], EventTable[N][1]>): () => void;
  on(event: string, handler: EventHandler): () => void;
  registerTool(tool: ExtensionTool): void;
  registerCommand(name: string, options: CommandOptions): void;
  registerFlag(name: string, options: FlagOptions): void;
  /** Of this extension's own flags. */
  getFlag(name: string): boolean | string | undefined;
  registerShortcut(shortcut: string, options: unknown): void;
  registerMessageRenderer(customType: string, renderer: unknown): void;
  registerEntryRenderer(customType: string, renderer: unknown): void;
  registerMarkdownTransformer(...args: unknown[]): void;
  registerProvider(name: string, config: ProviderConfig): void;
  registerProvider(provider: object): void;
  unregisterProvider(name: string): void;
  sendMessage(message: NewMessage, options?: { triggerTurn?: boolean; deliverAs?: 'steer' | 'followUp' | 'nextTurn' }): void;
  sendUserMessage(content: string | (TextContent | ImageContent)[], options?: { deliverAs?: 'steer' | 'followUp' }): void;
  /** Keeps data in the session, which the model does not see. */
  appendEntry(customType: string, data?: unknown): void;
  setLabel(entryId: string, label: string | undefined): void;
  setSessionName(name: string): void;
  getSessionName(): string | undefined;
  setModel(model: Model): Promise<boolean>;
  setThinkingLevel(level: ThinkingLevel): void;
  getThinkingLevel(): ThinkingLevel;
  exec(command: string, args?: string[], options?: { cwd?: string; timeout?: number; signal?: AbortSignal }): Promise<ExecResult>;
  getActiveTools(): string[];
  setActiveTools(names: string[]): void;
  getAllTools(): ToolState[];
  getCommands(): CommandState[];
  readonly events: EventBusApi;
}

export interface DialogOptions {
  /** Milliseconds after which the dialog answers as if it was dismissed. */
  timeout?: number;
  signal?: AbortSignal;
}

/** In RPC mode dialogs and notices go to the client; in JSON and print mode nobody is there, and dialogs answer at once. */
export interface ExtensionUI {
  select(title: string, options: string[], dialog?: DialogOptions): Promise<string | undefined>;
  confirm(title: string, message: string, dialog?: DialogOptions): Promise<boolean>;
  input(title: string, placeholder?: string, dialog?: DialogOptions): Promise<string | undefined>;
  editor(title: string, prefill?: string): Promise<string | undefined>;
  notify(message: string, level?: 'info' | 'warning' | 'error'): void;
  setStatus(key: string, text: string | undefined): void;
  /** Lines are sent; a component factory needs a terminal and does nothing here. */
  setWidget(key: string, content: string[] | undefined | unknown, options?: { placement?: 'aboveEditor' | 'belowEditor' }): void;
  setTitle(title: string): void;
  setEditorText(text: string): void;
  pasteToEditor(text: string): void;
  /** Needs a terminal: answers undefined here. */
  custom(...args: unknown[]): Promise<undefined>;
  getEditorText(): string;
  getEditorComponent(): undefined;
  getToolsExpanded(): boolean;
  getAllThemes(): { name: string; path?: string }[];
  getTheme(name: string): undefined;
  setTheme(theme: unknown): { success: boolean; error?: string };
  readonly theme: ThemeApi;
  onTerminalInput(handler: unknown): () => void;
  setFooter(factory: unknown): void;
  setHeader(factory: unknown): void;
  setEditorComponent(factory: unknown): void;
  addAutocompleteProvider(factory: unknown): void;
  setWorkingMessage(message?: string): void;
  setWorkingVisible(visible: boolean): void;
  setWorkingIndicator(options?: unknown): void;
  setHiddenThinkingLabel(label?: string): void;
  setToolsExpanded(expanded: boolean): void;
}

/** Strings with the colours of a theme, as ANSI codes. */
export interface ThemeApi {
  readonly name?: string | undefined;
  fg(color: string, text: string): string;
  bg(color: string, text: string): string;
  bold(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  inverse(text: string): string;
  strikethrough(text: string): string;
}

export interface ReadonlySessionManager {
  /** Every entry, oldest first, up to and including what the event being handled announced and what oneself has done. */
  getEntries(): SessionEntry[];
  getEntry(id: string): SessionEntry | undefined;
  getLeafId(): string | null;
  getLeafEntry(): SessionEntry | undefined;
  getBranch(fromId?: string): SessionEntry[];
  getChildren(parentId: string): SessionEntry[];
  getTree(): unknown[];
  getLabel(id: string): string | undefined;
  getHeader(): SessionHeader | null;
  getSessionId(): string;
  getSessionFile(): string | undefined;
  getSessionDir(): string;
  getSessionName(): string | undefined;
  getCwd(): string;
  isPersisted(): boolean;
  buildContextEntries(): SessionEntry[];
  buildSessionContext(): { messages: AgentMessage[]; thinkingLevel: string; model: unknown };
}

export interface ModelRegistryApi {
  find(provider: string, id: string): Model | undefined;
  getAll(): Model[];
  getAvailable(): Model[];
  getError(): string | undefined;
  getProvider(id: string): unknown;
  getProviderDisplayName(id: string): string;
  getProviderAuthStatus(id: string): { configured: boolean; source?: string; label?: string };
  getRegisteredProviderIds(): string[];
  getRegisteredProviderConfig(id: string): ProviderConfig | undefined;
  hasConfiguredAuth(model: Model): boolean;
  isUsingOAuth(model: Model): boolean;
  getApiKeyForProvider(provider: string): Promise<string | undefined>;
  getApiKeyAndHeaders(
    model: Model,
  ): Promise<{ ok: true; apiKey?: string; headers?: Record<string, string> } | { ok: false; error: string }>;
  getProviderAuth(provider: string): Promise<unknown>;
  /** `complete` of the package pi-ai: asks a model with the credentials it is used with here, and gives the whole answer. */
  complete(model: Model, context: object, options?: object): Promise<AssistantMessage>;
  refresh(): Promise<void>;
}

export interface ContextUsage {
  /** Null when it is not known, as right after a compaction. */
  tokens: number | null;
  contextWindow: number;
  percent: number | null;
}

/** Everything is live: a member gives what holds when it is read. After a reload or a change of session an old one throws. */
export interface ExtensionContext {
  readonly ui: ExtensionUI;
  readonly mode: 'rpc' | 'json' | 'print';
  /** Somebody can answer dialogs. */
  readonly hasUI: boolean;
  readonly cwd: string;
  readonly sessionManager: ReadonlySessionManager;
  readonly modelRegistry: ModelRegistryApi;
  readonly model: Model | undefined;
  readonly thinkingLevel: ThinkingLevel;
  readonly scopedModels: readonly { model: Model; thinkingLevel?: ThinkingLevel }[];
  /** Of the run that is on; undefined when none is. */
  readonly signal: AbortSignal | undefined;
  isIdle(): boolean;
  hasPendingMessages(): boolean;
  abort(): void;
  shutdown(): void;
  compact(options?: {
    customInstructions?: string;
    onComplete?: (result: unknown) => void;
    onError?: (error: Error) => void;
  }): void;
  getContextUsage(): ContextUsage | undefined;
  getSystemPrompt(): string;
  getSystemPromptOptions(): PromptState['options'];
  isProjectTrusted(): boolean;
}

/** What a new session's first handler gets: the context of the fresh instance, which may say the first word. */
export interface FreshContext extends CommandContext {
  sendMessage(message: NewMessage, options?: Record<string, unknown>): Promise<void>;
  sendUserMessage(content: string | (TextContent | ImageContent)[], options?: Record<string, unknown>): Promise<void>;
}

interface ReplaceOptions {
  withSession?: (ctx: FreshContext) => unknown;
}

/** Commands may also leave the session they run in. */
export interface CommandContext extends ExtensionContext {
  waitForIdle(): Promise<void>;
  newSession(
    options?: { parentSession?: string; setup?: (session: unknown) => unknown } & ReplaceOptions,
  ): Promise<{ cancelled: boolean }>;
  fork(entryId: string, options?: { position?: 'before' | 'at' } & ReplaceOptions): Promise<{ cancelled: boolean }>;
  switchSession(path: string, options?: ReplaceOptions): Promise<{ cancelled: boolean }>;
  navigateTree(
    entryId: string,
    options?: { summarize?: boolean; customInstructions?: string; replaceInstructions?: boolean; label?: string },
  ): Promise<{ cancelled: boolean }>;
  reload(): Promise<void>;
}

export type { CommandState, SourceInfo, ToolState };
