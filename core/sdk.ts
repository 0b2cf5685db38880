/**
 * The library: an agent in your own process. Hosts that want the agent apart from themselves start `pi --mode rpc` instead.
 */
import path from 'node:path';
import { type App, compose } from './app/compose.js';
import { InProcessCommands } from './app/in-process-commands.js';
import { VERSION } from './app/version.js';
import { messageOf } from './base/coded-error.js';
import { createLogger } from './base/logger.js';
import { addSecret, addSecretSource } from './base/secrets.js';
import { type CommandMethods, commandMethods } from './client/commands.js';
import { type DialogHandlers, isDialog, OpenDialogs } from './client/dialogs.js';
import type { Notice } from './client/rpc-client.js';
import { parseArguments } from './modes/cli/parse-arguments.js';
import type { ImageContent } from './protocol/content.js';
import type { AgentEvent } from './protocol/events.js';
import type { AgentMessage } from './protocol/messages.js';
import type { Model, ThinkingLevel } from './protocol/model.js';
import type { Tool } from './protocol/tool.js';
import type { UiRequest } from './protocol/ui.js';

import { storedSecrets } from './providers/stored-secrets.js';
import { agentDir } from './resources/agent-dir.js';
import { bundledFolder } from './resources/bundled-folder.js';

export { CodedError, isCoded } from './base/coded-error.js';
export {
  CLIENT_ERRORS,
  type CommandMethods,
  type DialogHandlers,
  type DialogRequest,
  type Notice,
  type RequestOptions,
  type Resumed,
  RpcClient,
  type RpcClientOptions,
} from './client/index.js';
export type { SessionStats } from './protocol/commands/session.js';
export type { ImageContent, TextContent, ThinkingContent, ToolCall } from './protocol/content.js';
export type { AgentEvent, AgentEventType, AssistantMessageEvent, EventOf } from './protocol/events.js';
export type { AgentMessage, AssistantMessage, ToolResultMessage, UserMessage } from './protocol/messages.js';
export type { Model, ThinkingLevel } from './protocol/model.js';
export type { JsonSchema, Tool, ToolCallContext, ToolResult } from './protocol/tool.js';

export interface AgentSessionOptions {
  /** Where the agent works; default: the current directory. */
  cwd?: string;
  /** Keys, proxies and `PI_*` variables; default: this process's environment. */
  env?: NodeJS.ProcessEnv;
  provider?: string;
  /** A model id or pattern, as `--model` takes it. */
  model?: string;
  thinkingLevel?: ThinkingLevel;
  apiKey?: string;
  /** A session file to go on with; it may not exist yet. Without it, and without `sessionDir`, nothing is kept on disk. */
  session?: string;
  /** Directory for a new session's file. */
  sessionDir?: string;
  /** Names of the tools to offer, `customTools` among them; default: read, bash, edit, write and every custom one. An empty list offers none. */
  tools?: readonly string[];
  /** Tools of your own, which run in this process. */
  customTools?: readonly Tool[];
  /** Extensions beside those that are found, as `-e` takes them; false loads none at all. They run in processes of their own. */
  extensions?: readonly string[] | false;
  /** Answers to what extensions ask. Without any, dialogs get their default at once. */
  dialogs?: DialogHandlers;
  /** Told of what extensions show. */
  onNotice?: (notice: Notice) => void;
  systemPrompt?: string;
  appendSystemPrompt?: readonly string[];
  /** Called with one line for each thing that was tolerated; default: stderr. */
  onWarning?: (text: string) => void;
}

export interface PromptOptions {
  images?: readonly ImageContent[];
  /** What to do while a run is on; without it such a prompt is refused with `AGENT_BUSY`. */
  whileRunning?: 'steer' | 'followUp';
}

/** One conversation. The caller disposes it. */
export interface AgentSession {
  /** A method for each command of the protocol: sessions, models, compaction, tree, tools, extensions and the rest. They reject with coded errors. */
  readonly commands: CommandMethods;
  readonly id: string;
  readonly file: string | undefined;
  readonly model: Model | undefined;
  readonly thinkingLevel: ThinkingLevel;
  readonly isRunning: boolean;
  /** The current branch, as the model sees it. */
  readonly messages: readonly AgentMessage[];
  readonly lastAssistantText: string | null;
  /** Every event, in order, as rpc mode sends them. Returns the way to stop listening. */
  subscribe(listener: (event: AgentEvent) => void): () => void;
  /** Resolves when the run has settled (at once when the message was queued, or an extension took it). Throws what rpc's `prompt` is refused with. */
  prompt(text: string, options?: PromptOptions): Promise<void>;
  /** Said before the next call of the model, while a run is on. */
  steer(text: string, images?: readonly ImageContent[]): Promise<void>;
  /** Said when the run would end. */
  followUp(text: string, images?: readonly ImageContent[]): Promise<void>;
  /** Stops the run; resolves when all is quiet. */
  abort(): Promise<void>;
  /** Throws `MODEL_NOT_FOUND` when there is no such model with credentials. */
  setModel(provider: string, id: string): Promise<Model>;
  setThinkingLevel(level: ThinkingLevel): void;
  availableModels(): Promise<readonly Model[]>;
  /** Stops the run and every child, and closes the session file. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What extensions get to say goodbye, in milliseconds. */
const GOODBYE_MS = 1_200;

/** Opens a conversation. Throws coded errors for a model or session that can't be used. */
export async function createAgentSession(options: AgentSessionOptions = {}): Promise<AgentSession> {
  const env = options.env ?? process.env;
  const cwd = options.cwd ?? process.cwd();
  addSecret(options.apiKey);
  const forgetSecrets = addSecretSource(storedSecrets(env, agentDir(env, cwd)));
  const listeners = new Set<(event: AgentEvent) => void>();
  const onWarning = options.onWarning ?? ((text: string) => void process.stderr.write(`pi: ${text}\n`));
  const emit = (event: AgentEvent): void => {
    for (const listener of [...listeners]) listener(event);
  };
  const dialogs = new OpenDialogs(
    options.dialogs ?? {},
    (response) => app.extensions.answerDialog(response),
    (error) => onWarning(`a dialog's handler failed: ${messageOf(error)}`),
  );
  const app: App = await compose({
    options: toCommandLine(options),
    env,
    cwd,
    unknown: [],
    // Somebody can be asked where somebody answers.
    mode: options.dialogs || options.onNotice ? 'rpc' : 'print',
    version: VERSION,
    cliPath: path.join(bundledFolder(), 'dist', 'cli.js'),
    shutdown: () => undefined,
    emit,
    sendUi: (record) => {
      if (record.type === 'extension_ui_cancel') dialogs.withdraw(record.id);
      else {
        const request = record as unknown as UiRequest; // the extension host checked the fields of each method
        if (isDialog(request)) void dialogs.ask(request);
        else options.onNotice?.(request);
      }
    },
    tools: options.customTools ?? [],
    log: createLogger({ room: 'sdk', level: 'warn', write: (line) => onWarning(line.trimEnd()) }),
    warn: onWarning,
  });
  return new ComposedSession(app, listeners, emit, forgetSecrets);
}

/** The library says the same things as the command line; there is one meaning for both. */
function toCommandLine(options: AgentSessionOptions): Parameters<typeof compose>[0]['options'] {
  const empty = parseArguments([]);
  if (!empty.ok) throw new Error(empty.error.message);
  return {
    ...empty.options,
    provider: options.provider,
    model: options.model,
    thinking: options.thinkingLevel,
    apiKey: options.apiKey,
    session: options.session,
    sessionDir: options.sessionDir,
    noSession: options.session === undefined && options.sessionDir === undefined,
    tools: options.tools,
    extension: options.extensions === false ? [] : [...(options.extensions ?? [])],
    noExtensions: options.extensions === false,
    noDialogs: options.dialogs === undefined,
    systemPrompt: options.systemPrompt,
    appendSystemPrompt: options.appendSystemPrompt,
  };
}

class ComposedSession implements AgentSession {
  readonly commands: CommandMethods;
  readonly #app: App;
  readonly #listeners: Set<(event: AgentEvent) => void>;
  readonly #onDisposed: () => void;

  constructor(app: App, listeners: Set<(event: AgentEvent) => void>, emit: (event: AgentEvent) => void, onDisposed: () => void) {
    this.#app = app;
    this.#listeners = listeners;
    this.#onDisposed = onDisposed;
    const commands = new InProcessCommands(app, VERSION, emit);
    this.commands = commandMethods((name, params) => commands.request(name, params));
  }

  get id(): string {
    return this.#app.session.id;
  }

  get file(): string | undefined {
    return this.#app.session.file;
  }

  get model(): Model | undefined {
    return this.#app.models.model;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#app.models.thinkingLevel;
  }

  get isRunning(): boolean {
    return this.#app.agent.isRunning;
  }

  get messages(): readonly AgentMessage[] {
    return [...this.#app.session.messages()];
  }

  get lastAssistantText(): string | null {
    return this.#app.session.lastAssistantText();
  }

  subscribe(listener: (event: AgentEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async prompt(text: string, { images, whileRunning }: PromptOptions = {}): Promise<void> {
    const { disposition } = await this.commands.prompt({
      message: text,
      ...(images && { images: [...images] }),
      ...(whileRunning && { streamingBehavior: whileRunning }),
    });
    if (disposition === 'started') await this.#app.agent.whenIdle();
  }

  async steer(text: string, images?: readonly ImageContent[]): Promise<void> {
    await this.commands.steer({ message: text, ...(images && { images: [...images] }) });
  }

  async followUp(text: string, images?: readonly ImageContent[]): Promise<void> {
    await this.commands.followUp({ message: text, ...(images && { images: [...images] }) });
  }

  async abort(): Promise<void> {
    await this.commands.abort();
  }

  setModel(provider: string, id: string): Promise<Model> {
    return this.#app.models.set(provider, id);
  }

  setThinkingLevel(level: ThinkingLevel): void {
    this.#app.models.setLevel(level);
  }

  availableModels(): Promise<readonly Model[]> {
    return this.#app.source.available();
  }

  async dispose(): Promise<void> {
    this.#app.agent.queues.clear();
    await this.#app.agent.abort();
    await this.#app.extensions.close('quit', GOODBYE_MS);
    await this.#app.dispose();
    this.#listeners.clear();
    this.#onDisposed();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}
