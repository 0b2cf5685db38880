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

/** What the factory of an extension gets. */
export interface ExtensionAPI {
  /** Listens, or decides where the event is a hook. Gives a function that ends it. Unknown names are accepted. */
  on<N extends keyof EventTable>(event: N, handler: EventHandler<EventTable[N][0], EventTable[N][1]>): () => void;
  on(event: string, handler: EventHandler): () => void;
  /** A tool for the model. Used again under the same name it replaces the former one. */
  registerTool(tool: ExtensionTool): void;
  /** `/name` for the person who types. Several of one name are told apart as `/name:1`, `/name:2`. */
  registerCommand(name: string, options: CommandOptions): void;
  /** An option of the command line: `--name` or `--name=value`. Register flags in the factory: later is too late. */
  registerFlag(name: string, options: FlagOptions): void;
  /** Of this extension's own flags. */
  getFlag(name: string): boolean | string | undefined;
  /** For a terminal: accepted, without effect. */
  registerShortcut(shortcut: string, options: unknown): void;
  /** For a terminal: accepted, without effect. */
  registerMessageRenderer(customType: string, renderer: unknown): void;
  /** For a terminal: accepted, without effect. */
  registerEntryRenderer(customType: string, renderer: unknown): void;
  /** For a terminal: accepted, without effect. */
  registerMarkdownTransformer(...args: unknown[]): void;
  /** Models: of a service that speaks a known API, or of your own code (`streamSimple`). Throws when the configuration can't be used. */
  registerProvider(name: string, config: ProviderConfig): void;
  /** The same in the other form, as an object with a name. */
  registerProvider(provider: object): void;
  /** Takes back what this extension registered, and gives the name back to whom it belonged. */
  unregisterProvider(name: string): void;
  /** Puts a message of yours into the conversation, which the model sees; `triggerTurn` lets it answer. */
  sendMessage(message: NewMessage, options?: { triggerTurn?: boolean; deliverAs?: 'steer' | 'followUp' | 'nextTurn' }): void;
  /** Says something as if the user had said it. Throws while the agent works, unless `deliverAs` says when. */
  sendUserMessage(content: string | (TextContent | ImageContent)[], options?: { deliverAs?: 'steer' | 'followUp' }): void;
  /** Keeps data in the session, which the model does not see. */
  appendEntry(customType: string, data?: unknown): void;
  /** Marks an entry; `undefined` takes the mark away. */
  setLabel(entryId: string, label: string | undefined): void;
  /** The display name of the session. */
  setSessionName(name: string): void;
  /** Undefined while the session has none. */
  getSessionName(): string | undefined;
  /** False, and nothing changed, where there are no credentials for it. */
  setModel(model: Model): Promise<boolean>;
  /** Lowered to what the model can. */
  setThinkingLevel(level: ThinkingLevel): void;
  /** Of the model in use. */
  getThinkingLevel(): ThinkingLevel;
  /** Runs a program without a shell. Never rejects: one that is not there gives code 1. */
  exec(command: string, args?: string[], options?: { cwd?: string; timeout?: number; signal?: AbortSignal }): Promise<ExecResult>;
  /** Names of the tools that the model is offered. */
  getActiveTools(): string[];
  /** Offers these and no others; names that nobody knows are left out. */
  setActiveTools(names: string[]): void;
  /** All there are, offered or not. */
  getAllTools(): ToolState[];
  /** What can be typed after `/`: of extensions, templates, skills. */
  getCommands(): CommandState[];
  /** Between extensions. */
  readonly events: EventBusApi;
}

export interface DialogOptions {
  /** Milliseconds after which the dialog answers as if it was dismissed. */
  timeout?: number;
  signal?: AbortSignal;
}

/** In RPC mode dialogs and notices go to the client; in JSON and print mode nobody is there, and dialogs answer at once. */
export interface ExtensionUI {
  /**
   * A choice among texts.
   * @rpc a dialog: the text chosen, or undefined
   * @headless undefined
   */
  select(title: string, options: string[], dialog?: DialogOptions): Promise<string | undefined>;
  /**
   * A question of yes or no.
   * @rpc a dialog: true, or false
   * @headless false
   */
  confirm(title: string, message: string, dialog?: DialogOptions): Promise<boolean>;
  /**
   * A line of text.
   * @rpc a dialog: the text, or undefined
   * @headless undefined
   */
  input(title: string, placeholder?: string, dialog?: DialogOptions): Promise<string | undefined>;
  /**
   * A text of many lines.
   * @rpc a dialog: the text, or undefined
   * @headless undefined
   */
  editor(title: string, prefill?: string): Promise<string | undefined>;
  /**
   * A short message.
   * @rpc sent to the client
   * @headless nothing
   */
  notify(message: string, level?: 'info' | 'warning' | 'error'): void;
  /**
   * A line of status under a key; undefined takes it away.
   * @rpc sent to the client
   * @headless nothing
   */
  setStatus(key: string, text: string | undefined): void;
  /**
   * Lines beside the editor under a key; undefined takes them away. A component factory needs a terminal.
   * @rpc lines are sent to the client
   * @headless nothing
   */
  setWidget(key: string, content: string[] | undefined | unknown, options?: { placement?: 'aboveEditor' | 'belowEditor' }): void;
  /**
   * The title of the client's window.
   * @rpc sent to the client
   * @headless nothing
   */
  setTitle(title: string): void;
  /**
   * Replaces what stands in the client's editor.
   * @rpc sent to the client as `set_editor_text`
   * @headless nothing
   */
  setEditorText(text: string): void;
  /**
   * The same as `setEditorText`.
   * @rpc sent to the client as `set_editor_text`
   * @headless nothing
   */
  pasteToEditor(text: string): void;
  /**
   * A component of one's own; needs a terminal.
   * @rpc undefined
   * @headless undefined
   */
  custom(...args: unknown[]): Promise<undefined>;
  /**
   * What stands in the editor; the client's is not known here.
   * @rpc ""
   * @headless ""
   */
  getEditorText(): string;
  /**
   * Needs a terminal.
   * @rpc undefined
   * @headless undefined
   */
  getEditorComponent(): undefined;
  /**
   * Needs a terminal.
   * @rpc false
   * @headless false
   */
  getToolsExpanded(): boolean;
  /**
   * Needs a terminal.
   * @rpc []
   * @headless []
   */
  getAllThemes(): { name: string; path?: string }[];
  /**
   * Needs a terminal.
   * @rpc undefined
   * @headless undefined
   */
  getTheme(name: string): undefined;
  /**
   * Needs a terminal.
   * @rpc `{success: false, error}`
   * @headless the same
   */
  setTheme(theme: unknown): { success: boolean; error?: string };
  /** Colours as ANSI codes. */
  readonly theme: ThemeApi;
  /**
   * Needs a terminal.
   * @rpc nothing, told once on stderr
   * @headless the same
   */
  onTerminalInput(handler: unknown): () => void;
  /**
   * Needs a terminal.
   * @rpc nothing, told once on stderr
   * @headless the same
   */
  setFooter(factory: unknown): void;
  /**
   * Needs a terminal.
   * @rpc nothing, told once on stderr
   * @headless the same
   */
  setHeader(factory: unknown): void;
  /**
   * Needs a terminal.
   * @rpc nothing, told once on stderr
   * @headless the same
   */
  setEditorComponent(factory: unknown): void;
  /**
   * Needs a terminal.
   * @rpc nothing, told once on stderr
   * @headless the same
   */
  addAutocompleteProvider(factory: unknown): void;
  /**
   * Needs a terminal.
   * @rpc nothing, told once on stderr
   * @headless the same
   */
  setWorkingMessage(message?: string): void;
  /**
   * Needs a terminal.
   * @rpc nothing, told once on stderr
   * @headless the same
   */
  setWorkingVisible(visible: boolean): void;
  /**
   * Needs a terminal.
   * @rpc nothing, told once on stderr
   * @headless the same
   */
  setWorkingIndicator(options?: unknown): void;
  /**
   * Needs a terminal.
   * @rpc nothing, told once on stderr
   * @headless the same
   */
  setHiddenThinkingLabel(label?: string): void;
  /**
   * Needs a terminal.
   * @rpc nothing, told once on stderr
   * @headless the same
   */
  setToolsExpanded(expanded: boolean): void;
}

/** Strings with the colours of a theme, as ANSI codes. */
export interface ThemeApi {
  /** Undefined: there is no terminal. */
  readonly name?: string | undefined;
  /** Text in a colour of the theme. */
  fg(color: string, text: string): string;
  /** On a background of the theme. */
  bg(color: string, text: string): string;
  bold(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  inverse(text: string): string;
  strikethrough(text: string): string;
}

/** The session as it is, read without `await`. */
export interface ReadonlySessionManager {
  /** Every entry, oldest first, up to and including what the event being handled announced and what oneself has done. */
  getEntries(): SessionEntry[];
  /** Undefined when there is none of this id. */
  getEntry(id: string): SessionEntry | undefined;
  /** The entry that the next one follows; null in an empty session. */
  getLeafId(): string | null;
  /** That entry. */
  getLeafEntry(): SessionEntry | undefined;
  /** From the root to this entry, or to the leaf. */
  getBranch(fromId?: string): SessionEntry[];
  /** Entries that follow this one. */
  getChildren(parentId: string): SessionEntry[];
  /** Roots, each with `children`. */
  getTree(): unknown[];
  /** The mark of an entry. */
  getLabel(id: string): string | undefined;
  /** Null where nothing was kept yet. */
  getHeader(): SessionHeader | null;
  /** Of the session that is open. */
  getSessionId(): string;
  /** Undefined with `--no-session`. */
  getSessionFile(): string | undefined;
  /** Folder of session files. */
  getSessionDir(): string;
  /** Undefined while it has none. */
  getSessionName(): string | undefined;
  /** The folder the session belongs to. */
  getCwd(): string;
  /** Whether it is kept on disk. */
  isPersisted(): boolean;
  /** Entries of the branch that the model sees, compaction applied. */
  buildContextEntries(): SessionEntry[];
  /** What the model sees, as messages. */
  buildSessionContext(): { messages: AgentMessage[]; thinkingLevel: string; model: unknown };
}

/** Models, and what is needed to ask them. */
export interface ModelRegistryApi {
  /** Undefined when there is no such model. */
  find(provider: string, id: string): Model | undefined;
  /** Usable or not. */
  getAll(): Model[];
  /** Those with credentials. */
  getAvailable(): Model[];
  /** What is wrong with models.json. */
  getError(): string | undefined;
  /** What is known of a provider. */
  getProvider(id: string): unknown;
  /** For people. */
  getProviderDisplayName(id: string): string;
  /** Whether there are credentials, and where they come from; never the credentials. */
  getProviderAuthStatus(id: string): { configured: boolean; source?: string; label?: string };
  /** Of providers that extensions brought. */
  getRegisteredProviderIds(): string[];
  /** As it was registered by this extension. */
  getRegisteredProviderConfig(id: string): ProviderConfig | undefined;
  /** Whether it can be used. */
  hasConfiguredAuth(model: Model): boolean;
  /** Whether its credentials are a login. */
  isUsingOAuth(model: Model): boolean;
  /** The key itself. A restricted extension needs the capability `secrets:PROVIDER`. */
  getApiKeyForProvider(provider: string): Promise<string | undefined>;
  /** All that a request of one's own needs. A restricted extension needs the capability `secrets:PROVIDER`. */
  getApiKeyAndHeaders(
    model: Model,
  ): Promise<{ ok: true; apiKey?: string; headers?: Record<string, string> } | { ok: false; error: string }>;
  /** As `getApiKeyAndHeaders`, of a provider. */
  getProviderAuth(provider: string): Promise<unknown>;
  /** `complete` of the package pi-ai: asks a model with the credentials it is used with here, and gives the whole answer. */
  complete(model: Model, context: object, options?: object): Promise<AssistantMessage>;
  /** Reads models.json and asks providers anew. */
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
  /** The person in front of the client. */
  readonly ui: ExtensionUI;
  /**
   * How the program was started.
   * @rpc "rpc"
   * @headless "json" or "print"
   */
  readonly mode: 'rpc' | 'json' | 'print';
  /**
   * Somebody can answer dialogs.
   * @rpc true, unless `--no-dialogs` was given
   * @headless false
   */
  readonly hasUI: boolean;
  /** The folder the program works in. */
  readonly cwd: string;
  /** The session, read only. */
  readonly sessionManager: ReadonlySessionManager;
  /** Models and their credentials. */
  readonly modelRegistry: ModelRegistryApi;
  /** In use; undefined when none can be used. */
  readonly model: Model | undefined;
  /** In use. */
  readonly thinkingLevel: ThinkingLevel;
  /** Those of `--models` or the setting `enabledModels`. */
  readonly scopedModels: readonly { model: Model; thinkingLevel?: ThinkingLevel }[];
  /** Of the run that is on; undefined when none is. */
  readonly signal: AbortSignal | undefined;
  /** No run is on. */
  isIdle(): boolean;
  /** Something is queued. */
  hasPendingMessages(): boolean;
  /** Stops the run. */
  abort(): void;
  /** Ends the program when what runs is done. */
  shutdown(): void;
  /** Summarises the conversation. Begins, and does not wait. */
  compact(options?: {
    customInstructions?: string;
    onComplete?: (result: unknown) => void;
    onError?: (error: Error) => void;
  }): void;
  /** How full the model's context is. */
  getContextUsage(): ContextUsage | undefined;
  /** As it is sent now. */
  getSystemPrompt(): string;
  /** The parts it is made of. */
  getSystemPromptOptions(): PromptState['options'];
  /** Whether the project's files count. */
  isProjectTrusted(): boolean;
}

/** What a new session's first handler gets: the context of the fresh instance, which may say the first word. */
export interface FreshContext extends CommandContext {
  /** As `pi.sendMessage` of the fresh instance. */
  sendMessage(message: NewMessage, options?: Record<string, unknown>): Promise<void>;
  /** As `pi.sendUserMessage` of the fresh instance; resolves when it is delivered. */
  sendUserMessage(content: string | (TextContent | ImageContent)[], options?: Record<string, unknown>): Promise<void>;
}

interface ReplaceOptions {
  withSession?: (ctx: FreshContext) => unknown;
}

/** Commands may also leave the session they run in. */
export interface CommandContext extends ExtensionContext {
  /** Resolves when no run is on. */
  waitForIdle(): Promise<void>;
  /** Leaves for a new session. `setup` fills it; `withSession` gets the `ctx` of the fresh instance, as the old one is dead by then. */
  newSession(
    options?: { parentSession?: string; setup?: (session: unknown) => unknown } & ReplaceOptions,
  ): Promise<{ cancelled: boolean }>;
  /** Leaves for a new session that begins with this branch, before or at the entry. */
  fork(entryId: string, options?: { position?: 'before' | 'at' } & ReplaceOptions): Promise<{ cancelled: boolean }>;
  /** Leaves for a session file. */
  switchSession(path: string, options?: ReplaceOptions): Promise<{ cancelled: boolean }>;
  /** Moves to another entry of the same session. */
  navigateTree(
    entryId: string,
    options?: { summarize?: boolean; customInstructions?: string; replaceInstructions?: boolean; label?: string },
  ): Promise<{ cancelled: boolean }>;
  /** Fresh instances of every extension, from what is on disk now. */
  reload(): Promise<void>;
}

export type { CommandState, SourceInfo, ToolState };
