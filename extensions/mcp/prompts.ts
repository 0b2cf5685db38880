import type { Prompt } from '@modelcontextprotocol/sdk/types.js';
import type { ExtensionAPI, ExtensionContext, ImageContent, TextContent } from '../../core/extension-host/contract/public.js';
import type { Connection } from './connection.js';
import type { ResultFiles } from './files.js';
import { missingArguments, toPromptArguments } from './prompt-arguments.js';
import { toParts, withinLimits } from './result.js';

type Content = (TextContent | ImageContent)[];

/** Makes slash commands of the prompts of servers: `/mcp:server:prompt arguments`. */
export class ServerPrompts {
  readonly #pi: ExtensionAPI;
  readonly #files: ResultFiles;
  readonly #commands = new Map<string, { connection: Connection; prompt: string }>();

  constructor(pi: ExtensionAPI, files: ResultFiles) {
    this.#pi = pi;
    this.#files = files;
  }

  update(connection: Connection): void {
    for (const { name, description, arguments: known = [] } of connection.catalogue.prompts) {
      const command = commandOf(connection.config.name, name);
      if (this.#commands.has(command)) continue;
      this.#commands.set(command, { connection, prompt: name });
      const hint = known.map((one) => (one.required ? one.name : `[${one.name}]`)).join(' ');
      this.#pi.registerCommand(command, {
        description: [description, hint && `(${hint})`].filter(Boolean).join(' '),
        handler: async (typed, ctx) => {
          const content = await this.content(command, typed, ctx);
          if (content) this.#pi.sendUserMessage(content, ctx.isIdle() ? undefined : { deliverAs: 'followUp' });
        },
      });
    }
  }

  has(command: string): boolean {
    return this.#commands.has(command);
  }

  /** What the prompt says, for the model. Undefined, and told, when an argument is missing and nobody gives it. */
  async content(command: string, typed: string, ctx: ExtensionContext): Promise<Content | undefined> {
    const known = this.#commands.get(command);
    const prompt = known?.connection.catalogue.prompts.find(({ name }) => name === known.prompt);
    if (!known || !prompt) throw new Error(`The MCP server has no prompt for /${command} any more`);
    const values = await this.#arguments(prompt, typed, ctx);
    if (!values) return undefined;
    const { client, config } = known.connection;
    const { messages } = await client.getPrompt({ name: prompt.name, arguments: values }, { timeout: config.callTimeoutMs });
    const place = { server: config.name, tool: prompt.name, redact: config.redact, files: this.#files };
    const parts = await toParts(
      messages.map(({ content }) => content),
      place,
    );
    // One message of the user: what the assistant is said to have said is marked as that.
    const marked = parts.map((part, at) =>
      part.type === 'text' && messages[at]?.role === 'assistant' ? { ...part, text: `Assistant: ${part.text}` } : part,
    );
    return withinLimits(marked, place);
  }

  async #arguments(prompt: Prompt, typed: string, ctx: ExtensionContext): Promise<Record<string, string> | undefined> {
    const values = toPromptArguments(typed, prompt);
    for (const name of missingArguments(values, prompt)) {
      const { description } = prompt.arguments?.find((one) => one.name === name) ?? {};
      const value = await ctx.ui.input(`${prompt.name}: ${name}`, description);
      if (value === undefined || value === '') {
        ctx.ui.notify(`The prompt "${prompt.name}" needs "${name}"`, 'error');
        return undefined;
      }
      values[name] = value;
    }
    return values;
  }
}

/** Names of commands have no blanks, slashes or control characters. */
const commandOf = (server: string, prompt: string): string =>
  `mcp:${server}:${prompt}`.replaceAll(/[\s/\p{Cc}\p{Cf}]/gu, '_').slice(0, 100);
