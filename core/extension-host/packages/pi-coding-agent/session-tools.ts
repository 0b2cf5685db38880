import { homedir, tmpdir } from 'node:os';
import type { Tool } from '../../../protocol/tool.js';
import { createBuiltInTools, selectTools, type ToolSelection } from '../../../tools/registry.js';
import { ShellRunner } from '../../../tools/shell.js';
import { createSyntheticSourceInfo, type SourceInfo } from './source-info.js';
import { type AgentTool, sessionVariables, type ToolDefinition, type ToolSessionContext, toAgentTool } from './tool-shape.js';

export interface SessionToolsOptions {
  cwd: string;
  shellPath: string | undefined;
  commandPrefix: string | undefined;
  context: () => ToolSessionContext;
  selection: ToolSelection;
}

/** One line of `getAllTools`. Source: extensions document, "pi.getAllTools". */
export interface ToolInfo {
  name: string;
  description: string;
  parameters: Tool['parameters'];
  promptGuidelines?: readonly string[];
  sourceInfo: SourceInfo;
}

/** The tools of one session: the built-in ones, those of the caller and of extensions, and which of them are offered. */
export class SessionTools {
  readonly shell: ShellRunner;
  readonly #options: SessionToolsOptions;
  readonly #all = new Map<string, Tool>();
  readonly #definitions = new Map<string, ToolDefinition | AgentTool>();
  /** Built-in tools as agents have them; made when they are asked for. */
  readonly #wrapped = new Map<Tool, AgentTool>();
  #active: string[] = [];

  constructor(options: SessionToolsOptions) {
    this.#options = options;
    const { cwd, shellPath, commandPrefix, context } = options;
    this.shell = new ShellRunner({ cwd, env: process.env, shellPath, commandPrefix });
    const builtIn = createBuiltInTools({
      cwd,
      env: { ...process.env, HOME: process.env.HOME ?? homedir() },
      tmpDir: tmpdir(),
      shell: this.shell,
      sessionEnv: () => sessionVariables(context()),
    });
    for (const tool of builtIn) this.#all.set(tool.name, tool);
    this.#active = selectTools(builtIn, options.selection, () => true).map(({ name }) => name);
  }

  /** Adds a tool, or takes the place of one; it is offered unless the selection says otherwise. */
  add(definition: ToolDefinition | AgentTool): void {
    const tool = toCoreTool(definition, this.#options.context);
    this.#all.set(tool.name, tool);
    this.#definitions.set(tool.name, definition);
    const isWanted = selectTools([tool], this.#options.selection, () => false).length > 0;
    if (isWanted && !this.#active.includes(tool.name)) this.#active.push(tool.name);
  }

  get active(): Tool[] {
    return this.#active.flatMap((name) => this.#all.get(name) ?? []);
  }

  /** The same as tools that can be handed to another agent; each tool is always the same object. */
  get agentTools(): AgentTool[] {
    return this.active.map((tool) => this.#definitions.get(tool.name) ?? this.#wrap(tool));
  }

  get activeNames(): string[] {
    return [...this.#active];
  }

  /** Names nobody has are ignored. */
  setActive(names: readonly string[]): void {
    this.#active = names.filter((name) => this.#all.has(name));
  }

  definition(name: string): ToolDefinition | AgentTool | Tool | undefined {
    return this.#definitions.get(name) ?? this.#all.get(name);
  }

  #wrap(tool: Tool): AgentTool {
    const wrapped = this.#wrapped.get(tool) ?? toAgentTool(() => tool);
    this.#wrapped.set(tool, wrapped);
    return wrapped;
  }

  list(): ToolInfo[] {
    return [...this.#all.values()].map(({ name, description, parameters, promptGuidelines }) => ({
      name,
      description,
      parameters,
      ...(promptGuidelines ? { promptGuidelines } : {}),
      sourceInfo: createSyntheticSourceInfo(`<tool:${name}>`, { source: this.#definitions.has(name) ? 'sdk' : 'builtin' }),
    }));
  }
}

function toCoreTool(definition: ToolDefinition | AgentTool, context: () => ToolSessionContext): Tool {
  const { name, label, description, parameters, prepareArguments, executionMode } = definition;
  const { promptSnippet, promptGuidelines } = definition as ToolDefinition; // missing in an AgentTool
  return {
    name,
    label: label ?? name,
    description,
    parameters,
    ...(promptSnippet === undefined ? {} : { promptSnippet }),
    ...(promptGuidelines === undefined ? {} : { promptGuidelines }),
    ...(executionMode && { executionMode }),
    ...(prepareArguments && { prepareArguments }),
    execute: (args, { toolCallId, signal, onUpdate }) => definition.execute(toolCallId, args, signal, onUpdate, context()),
  };
}
