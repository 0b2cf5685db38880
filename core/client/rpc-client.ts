import { CodedError } from '../base/coded-error.js';
import type { CommandName, Params, Result } from '../protocol/commands/index.js';
import type { StoredEntry } from '../protocol/commands/session.js';
import type { AgentEvent, AgentEventType, EventOf } from '../protocol/events.js';
import type { UiRequest } from '../protocol/ui.js';
import { type CommandMethods, commandMethods, type RequestOptions } from './commands.js';
import { type DialogHandlers, isDialog, OpenDialogs } from './dialogs.js';
import { CLIENT_ERRORS } from './errors.js';
import { Program, type ProgramExit } from './program.js';

/** What an extension shows and nobody answers: `notify`, `setStatus`, `setWidget`, `setTitle`, `set_editor_text`. */
export type Notice = Exclude<UiRequest, { method: keyof DialogHandlers }>;

export interface RpcClientOptions {
  /** What is started, before `--mode rpc`; default: `["pi"]`. For a file: `[process.execPath, "dist/cli.js"]`. */
  command?: readonly string[];
  /** More options of the command line: `["--model", "sonnet", "-e", "notes.ts"]`. */
  args?: readonly string[];
  cwd?: string;
  /** Default: the environment of this process. */
  env?: NodeJS.ProcessEnv;
  /** Answers to dialogs. Without a handler a dialog is dismissed. */
  dialogs?: DialogHandlers;
  /** Told of every event of the agent, in order. */
  onEvent?: (event: AgentEvent) => void;
  /** Told of every notice. */
  onNotice?: (notice: Notice) => void;
  /** Told of what the program says to people. */
  onStderr?: (text: string) => void;
  /** Told when the program ended by itself. `resume()` starts it again. */
  onExit?: (error: CodedError) => void;
  /** Told of a handler of yours that threw, and of a line that is not JSON; default: a line on stderr. */
  onProblem?: (error: unknown) => void;
  /** Milliseconds that a response may take; default 30 000. Commands that may take any time have no limit. */
  timeoutMs?: number;
}

/** The rest of a conversation after a crash. */
export interface Resumed {
  /** Entries that were stored and had not been heard of: an answer that was cut off is not among them. */
  entries: StoredEntry[];
}

interface Waiting {
  resolve: (data: unknown) => void;
  reject: (error: unknown) => void;
}

/** A record of the program's stdout. */
interface Incoming {
  type: string;
  id?: unknown;
  [field: string]: unknown;
}

const TIMEOUT_MS = 30_000;
const STOP_MS = 5_000;
/** These answer when something is done that may take any time. */
const UNLIMITED: ReadonlySet<CommandName> = new Set([
  'bash',
  'compact',
  'navigate_tree',
  'abort',
  'export_html',
  'prompt',
  'reload',
]);

/**
 * Drives a `pi --mode rpc` of its own: a method for each command, events, dialogs as callbacks. When the program dies, what waits is rejected with
 * `CLIENT_PROGRAM_EXITED`, and {@link RpcClient.resume} goes on with the same session.
 */
export class RpcClient {
  /** `commands.getState()`, `commands.prompt({message})`, and so on. They reject with the program's error and its code. */
  readonly commands: CommandMethods;
  readonly #options: RpcClientOptions;
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  readonly #dialogs: OpenDialogs;
  readonly #waiting = new Map<string, Waiting>();
  #program: Program;
  #serial = 0;
  #isStopping = false;
  #sessionFile: string | undefined;
  #lastEntry: string | undefined;

  private constructor(options: RpcClientOptions) {
    this.#options = options;
    this.commands = commandMethods((command, params, how) => this.#request(command, params, how));
    this.#dialogs = new OpenDialogs(
      options.dialogs ?? {},
      (response) => this.#program.send(response),
      (error) => this.#problem(error),
    );
    this.#program = this.#launch([]);
  }

  /** Starts the program; resolves when it has answered. Rejects with `CLIENT_START_FAILED` or `CLIENT_PROGRAM_EXITED`. */
  static async start(options: RpcClientOptions = {}): Promise<RpcClient> {
    const client = new RpcClient(options);
    try {
      await client.#lookWhereWeAre();
      return client;
    } catch (error) {
      await client.stop();
      throw error;
    }
  }

  get pid(): number | undefined {
    return this.#program.pid;
  }

  get isRunning(): boolean {
    return this.#program.isRunning;
  }

  /** The last of what the program said to people. */
  get stderr(): string {
    return this.#program.stderr;
  }

  /** Where the conversation is stored; undefined while nothing is. */
  get sessionFile(): string | undefined {
    return this.#sessionFile;
  }

  /** Hears every event from now on. Gives the way to stop. */
  subscribe(listener: (event: AgentEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The next event of a type, from now on. Rejects when the program ends or the signal fires. */
  next<T extends AgentEventType>(type: T, { signal }: { signal?: AbortSignal } = {}): Promise<EventOf<T>> {
    return new Promise((resolve, reject) => {
      const key = `event ${++this.#serial}`;
      const done = (settle: () => void): void => {
        stop();
        this.#waiting.delete(key);
        signal?.removeEventListener('abort', onAbort);
        settle();
      };
      const onAbort = (): void => done(() => reject(signal?.reason));
      const stop = this.subscribe((event) => {
        if (event.type === type) done(() => resolve(event as EventOf<T>));
      });
      this.#waiting.set(key, { resolve: () => undefined, reject: (error) => done(() => reject(error)) });
      if (!this.isRunning) done(() => reject(this.#program.exitError()));
      else if (signal?.aborted) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Sends a prompt and waits until the run has settled: its events, and the text of its last answer. */
  async promptAndWait(
    message: string,
    params: Omit<Params<'prompt'>, 'message'> = {},
    options: RequestOptions = {},
  ): Promise<{ events: AgentEvent[]; text: string | null }> {
    const events: AgentEvent[] = [];
    const stop = this.subscribe((event) => events.push(event));
    const settled = this.next('agent_settled', options.signal ? { signal: options.signal } : {});
    // Looked at below; until then a refusal of the prompt comes first.
    settled.catch(() => undefined);
    try {
      await this.commands.prompt({ ...params, message }, options);
      await settled;
      const { text } = await this.commands.getLastAssistantText();
      return { events, text };
    } finally {
      stop();
    }
  }

  /**
   * Starts the program again with the session it had, after it ended. Without a session file, as with `--no-session`, it begins anew. Resolves with the
   * entries that were stored after the last one this client knew.
   */
  async resume(): Promise<Resumed> {
    if (this.isRunning) return { entries: [] };
    const known = this.#lastEntry;
    const file = this.#sessionFile;
    this.#isStopping = false;
    this.#program = this.#launch(file === undefined ? [] : ['--session', file]);
    const entries = await this.#lookWhereWeAre(file === undefined ? undefined : known);
    return { entries: file === undefined ? [] : entries };
  }

  /** Ends the program: its input first, and by force after five seconds. What waits is rejected. */
  async stop(): Promise<ProgramExit> {
    this.#isStopping = true;
    this.#rejectAll(new CodedError(CLIENT_ERRORS.STOPPED, 'The client was stopped'));
    return this.#program.stop(STOP_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #launch(session: readonly string[]): Program {
    const { command: [file = 'pi', ...before] = ['pi'], args = [], cwd, env } = this.#options;
    // The session that was is more than the one the options name.
    const own = session.length > 0 ? withoutSession(args) : args;
    const program: Program = new Program({
      command: file,
      args: [...before, '--mode', 'rpc', ...own, ...session],
      cwd,
      env,
      onLine: (line) => this.#receive(line),
      onStderr: (text) => this.#options.onStderr?.(text),
    });
    void program.exited.then(() => this.#ended(program));
    return program;
  }

  #ended(program: Program): void {
    if (program !== this.#program) return;
    this.#dialogs.withdrawAll();
    if (this.#isStopping) return;
    const error = program.exitError();
    this.#rejectAll(error);
    this.#options.onExit?.(error);
  }

  /** Notes the session and its last entry. Gives the entries after `since`. */
  async #lookWhereWeAre(since?: string): Promise<StoredEntry[]> {
    const { sessionFile } = await this.commands.getState();
    this.#sessionFile = sessionFile ?? undefined;
    const { entries } = await this.commands.getEntries(since === undefined ? {} : { since });
    this.#lastEntry = (entries.at(-1)?.id as string | undefined) ?? since;
    return entries as StoredEntry[];
  }

  #request<N extends CommandName>(command: N, params: object, options: RequestOptions): Promise<Result<N>> {
    const limitMs = options.timeoutMs ?? (UNLIMITED.has(command) ? undefined : (this.#options.timeoutMs ?? TIMEOUT_MS));
    return new Promise((resolve, reject) => {
      if (!this.isRunning) return reject(this.#program.exitError());
      if (options.signal?.aborted) return reject(options.signal.reason);
      const id = `c${++this.#serial}`;
      const done = (): void => {
        this.#waiting.delete(id);
        clearTimeout(timer);
        options.signal?.removeEventListener('abort', onAbort);
      };
      const fail = (error: unknown): void => {
        done();
        reject(error);
      };
      const onAbort = (): void => fail(options.signal?.reason);
      const timer =
        limitMs === undefined
          ? undefined
          : setTimeout(() => fail(new CodedError(CLIENT_ERRORS.TIMEOUT, `No answer to ${command} in ${limitMs} ms`)), limitMs);
      this.#waiting.set(id, {
        resolve: (data) => {
          done();
          resolve(data as Result<N>); // of the command with this id
        },
        reject: fail,
      });
      options.signal?.addEventListener('abort', onAbort, { once: true });
      this.#program.send({ ...params, id, type: command });
    });
  }

  #receive(line: string): void {
    let record: Incoming;
    try {
      record = JSON.parse(line) as Incoming;
    } catch (error) {
      this.#problem(new Error(`A line of the program is not JSON: ${line.slice(0, 200)}`, { cause: error }));
      return;
    }
    if (record.type === 'response') this.#answered(record);
    else if (record.type === 'extension_ui_cancel') this.#dialogs.withdraw(String(record.id));
    else if (record.type !== 'extension_ui_request') this.#heard(record as unknown as AgentEvent);
    else {
      const request = record as unknown as UiRequest;
      if (isDialog(request)) void this.#dialogs.ask(request);
      else this.#call(() => this.#options.onNotice?.(request));
    }
  }

  #answered({ id, success, data, error, code, command }: Incoming): void {
    const waiting = this.#waiting.get(String(id));
    if (success === true) {
      this.#noteSession(String(command), data);
      waiting?.resolve(data ?? {});
      return;
    }
    const failure = new CodedError(typeof code === 'string' ? code : CLIENT_ERRORS.REFUSED, String(error));
    if (waiting) waiting.reject(failure);
    else this.#problem(failure);
  }

  /** Where the conversation is, from what is answered anyway. */
  #noteSession(command: string, data: unknown): void {
    if (command === 'get_state') this.#sessionFile = (data as { sessionFile?: string | null }).sessionFile ?? this.#sessionFile;
    if (/^(?:new_session|switch_session|fork|clone)$/.test(command)) {
      this.#lastEntry = undefined;
      this.#lookWhereWeAre().catch((error: unknown) => this.#problem(error));
    }
  }

  #heard(event: AgentEvent): void {
    if (event.type === 'agent_settled' && !this.#isStopping) {
      // A new session has its file, and its entries, by now.
      this.#lookWhereWeAre(this.#lastEntry).catch(() => undefined);
    }
    this.#call(() => this.#options.onEvent?.(event));
    for (const listener of [...this.#listeners]) this.#call(() => listener(event));
  }

  /** One listener's mistake is not the others'. */
  #call(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#problem(error);
    }
  }

  #rejectAll(error: CodedError): void {
    for (const { reject } of [...this.#waiting.values()]) reject(error);
    this.#waiting.clear();
  }

  #problem(error: unknown): void {
    const { onProblem = (one) => void process.stderr.write(`pi client: ${one instanceof Error ? one.message : one}\n`) } =
      this.#options;
    onProblem(error);
  }
}

/** The arguments without what chooses a session. */
function withoutSession(args: readonly string[]): string[] {
  const withValue = new Set(['--session', '--session-id', '--fork', '--name', '-n']);
  const alone = new Set(['--continue', '-c', '--no-session']);
  return args.filter(
    (arg, at) =>
      !alone.has(arg) &&
      !withValue.has(arg) &&
      !withValue.has(args[at - 1] ?? '') &&
      !/^--(?:session|session-id|fork|name)=/.test(arg),
  );
}
