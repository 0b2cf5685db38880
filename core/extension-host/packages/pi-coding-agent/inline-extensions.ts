import type { AgentHooks, NewCustomMessage } from '../../../agent/hooks.js';
import { NO_HOOKS } from '../../../agent/hooks.js';
import { messageOf } from '../../../base/coded-error.js';
import type { AgentMessage } from '../../../protocol/messages.js';
import type { EventBus } from './event-bus.js';
import type { ToolDefinition } from './tool-shape.js';

type Handler = (event: Record<string, unknown>, ctx: object) => unknown;

export interface InlineCommand {
  description?: string;
  handler(args: string, ctx: object): unknown;
}

/** An extension that comes as a function, for one session. Source: sdk document, "Extensions". */
export interface InlineExtension {
  name: string;
  factory(pi: InlineApi): void | Promise<void>;
}

/** What such an extension can do: take part in runs, and bring tools and commands. */
export interface InlineApi {
  on(event: string, handler: Handler): () => void;
  registerTool(tool: ToolDefinition): void;
  registerCommand(name: string, command: InlineCommand): void;
  registerFlag(name: string, options: { default?: boolean | string }): void;
  getFlag(name: string): boolean | string | undefined;
  readonly events: EventBus;
  [member: string]: unknown;
}

/** Members that have nothing to act on in a session that nobody looks at. */
const WITHOUT_EFFECT = ['registerShortcut', 'registerMessageRenderer', 'registerEntryRenderer', 'registerMarkdownTransformer'];

export interface InlineExtensionsOptions {
  events: EventBus;
  /** The session's own members for `pi`, such as `sendMessage`. */
  actions: Record<string, unknown>;
  /** What handlers get beside the event; made anew for each call. */
  context: () => object;
  onError: (extension: string, event: string, error: unknown) => void;
}

/** The extensions of one session within an extension: their tools, commands and handlers, in the order they were given. */
export class InlineExtensions {
  readonly tools = new Map<string, ToolDefinition>();
  readonly commands = new Map<string, InlineCommand>();
  readonly #handlers: { event: string; extension: string; handler: Handler }[] = [];
  readonly #flags = new Map<string, boolean | string>();
  readonly #options: InlineExtensionsOptions;

  constructor(options: InlineExtensionsOptions) {
    this.#options = options;
  }

  /** Runs the factories one after the other; gives what went wrong. */
  async load(extensions: readonly InlineExtension[]): Promise<{ path: string; error: string }[]> {
    const errors: { path: string; error: string }[] = [];
    for (const { name, factory } of extensions) {
      try {
        await factory(this.#api(name));
      } catch (error) {
        errors.push({ path: `<inline:${name}>`, error: messageOf(error) });
      }
    }
    return errors;
  }

  hasHandlers(event: string): boolean {
    return this.#listeners(event).length > 0;
  }

  /** What handlers and commands get beside the event. */
  context(): object {
    return this.#options.context();
  }

  /** Tells those who listen to an event; undefined when nobody does. */
  tell(event: { type: string }): Promise<void> | undefined {
    const listeners = this.#listeners(event.type);
    if (listeners.length === 0) return undefined;
    return this.#ask(
      listeners,
      () => ({ ...event }),
      () => undefined,
    );
  }

  /** Their say in what the agent does. */
  hooks(): AgentHooks {
    return {
      ...NO_HOOKS,
      beforeAgentStart: (start) => {
        const listeners = this.#listeners('before_agent_start');
        if (listeners.length === 0) return undefined;
        const messages: NewCustomMessage[] = [];
        let { systemPrompt } = start;
        const asked = this.#ask(
          listeners,
          () => ({ type: 'before_agent_start', ...start, systemPrompt }),
          (answer) => {
            if (isGroup(answer.message)) messages.push(answer.message as unknown as NewCustomMessage); // the extension's word for it
            if (typeof answer.systemPrompt === 'string') systemPrompt = answer.systemPrompt;
          },
        );
        return asked.then(() => ({ messages, ...(systemPrompt === start.systemPrompt ? {} : { systemPrompt }) }));
      },
      context: (given) => {
        const listeners = this.#listeners('context');
        if (listeners.length === 0) return undefined;
        let messages: AgentMessage[] = structuredClone([...given]);
        const asked = this.#ask(
          listeners,
          () => ({ type: 'context', messages }),
          (answer) => {
            if (Array.isArray(answer.messages)) messages = answer.messages;
          },
        );
        return asked.then(() => messages);
      },
      toolCall: (call) => {
        const listeners = this.#listeners('tool_call');
        if (listeners.length === 0) return undefined;
        const input = structuredClone(call.input);
        return this.#gate(listeners, { type: 'tool_call', ...call, input }).then((blocked) => ({
          input,
          ...(blocked === undefined ? {} : { blocked }),
        }));
      },
      toolResult: (result) => {
        const listeners = this.#listeners('tool_result');
        if (listeners.length === 0) return undefined;
        const now = structuredClone(result);
        const asked = this.#ask(
          listeners,
          () => ({ type: 'tool_result', ...now }),
          (answer) => {
            for (const key of ['content', 'details', 'usage', 'isError'] as const)
              if (key in answer) Object.assign(now, { [key]: answer[key] });
          },
        );
        return asked.then(() => now);
      },
    };
  }

  #listeners(event: string): { extension: string; handler: Handler }[] {
    return this.#handlers.filter((one) => one.event === event);
  }

  async #ask(
    listeners: readonly { extension: string; handler: Handler }[],
    event: () => Record<string, unknown>,
    take: (answer: Record<string, unknown>) => void,
  ): Promise<void> {
    for (const { extension, handler } of listeners) {
      const asked = event();
      try {
        const answer = await handler(asked, this.#options.context());
        if (isGroup(answer)) take(answer);
      } catch (error) {
        this.#options.onError(extension, String(asked.type), error);
      }
    }
  }

  /** The reason of the first who refuses; one who fails refuses too. */
  async #gate(
    listeners: readonly { extension: string; handler: Handler }[],
    event: Record<string, unknown>,
  ): Promise<string | undefined> {
    for (const { extension, handler } of listeners) {
      try {
        const answer = await handler(event, this.#options.context());
        if (isGroup(answer) && answer.block) return typeof answer.reason === 'string' ? answer.reason : 'Blocked by an extension';
      } catch (error) {
        this.#options.onError(extension, 'tool_call', error);
        return messageOf(error);
      }
    }
    return undefined;
  }

  #api(extension: string): InlineApi {
    const own = new Map<string, boolean | string | undefined>();
    return {
      ...Object.fromEntries(WITHOUT_EFFECT.map((name) => [name, () => undefined])),
      ...this.#options.actions,
      on: (event, handler) => {
        const entry = { event, extension, handler };
        this.#handlers.push(entry);
        return () => this.#handlers.splice(this.#handlers.indexOf(entry), 1);
      },
      registerTool: (tool) => void this.tools.set(tool.name, tool),
      registerCommand: (name, command) => void this.commands.set(name, command),
      registerFlag: (name, options) => void own.set(name, options.default),
      getFlag: (name) => (own.has(name) ? (this.#flags.get(name) ?? own.get(name)) : undefined),
      events: this.#options.events,
    };
  }
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
