import type { ExtensionInfo, ToolInfo } from '../protocol/commands/extensions.js';
import type { SlashCommand } from '../protocol/commands/resources.js';
import type { ImageContent } from '../protocol/content.js';
import type { SessionEntry } from '../protocol/entries.js';
import type { AgentEvent } from '../protocol/events.js';
import type { AssistantMessage, ToolResultMessage } from '../protocol/messages.js';
import type { DialogAnswer, SeenDialog } from './dialog-script.js';
import type { ModelReply, ReplyCall } from './model/reply.js';
import type { ModelRequest, ScriptedModel } from './model/scripted-model.js';
import type { Notice, Recording, TestedError } from './recording.js';
import type { TestHome, TestHomeOptions } from './test-home.js';

export interface TestSessionOptions extends TestHomeOptions {
  /** The extension, or several: a file, or a folder with an entry, as a path from the current folder or a `file:` URL; or `builtin:name`. */
  extension: string | URL | readonly (string | URL)[];
  /** What the model says, request by request. A text is an answer of this text. Nothing left is an error of the model. */
  model?: readonly (string | ModelReply)[];
  /** What dialogs are answered with. A dialog that no answer is for is dismissed. */
  dialogs?: readonly DialogAnswer[];
  /** Flags of the extension: name -> value. */
  flags?: Readonly<Record<string, string | true>>;
  /** Nobody is there to answer dialogs: `ctx.hasUI` is false. */
  noDialogs?: boolean;
  /** Longest that anything here waits, in milliseconds; default 15 seconds. */
  timeoutMs?: number;
}

/** A tool call that ran. */
export interface ToolOutcome {
  name: string;
  /** The text of its result. */
  text: string;
  isError: boolean;
  details?: unknown;
}

/** What became of one prompt. */
export interface PromptOutcome {
  /** `handled`: a command of an extension, or an `input` handler, dealt with it, and no model was asked. */
  disposition: 'started' | 'queued' | 'handled';
  /** The model's last answer. */
  text: string;
  /** How it ended; undefined where no model was asked. */
  stopReason?: string;
  errorMessage?: string;
  tools: ToolOutcome[];
  events: AgentEvent[];
}

/** A session with the extension in it, a scripted model and scripted answers. Dispose it. */
export interface TestSession {
  /** The project's folder. */
  readonly cwd: string;
  readonly home: string;
  readonly agentDir: string;
  /** Everything so far, oldest first. */
  readonly events: readonly AgentEvent[];
  readonly notices: readonly Notice[];
  readonly dialogs: readonly SeenDialog[];
  readonly errors: readonly TestedError[];
  /** Lines for a person: problems and warnings. */
  readonly warnings: readonly string[];
  /** Requests the model got: `body` is what was sent. */
  readonly requests: readonly ModelRequest[];
  /** Says something, and waits until the run it begins has settled. `/name args` runs a command. */
  prompt(text: string, options?: { images?: readonly ImageContent[] }): Promise<PromptOutcome>;
  /** Says something and waits only until it was taken: for what happens during a run. */
  begin(text: string, options?: { whileRunning?: 'steer' | 'followUp' }): Promise<PromptOutcome['disposition']>;
  /** Resolves when no run is on. */
  settled(): Promise<void>;
  /** Asks the model for nothing: lets it call this tool, and gives the result. */
  callTool(name: string, args?: object): Promise<ToolOutcome>;
  /** More answers, after those that are left. */
  script(more: { model?: readonly (string | ModelReply)[]; dialogs?: readonly DialogAnswer[] }): void;
  /** Answers a dialog that was left open. */
  answer(dialog: SeenDialog, answer: string | boolean | null): void;
  /** Resolves with the first truthy value of `what`, which is asked whenever something happens. */
  until<T>(what: () => T, description?: string): Promise<NonNullable<T>>;
  abort(): Promise<void>;
  /** Loads the extension anew. */
  reload(): Promise<void>;
  newSession(): Promise<void>;
  /** What the session has kept. */
  entries(): Promise<SessionEntry[]>;
  /** The extension as the program knows it: its state, level, errors, what it registered. */
  extensions(): Promise<ExtensionInfo[]>;
  tools(): Promise<ToolInfo[]>;
  commands(): Promise<SlashCommand[]>;
  /** Kills the process that runs the extension, as a crash would. It is started again. */
  killExtensions(): Promise<void>;
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The way to a session, in this process or in another. */
export interface SessionDriver
  extends Pick<TestSession, 'abort' | 'reload' | 'newSession' | 'entries' | 'extensions' | 'tools' | 'commands'> {
  /** Resolves when the text was taken. Rejects when it was refused. */
  prompt(
    text: string,
    images: readonly ImageContent[] | undefined,
    whileRunning: 'steer' | 'followUp' | undefined,
  ): Promise<PromptOutcome['disposition']>;
  /** Ends it and frees what it holds. */
  close(): Promise<void>;
}

export interface SessionParts {
  driver: SessionDriver;
  recording: Recording;
  model: ScriptedModel;
  home: TestHome;
  warnings: readonly string[];
}

export const toReply = (reply: string | ModelReply): ModelReply => (typeof reply === 'string' ? { text: reply } : reply);

/** The same for a session in this process and one in its own. */
export class DrivenSession implements TestSession {
  readonly #parts: SessionParts;
  #disposed: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  get cwd(): string {
    return this.#parts.home.cwd;
  }

  get home(): string {
    return this.#parts.home.home;
  }

  get agentDir(): string {
    return this.#parts.home.agentDir;
  }

  get events(): readonly AgentEvent[] {
    return this.#parts.recording.events;
  }

  get notices(): readonly Notice[] {
    return this.#parts.recording.notices;
  }

  get dialogs(): readonly SeenDialog[] {
    return this.#parts.recording.script.seen;
  }

  get errors(): readonly TestedError[] {
    return this.#parts.recording.errors;
  }

  get warnings(): readonly string[] {
    return this.#parts.warnings;
  }

  get requests(): readonly ModelRequest[] {
    return this.#parts.model.requests;
  }

  async prompt(text: string, { images }: { images?: readonly ImageContent[] } = {}): Promise<PromptOutcome> {
    const from = this.events.length;
    const disposition = await this.#parts.driver.prompt(text, images, undefined);
    if (disposition !== 'handled') await this.#settledSince(from, text);
    const { problem } = this.#parts.recording.script;
    if (problem) throw problem;
    const events = this.events.slice(from);
    const messages = events.flatMap((event) => (event.type === 'message_end' ? [event.message] : []));
    const answer = messages.findLast((message): message is AssistantMessage => message.role === 'assistant');
    const results = messages.filter((message): message is ToolResultMessage => message.role === 'toolResult');
    return {
      disposition,
      text: answer ? textOf(answer.content) : '',
      ...(answer && { stopReason: answer.stopReason }),
      ...(answer?.errorMessage !== undefined && { errorMessage: answer.errorMessage }),
      tools: results.map(toOutcome),
      events,
    };
  }

  begin(text: string, { whileRunning }: { whileRunning?: 'steer' | 'followUp' } = {}): Promise<PromptOutcome['disposition']> {
    return this.#parts.driver.prompt(text, undefined, whileRunning);
  }

  async settled(): Promise<void> {
    const isOn = (): boolean =>
      this.events.findLastIndex(({ type }) => type === 'agent_start') >
      this.events.findLastIndex(({ type }) => type === 'agent_settled');
    await this.#parts.recording.until(() => !isOn(), 'The run');
  }

  async callTool(name: string, args: object = {}): Promise<ToolOutcome> {
    const call: Omit<ReplyCall, 'type'> = { name, args };
    this.script({ model: [{ toolCalls: [call] }, 'done'] });
    const { tools, errorMessage } = await this.prompt(`Call ${name}`);
    const outcome = tools.find((one) => one.name === name);
    if (!outcome)
      throw new Error(`The tool ${name} was not called: ${errorMessage ?? 'the script of the model said something else first'}`);
    return outcome;
  }

  script({ model = [], dialogs = [] }: { model?: readonly (string | ModelReply)[]; dialogs?: readonly DialogAnswer[] }): void {
    this.#parts.model.push(...model.map(toReply));
    this.#parts.recording.script.push(...dialogs);
  }

  answer(dialog: SeenDialog, answer: string | boolean | null): void {
    this.#parts.recording.script.answer(dialog.id, answer);
  }

  until<T>(what: () => T, description = 'What the test waits for'): Promise<NonNullable<T>> {
    return this.#parts.recording.until(what, description);
  }

  abort(): Promise<void> {
    return this.#parts.driver.abort();
  }

  reload(): Promise<void> {
    return this.#parts.driver.reload();
  }

  newSession(): Promise<void> {
    return this.#parts.driver.newSession();
  }

  entries(): Promise<SessionEntry[]> {
    return this.#parts.driver.entries();
  }

  async extensions(): Promise<ExtensionInfo[]> {
    return (await this.#parts.driver.extensions()).filter(({ source }) => source !== 'builtin');
  }

  tools(): Promise<ToolInfo[]> {
    return this.#parts.driver.tools();
  }

  commands(): Promise<SlashCommand[]> {
    return this.#parts.driver.commands();
  }

  async killExtensions(): Promise<void> {
    const running = await this.extensions();
    const from = this.errors.length;
    const pids = new Set(running.flatMap(({ pid }) => (pid === undefined ? [] : [pid])));
    if (pids.size === 0) throw new Error('No extension is running');
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await this.until(() => this.errors.length > from, 'The end of the extension');
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  async #dispose(): Promise<void> {
    const { driver, model, home } = this.#parts;
    try {
      await driver.close();
    } finally {
      await model[Symbol.asyncDispose]();
      home.remove();
    }
  }

  async #settledSince(from: number, text: string): Promise<void> {
    await this.until(() => this.events.slice(from).some(({ type }) => type === 'agent_settled'), `The run of "${text}"`);
  }
}

function toOutcome({ toolName, content, isError, details }: ToolResultMessage): ToolOutcome {
  return { name: toolName, text: textOf(content), isError, ...(details !== undefined && { details }) };
}

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n');
}
