import { homedir, tmpdir } from 'node:os';
import type { JsonSchema } from '../../../protocol/tool.js';
import { createBashTool as coreBash } from '../../../tools/bash.js';
import { createEditTool as coreEdit } from '../../../tools/edit.js';
import { createFindTool as coreFind } from '../../../tools/find.js';
import { createGrepTool as coreGrep } from '../../../tools/grep.js';
import { createLsTool as coreLs } from '../../../tools/ls.js';
import type { PathBase } from '../../../tools/paths.js';
import { createReadTool as coreRead } from '../../../tools/read.js';
import { createWriteTool as coreWrite } from '../../../tools/write.js';
import { type BashOperations, type BashSpawnHook, createLocalBashOperations, RoutedShell } from './bash-operations.js';
import { createRemoteEditTool, createRemoteReadTool, createRemoteWriteTool } from './remote-files.js';
import { createRemoteFindTool, createRemoteGrepTool, createRemoteLsTool } from './remote-search.js';
import type {
  EditOperations,
  FindOperations,
  GrepOperations,
  LsOperations,
  ReadOperations,
  WriteOperations,
} from './tool-operations.js';
import { renderToolCall, renderToolResult } from './tool-rendering.js';
import {
  type AgentTool,
  type ExecuteTool,
  type MakeTool,
  sessionVariables,
  type ToolDefinition,
  toAgentTool,
} from './tool-shape.js';

export { withFileMutationQueue } from '../../../tools/mutation-queue.js';

export interface BashToolOptions {
  operations?: BashOperations;
  spawnHook?: BashSpawnHook;
  /** Put on a line of its own before every command. */
  commandPrefix?: string;
  shellPath?: string;
  /** Whether commands see `PI_SESSION_ID` and its like; default: yes. */
  exposeSessionEnvironment?: boolean;
}

/** `autoResizeImages` is accepted and changes nothing: there is no image library here. */
export interface ReadToolOptions {
  operations?: ReadOperations;
  autoResizeImages?: boolean;
}

type With<O> = { operations?: O };

export interface ToolsOptions {
  bash?: BashToolOptions;
  read?: ReadToolOptions;
  edit?: With<EditOperations>;
  write?: With<WriteOperations>;
  grep?: With<GrepOperations>;
  find?: With<FindOperations>;
  ls?: With<LsOperations>;
}

const baseOf = (cwd: string): PathBase => ({ cwd, home: process.env.HOME ?? homedir() });

const makers = {
  bash(cwd: string, options: BashToolOptions = {}): MakeTool {
    const { shellPath, spawnHook, commandPrefix, exposeSessionEnvironment = true } = options;
    const operations = options.operations ?? createLocalBashOperations(shellPath === undefined ? {} : { shellPath });
    const shell = new RoutedShell({ cwd, operations, spawnHook, commandPrefix });
    return (ctx) =>
      coreBash({ shell, tmpDir: tmpdir(), sessionEnv: () => (exposeSessionEnvironment ? sessionVariables(ctx) : {}) });
  },
  read(cwd: string, { operations }: ReadToolOptions = {}): MakeTool {
    const tool = operations ? createRemoteReadTool(baseOf(cwd), operations) : coreRead(baseOf(cwd));
    return () => tool;
  },
  edit(cwd: string, { operations }: With<EditOperations> = {}): MakeTool {
    const tool = operations ? createRemoteEditTool(baseOf(cwd), operations) : coreEdit(baseOf(cwd));
    return () => tool;
  },
  write(cwd: string, { operations }: With<WriteOperations> = {}): MakeTool {
    const tool = operations ? createRemoteWriteTool(baseOf(cwd), operations) : coreWrite(baseOf(cwd));
    return () => tool;
  },
  grep(cwd: string, { operations }: With<GrepOperations> = {}): MakeTool {
    const tool = operations ? createRemoteGrepTool(baseOf(cwd), operations) : coreGrep(baseOf(cwd));
    return () => tool;
  },
  find(cwd: string, { operations }: With<FindOperations> = {}): MakeTool {
    const tool = operations ? createRemoteFindTool(baseOf(cwd), operations) : coreFind(baseOf(cwd));
    return () => tool;
  },
  ls(cwd: string, { operations }: With<LsOperations> = {}): MakeTool {
    const tool = operations ? createRemoteLsTool(baseOf(cwd), operations) : coreLs(baseOf(cwd));
    return () => tool;
  },
};

export const createBashTool = (cwd: string, options?: BashToolOptions): AgentTool => toAgentTool(makers.bash(cwd, options));
export const createReadTool = (cwd: string, options?: ReadToolOptions): AgentTool => toAgentTool(makers.read(cwd, options));
export const createEditTool = (cwd: string, options?: With<EditOperations>): AgentTool => toAgentTool(makers.edit(cwd, options));
export const createWriteTool = (cwd: string, options?: With<WriteOperations>): AgentTool =>
  toAgentTool(makers.write(cwd, options));
export const createGrepTool = (cwd: string, options?: With<GrepOperations>): AgentTool => toAgentTool(makers.grep(cwd, options));
export const createFindTool = (cwd: string, options?: With<FindOperations>): AgentTool => toAgentTool(makers.find(cwd, options));
export const createLsTool = (cwd: string, options?: With<LsOperations>): AgentTool => toAgentTool(makers.ls(cwd, options));

export const createBashToolDefinition = (cwd: string, options?: BashToolOptions): ToolDefinition =>
  toDefinition(makers.bash(cwd, options));
export const createReadToolDefinition = (cwd: string, options?: ReadToolOptions): ToolDefinition =>
  toDefinition(makers.read(cwd, options));
export const createEditToolDefinition = (cwd: string, options?: With<EditOperations>): ToolDefinition =>
  toDefinition(makers.edit(cwd, options));
export const createWriteToolDefinition = (cwd: string, options?: With<WriteOperations>): ToolDefinition =>
  toDefinition(makers.write(cwd, options));
export const createGrepToolDefinition = (cwd: string, options?: With<GrepOperations>): ToolDefinition =>
  toDefinition(makers.grep(cwd, options));
export const createFindToolDefinition = (cwd: string, options?: With<FindOperations>): ToolDefinition =>
  toDefinition(makers.find(cwd, options));
export const createLsToolDefinition = (cwd: string, options?: With<LsOperations>): ToolDefinition =>
  toDefinition(makers.ls(cwd, options));

/** The tools of an agent that writes code. */
export function createCodingTools(cwd: string, options: ToolsOptions = {}): AgentTool[] {
  return [
    createReadTool(cwd, options.read),
    createBashTool(cwd, options.bash),
    createEditTool(cwd, options.edit),
    createWriteTool(cwd, options.write),
  ];
}

/** The tools of an agent that only looks. */
export function createReadOnlyTools(cwd: string, options: ToolsOptions = {}): AgentTool[] {
  return [
    createReadTool(cwd, options.read),
    createGrepTool(cwd, options.grep),
    createFindTool(cwd, options.find),
    createLsTool(cwd, options.ls),
  ];
}

/** Gives a definition back as it is: it is there for the types it infers. */
export function defineTool<T extends { name: string; parameters: JsonSchema; execute: unknown }>(tool: T): T {
  return tool;
}

/** A registered tool as one the agent runs by itself. */
export function wrapRegisteredTool(
  registered: { definition: ToolDefinition } | ToolDefinition,
  runner: { createContext?: () => unknown } = {},
): AgentTool {
  const definition = 'definition' in registered ? registered.definition : registered;
  const { name, label = name, description, parameters, prepareArguments, executionMode } = definition;
  const execute: ExecuteTool = (id, params, signal, onUpdate, ctx) =>
    definition.execute(id, params, signal, onUpdate, ctx ?? (runner.createContext?.() as undefined)); // whatever context it makes
  return {
    name,
    label,
    description,
    parameters,
    ...(prepareArguments && { prepareArguments }),
    ...(executionMode && { executionMode }),
    execute,
  };
}

export const wrapRegisteredTools = (
  registered: readonly ({ definition: ToolDefinition } | ToolDefinition)[],
  runner?: { createContext?: () => unknown },
): AgentTool[] => registered.map((tool) => wrapRegisteredTool(tool, runner));

function toDefinition(make: MakeTool): ToolDefinition {
  const { promptSnippet, promptGuidelines } = make(undefined);
  return {
    ...toAgentTool(make),
    ...(promptSnippet === undefined ? {} : { promptSnippet }),
    ...(promptGuidelines === undefined ? {} : { promptGuidelines }),
    renderCall: (args, theme) => renderToolCall(make(undefined).name, args, theme),
    renderResult: renderToolResult,
  };
}
