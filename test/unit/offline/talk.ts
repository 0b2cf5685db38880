import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { AssistantMessage, ModelMessage } from '../../../core/protocol/messages.js';
import type { Model } from '../../../core/protocol/model.js';
import type { ModelRequest, ModelStream, ModelStreamEvent } from '../../../core/protocol/model-stream.js';
import type { Tool, ToolDefinition } from '../../../core/protocol/tool.js';
import { createBuiltInTools, DEFAULT_TOOLS } from '../../../core/tools/registry.js';
import { ShellRunner } from '../../../core/tools/shell.js';
import { offlineStream } from '../../../extensions/offline/stream.js';

/** Compiles only while the extension's own types fit those of the core. */
export const stream: ModelStream = offlineStream;

export const MODEL: Model = {
  id: 'offline',
  name: 'Offline model',
  api: 'offline',
  provider: 'offline',
  baseUrl: 'offline:',
  reasoning: false,
  input: ['text'],
  contextWindow: 200_000,
  maxTokens: 16_384,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

export function requestOf(
  messages: readonly ModelMessage[],
  tools: readonly ToolDefinition[],
  signal?: AbortSignal,
): ModelRequest {
  return {
    model: MODEL,
    context: { systemPrompt: 'You help.', messages, tools },
    options: {
      signal: signal ?? new AbortController().signal,
      apiKey: undefined,
      headers: {},
      thinkingLevel: 'off',
      sessionId: 's',
      idleTimeoutMs: 1000,
    },
  };
}

export const user = (content: string, timestamp = 0): ModelMessage => ({ role: 'user', content, timestamp });

export const textOf = (message: AssistantMessage): string =>
  message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');

export interface MadeCall {
  tool: string;
  args: Record<string, unknown>;
}

export const callsOf = (message: AssistantMessage): MadeCall[] =>
  message.content.flatMap((block) => (block.type === 'toolCall' ? [{ tool: block.name, args: block.arguments }] : []));

/** One answer to the messages, and its events. */
export async function answerTo(
  messages: readonly ModelMessage[],
  tools: readonly ToolDefinition[],
): Promise<{ message: AssistantMessage; events: ModelStreamEvent[] }> {
  const events: ModelStreamEvent[] = [];
  const { message } = await stream(requestOf(messages, tools), (event) => events.push(structuredClone(event)));
  return { message, events };
}

/** A folder with the built-in tools working in it, and a conversation that grows. */
export class Desk {
  readonly cwd = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-offline-'));
  readonly messages: ModelMessage[] = [];
  readonly #shell = new ShellRunner({ cwd: this.cwd, env: process.env });
  readonly #all = createBuiltInTools({
    cwd: this.cwd,
    env: process.env,
    tmpDir: this.cwd,
    shell: this.#shell,
    sessionEnv: () => ({}),
  });
  tools: Tool[] = this.toolsNamed(DEFAULT_TOOLS);

  constructor(files: Readonly<Record<string, string>>) {
    for (const [name, content] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(this.cwd, name)), { recursive: true });
      fs.writeFileSync(path.join(this.cwd, name), content);
    }
  }

  toolsNamed(names: readonly string[]): Tool[] {
    return this.#all.filter((tool) => names.includes(tool.name));
  }

  file(name: string): string {
    return fs.readFileSync(path.join(this.cwd, name), 'utf8');
  }

  /** Sends a prompt and runs every call the model makes for it, for real. */
  async ask(prompt: string): Promise<{ calls: MadeCall[]; text: string }> {
    this.messages.push(user(prompt, this.messages.length));
    return this.goOn();
  }

  async goOn(maxTurns = 30): Promise<{ calls: MadeCall[]; text: string }> {
    const calls: MadeCall[] = [];
    for (let turn = 0; turn < maxTurns; turn += 1) {
      const { message } = await answerTo(this.messages, this.tools);
      this.messages.push(message);
      const made = callsOf(message);
      if (made.length === 0) return { calls, text: textOf(message) };
      calls.push(...made);
      for (const block of message.content) {
        if (block.type === 'toolCall') this.messages.push(await this.#run(block.id, block.name, block.arguments));
      }
    }
    return { calls, text: '' };
  }

  async #run(toolCallId: string, toolName: string, args: Record<string, unknown>): Promise<ModelMessage> {
    const result = (
      content: { type: 'text'; text: string }[] | Awaited<ReturnType<Tool['execute']>>['content'],
      isError: boolean,
    ): ModelMessage => ({
      role: 'toolResult',
      toolCallId,
      toolName,
      content,
      isError,
      timestamp: 0,
    });
    const tool = this.tools.find(({ name }) => name === toolName);
    if (!tool) return result([{ type: 'text', text: `Tool ${toolName} not found` }], true);
    try {
      const { content, isError } = await tool.execute(args, {
        toolCallId,
        signal: new AbortController().signal,
        onUpdate: () => {},
      });
      return result(content, isError === true);
    } catch (error) {
      return result([{ type: 'text', text: error instanceof Error ? error.message : String(error) }], true);
    }
  }

  dispose(): void {
    this.#shell.dispose();
    fs.rmSync(this.cwd, { recursive: true, force: true });
  }
}
