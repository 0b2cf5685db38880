import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import type { Tool, ToolResult } from '../../../core/protocol/tool.js';
import { prepareArguments } from '../../../core/tools/arguments.js';
import { createBuiltInTools } from '../../../core/tools/registry.js';
import { ShellRunner } from '../../../core/tools/shell.js';

const disposals: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const dispose of disposals.splice(0).reverse()) await dispose();
});

export interface Workbench {
  cwd: string;
  tmpDir: string;
  env: NodeJS.ProcessEnv;
  shell: ShellRunner;
  tools: Tool[];
  path(name: string): string;
  write(name: string, content: string | Buffer): string;
  bytes(name: string): Buffer;
  text(name: string): string;
  /** A call as the agent makes it: prepared, validated, run; what is thrown becomes an error result. */
  call(name: string, args: Record<string, unknown>, more?: CallOptions): Promise<ToolResult>;
}

export interface CallOptions {
  signal?: AbortSignal;
  onUpdate?: (partial: ToolResult) => void;
}

/** A folder of its own with all built-in tools in it; gone after the test. */
export function workbench(
  options: { shellPath?: string; commandPrefix?: string; sessionEnv?: () => Record<string, string> } = {},
): Workbench {
  const root = mkdtempSync(join(tmpdir(), 'pi-tools-'));
  disposals.push(() => rmSync(root, { recursive: true, force: true }));
  const cwd = join(root, 'work');
  const tmpDir = join(root, 'tmp');
  for (const folder of [cwd, tmpDir]) mkdirSync(folder);
  const env: NodeJS.ProcessEnv = { ...process.env, HOME: join(root, 'home') };
  const shell = new ShellRunner({ cwd, env, shellPath: options.shellPath, commandPrefix: options.commandPrefix });
  disposals.push(() => shell.dispose());
  const tools = createBuiltInTools({ cwd, env, tmpDir, shell, sessionEnv: options.sessionEnv ?? (() => ({})) });
  const path = (name: string): string => join(cwd, name);
  return {
    cwd,
    tmpDir,
    env,
    shell,
    tools,
    path,
    write(name, content) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content);
      return path(name);
    },
    bytes: (name) => readFileSync(path(name)),
    text: (name) => readFileSync(path(name), 'utf8'),
    async call(name, args, { signal = new AbortController().signal, onUpdate = () => {} } = {}) {
      const tool = tools.find((one) => one.name === name);
      if (!tool) throw new Error(`no tool ${name}`);
      const prepared = await prepareArguments(tool, tool.prepareArguments ? tool.prepareArguments(args) : args);
      if (!prepared.ok) return { content: [{ type: 'text', text: prepared.error }], isError: true };
      try {
        return await tool.execute(prepared.args, { toolCallId: 'call', signal, onUpdate });
      } catch (error) {
        return { content: [{ type: 'text', text: (error as Error).message }], isError: true };
      }
    },
  };
}

export function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

/** True while the process exists and is not merely waiting to be reaped. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // Gone between two looks, or never there.
    return false;
  }
}

/** Polls until it holds; the test's own time limit ends it otherwise. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}
