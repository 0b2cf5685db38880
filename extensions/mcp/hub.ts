import type { ExtensionAPI, ExtensionContext } from '../../core/extension-host/contract/public.js';
import { type Configuration, readConfiguration } from './config-files.js';
import { Connection } from './connection.js';
import { elicit } from './elicitation.js';
import { ResultFiles } from './files.js';
import { ServerPrompts } from './prompts.js';
import { registerResourcesTool } from './resources.js';
import { sample } from './sampling.js';
import type { ServerConfig } from './server-config.js';
import { ToolNames } from './tool-names.js';
import { ServerTools } from './tools.js';

const MAX_LOG_LINE_CHARS = 1_000;

/** All servers of a session. */
export class Hub {
  readonly connections: Connection[];
  readonly problems: string[];
  readonly disabled: string[];
  readonly names = new ToolNames();
  readonly files = new ResultFiles();
  readonly tools: ServerTools;
  readonly prompts: ServerPrompts;
  readonly #pi: ExtensionAPI;
  readonly #ctx: ExtensionContext;
  readonly #told = new Set<string>();
  #hasResourcesTool = false;
  #closed = false;
  /** Resolves when every server has become ready, or has not. */
  readonly started: Promise<unknown>;

  static async open(pi: ExtensionAPI, ctx: ExtensionContext): Promise<Hub> {
    return new Hub(pi, ctx, await readConfiguration(ctx));
  }

  private constructor(pi: ExtensionAPI, ctx: ExtensionContext, { servers, problems }: Configuration) {
    this.#pi = pi;
    this.#ctx = ctx;
    this.problems = problems;
    this.tools = new ServerTools(pi, this.names, this.files);
    this.prompts = new ServerPrompts(pi, this.files);
    this.disabled = servers.filter(({ disabled }) => disabled).map(({ name }) => name);
    this.connections = servers.filter(({ disabled }) => !disabled).map((config) => this.#connection(config));
    for (const problem of problems) this.#tell(problem);
    this.started = Promise.all(this.connections.map((connection) => connection.start()));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.connections.map((connection) => connection.close()));
  }

  #connection(config: ServerConfig): Connection {
    return new Connection({
      config,
      cwd: this.#ctx.cwd,
      log: (line) => console.error(`${config.name}: ${config.redact(line).slice(0, MAX_LOG_LINE_CHARS)}`),
      onChange: (connection) => this.#changed(connection),
      elicit: (server, params, signal) => elicit(this.#ctx.ui, this.#ctx.hasUI, server, params, signal),
      sample: (server, params, signal) => sample(this.#ctx, server, params, signal),
    });
  }

  #changed(connection: Connection): void {
    // The instance is ending: nothing is registered any more.
    if (this.#closed) return;
    const { state, config, problem, catalogue } = connection;
    this.tools.update(connection);
    if (state === 'ready') this.prompts.update(connection);
    if (catalogue.hasResources && !this.#hasResourcesTool) {
      this.#hasResourcesTool = true;
      registerResourcesTool(this.#pi, () => this.connections.filter((one) => one.state === 'ready'), this.files);
    }
    for (const collision of this.names.collisions) this.#tell(collision);
    if (problem === undefined) return;
    if (state === 'waiting') this.#tell(`The MCP server "${config.name}" is started again: ${problem}`);
    if (state === 'failed') this.#tell(`The MCP server "${config.name}" is not available: ${problem}`);
  }

  /** Each thing once: to whoever looks, and to the log. */
  #tell(problem: string): void {
    if (this.#told.has(problem)) return;
    this.#told.add(problem);
    this.#ctx.ui.notify(problem, 'warning');
    console.error(problem);
  }
}
