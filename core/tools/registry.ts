import { homedir } from 'node:os';
import type { Tool } from '../protocol/tool.js';
import { createBashTool } from './bash.js';
import { createEditTool } from './edit.js';
import { createFindTool } from './find.js';
import { createGrepTool } from './grep.js';
import { createLsTool } from './ls.js';
import type { PathBase } from './paths.js';
import { createReadTool } from './read.js';
import type { ShellRunner } from './shell.js';
import { createWriteTool } from './write.js';

/** Active when nothing else is asked for. Source: usage.md "Tool Options". */
export const DEFAULT_TOOLS: readonly string[] = ['read', 'bash', 'edit', 'write'];
export const BUILT_IN_TOOLS: readonly string[] = [...DEFAULT_TOOLS, 'grep', 'find', 'ls'];

export interface BuiltInToolOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Folder for output that is too long to show. */
  tmpDir: string;
  /** Owned by the caller, who disposes it. */
  shell: ShellRunner;
  /** The session variables of `bash` commands; asked for each command. */
  sessionEnv: () => Record<string, string>;
}

/** All built-in tools. They load their libraries at first use. */
export function createBuiltInTools({ cwd, env, tmpDir, shell, sessionEnv }: BuiltInToolOptions): Tool[] {
  const base: PathBase = { cwd, home: env.HOME ?? homedir() };
  return [
    createReadTool(base),
    createBashTool({ shell, tmpDir, sessionEnv }),
    createEditTool(base),
    createWriteTool(base),
    createGrepTool(base),
    createFindTool(base),
    createLsTool(base),
  ];
}

export interface ToolSelection {
  /** Only these, built-in or not; names nobody has are ignored. */
  tools?: readonly string[] | undefined;
  /** Taken away after everything else. */
  excludeTools?: readonly string[] | undefined;
  noTools?: boolean | undefined;
  noBuiltinTools?: boolean | undefined;
}

/**
 * The tools that are active at the start. An allow-list wins over the switches that turn defaults off. A tool that took the name of a
 * built-in one is none, and so is active as any other. Source: usage.md, sdk.md "noTools".
 */
export function selectTools(
  all: readonly Tool[],
  { tools, excludeTools = [], noTools, noBuiltinTools }: ToolSelection,
  isBuiltIn: (tool: Tool) => boolean,
): Tool[] {
  const isWanted = (tool: Tool): boolean => {
    if (excludeTools.includes(tool.name)) return false;
    if (tools) return tools.includes(tool.name);
    if (noTools) return false;
    return isBuiltIn(tool) ? !noBuiltinTools && DEFAULT_TOOLS.includes(tool.name) : true;
  };
  return all.filter(isWanted);
}
