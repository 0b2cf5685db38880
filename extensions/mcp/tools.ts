import type { CallToolResult, Progress, Tool } from '@modelcontextprotocol/sdk/types.js';
import type { ExtensionAPI, ExtensionToolResult } from '../../core/extension-host/contract/public.js';
import type { Connection } from './connection.js';
import type { ResultFiles } from './files.js';
import { toToolResult } from './result.js';
import { loadSdk } from './sdk.js';
import type { ToolNames } from './tool-names.js';

/** Offers the tools of servers to the model, and keeps to what the servers say of them. */
export class ServerTools {
  readonly #pi: ExtensionAPI;
  readonly #names: ToolNames;
  readonly #files: ResultFiles;
  /** By name: how it was registered last. */
  readonly #registered = new Map<string, string>();
  /** Registered, and taken from the model since its server has them no more. */
  readonly #withdrawn = new Set<string>();

  constructor(pi: ExtensionAPI, names: ToolNames, files: ResultFiles) {
    this.#pi = pi;
    this.#names = names;
    this.#files = files;
  }

  /** Names under which the tools of a server are offered now. */
  namesOf({ config, catalogue }: Connection): string[] {
    return catalogue.tools.map(({ name }) => this.#names.nameOf(config.name, name));
  }

  /** A server that is only being started again keeps its tools. */
  update(connection: Connection): void {
    if (connection.state !== 'ready') return;
    const server = connection.config.name;
    const offered = new Set(this.namesOf(connection));
    const back: string[] = [];
    for (const tool of connection.catalogue.tools) {
      const name = this.#names.nameOf(server, tool.name);
      if (this.#withdrawn.delete(name)) back.push(name);
      const definition = JSON.stringify([tool.title, tool.description, tool.inputSchema]);
      if (this.#registered.get(name) === definition) continue;
      this.#registered.set(name, definition);
      this.#register(name, tool, connection);
    }
    const own = this.#names.ownedBy(server);
    const gone = [...this.#registered.keys()].filter((name) => own.has(name) && !offered.has(name) && !this.#withdrawn.has(name));
    for (const name of gone) this.#withdrawn.add(name);
    if (back.length + gone.length === 0) return;
    const active = this.#pi.getActiveTools().filter((name) => !gone.includes(name));
    this.#pi.setActiveTools([...new Set([...active, ...back])]);
  }

  #register(name: string, { name: tool, title, description, inputSchema }: Tool, connection: Connection): void {
    const { name: server } = connection.config;
    this.#pi.registerTool({
      name,
      label: title ?? tool,
      description: description ?? `The tool "${tool}" of the MCP server "${server}"`,
      parameters: inputSchema,
      execute: async (_toolCallId, params: Record<string, unknown>, signal, onUpdate) =>
        toToolResult(await this.#call(connection, tool, params, signal, onUpdate), {
          server,
          tool,
          redact: connection.config.redact,
          files: this.#files,
        }),
    });
  }

  async #call(
    connection: Connection,
    name: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    onUpdate: (partial: ExtensionToolResult) => void,
  ): Promise<CallToolResult> {
    const { client, config, catalogue } = connection;
    const options = {
      signal,
      timeout: config.callTimeoutMs,
      resetTimeoutOnProgress: true,
      onprogress: (progress: Progress) => onUpdate(progressPart(progress)),
    };
    try {
      const definition = catalogue.tools.find((tool) => tool.name === name);
      if (definition?.execution?.taskSupport !== 'required') {
        return (await client.callTool({ name, arguments: args }, undefined, options)) as CallToolResult; // of the schema it was checked by
      }
      const steps = client.experimental.tasks.callToolStream({ name, arguments: args }, undefined, options);
      for await (const step of steps) {
        if (step.type === 'result') return step.result as CallToolResult; // as above
        if (step.type === 'error') throw step.error;
        onUpdate({ content: [{ type: 'text', text: step.task.statusMessage ?? step.task.status }] });
      }
      throw new Error('it ended the task without a result');
    } catch (error) {
      connection.lost(error);
      throw this.#sayWhat(error, connection, name);
    }
  }

  #sayWhat(error: unknown, { config, problem }: Connection, tool: string): Error {
    const what = error instanceof loadSdk().McpError ? error.message : `${error instanceof Error ? error.message : error}`;
    const why = problem === undefined || what.includes(problem) ? what : `${what}; ${problem}`;
    return new Error(config.redact(`The tool "${tool}" of the MCP server "${config.name}" failed: ${why}`));
  }
}

function progressPart({ progress, total, message }: Progress): ExtensionToolResult {
  const text = [`${progress}${total === undefined ? '' : ` of ${total}`}`, message].filter(Boolean).join(': ');
  return { content: [{ type: 'text', text }], details: { progress, ...(total !== undefined && { total }), message } };
}
