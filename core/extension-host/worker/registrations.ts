import { MAX_COMMANDS, MAX_FLAGS, MAX_TOOLS, whyNoCommandName, whyNoFlagName, whyNoToolName } from '../contract/names.js';
import type { CommandOptions, EventHandler, ExtensionTool, FlagOptions, ProviderConfig } from '../contract/public.js';
import type { BridgedCommand, BridgedFlag, BridgedProvider, BridgedRegistrations } from '../contract/registrations.js';
import type { BridgedTool } from '../contract/tools.js';

/** Sees what becomes known of an extension to the outside. All but `subscribed` may throw: then it was not registered. */
export interface RegistrationListener {
  all(registrations: BridgedRegistrations): void;
  subscribed(event: string, active: boolean): void;
  tool(tool: BridgedTool): void;
  command(command: BridgedCommand): void;
  flag(flag: BridgedFlag): void;
  provider(provider: BridgedProvider): void;
  noProvider(name: string): void;
  /** Something was not registered, and why. */
  refused(member: string, why: string): void;
}

/** What one extension has registered. Until its factory is done nothing of it is told outside, so that a failed one leaves no trace. */
export class Registrations {
  readonly #listener: RegistrationListener;
  readonly #handlers = new Map<string, EventHandler[]>();
  readonly #tools = new Map<string, ExtensionTool>();
  readonly #commands = new Map<string, CommandOptions>();
  readonly #flags = new Map<string, FlagOptions>();
  readonly #providers = new Map<string, ProviderConfig>();
  #committed = false;

  constructor(listener: RegistrationListener) {
    this.#listener = listener;
  }

  handlers(event: string): readonly EventHandler[] {
    return this.#committed ? (this.#handlers.get(event) ?? []) : [];
  }

  tool(name: string): ExtensionTool | undefined {
    return this.#tools.get(name);
  }

  command(name: string): CommandOptions | undefined {
    return this.#commands.get(name);
  }

  flag(name: string): FlagOptions | undefined {
    return this.#flags.get(name);
  }

  get providers(): ReadonlyMap<string, ProviderConfig> {
    return this.#providers;
  }

  provider(name: string): ProviderConfig | undefined {
    return this.#providers.get(name);
  }

  /** Lists are replaced, never changed: a handler may add or remove handlers while its own list is being walked. */
  addHandler(event: string, handler: EventHandler): () => void {
    const before = this.#handlers.get(event) ?? [];
    this.#handlers.set(event, [...before, handler]);
    if (this.#committed && before.length === 0) this.#listener.subscribed(event, true);
    let active = true;
    return () => {
      if (!active) return;
      active = false;
      const list = [...(this.#handlers.get(event) ?? [])];
      list.splice(list.indexOf(handler), 1);
      this.#handlers.set(event, list);
      if (this.#committed && list.length === 0) this.#listener.subscribed(event, false);
    };
  }

  addTool(tool: ExtensionTool): void {
    if (!this.#mayHave('registerTool', tool.name, whyNoToolName(tool.name), this.#tools, MAX_TOOLS)) return;
    if (this.#committed) this.#listener.tool(toBridgedTool(tool));
    this.#tools.set(tool.name, tool);
  }

  addCommand(name: string, options: CommandOptions): void {
    if (!this.#mayHave('registerCommand', name, whyNoCommandName(name), this.#commands, MAX_COMMANDS)) return;
    if (this.#committed) this.#listener.command(toBridgedCommand(name, options));
    this.#commands.set(name, options);
  }

  addFlag(name: string, options: FlagOptions): void {
    if (!this.#mayHave('registerFlag', name, whyNoFlagName(name), this.#flags, MAX_FLAGS)) return;
    if (this.#committed) this.#listener.flag(toBridgedFlag(name, options));
    this.#flags.set(name, options);
  }

  addProvider(name: string, config: ProviderConfig): void {
    if (this.#committed) this.#listener.provider(toBridgedProvider(name, config));
    this.#providers.set(name, config);
  }

  removeProvider(name: string): void {
    if (this.#committed) this.#listener.noProvider(name);
    this.#providers.delete(name);
  }

  /** False, and told, when the name is none or there are too many already. */
  #mayHave(member: string, name: string, why: string | undefined, known: ReadonlyMap<string, unknown>, max: number): boolean {
    const refusal =
      why === undefined
        ? known.has(name) || known.size < max
          ? undefined
          : `an extension may have ${max}; the others are left out`
        : `the name ${JSON.stringify(name.slice(0, 100))} can't be used: ${why}`;
    if (refusal !== undefined) this.#listener.refused(member, refusal);
    return refusal === undefined;
  }

  /** The factory is done: tells everything, and from now on each change. Throws when the core refuses it. */
  commit(): void {
    this.#listener.all({
      events: [...this.#handlers].filter(([, list]) => list.length > 0).map(([event]) => event),
      tools: [...this.#tools.values()].map(toBridgedTool),
      commands: [...this.#commands].map(([name, options]) => toBridgedCommand(name, options)),
      flags: [...this.#flags].map(([name, options]) => toBridgedFlag(name, options)),
      providers: [...this.#providers].map(([name, config]) => toBridgedProvider(name, config)),
    });
    this.#committed = true;
  }
}

/** The parts of a tool that cross: the rest are functions and stay here. */
function toBridgedTool(tool: ExtensionTool): BridgedTool {
  const { name, description, parameters, label, promptSnippet, promptGuidelines, executionMode } = tool;
  return {
    name,
    description: description ?? '',
    parameters: toJson(parameters) as Record<string, unknown>,
    ...(label !== undefined && { label: String(label) }),
    ...(promptSnippet !== undefined && { promptSnippet }),
    ...(promptGuidelines !== undefined && { promptGuidelines: [...promptGuidelines] }),
    ...(executionMode !== undefined && { executionMode }),
    prepares: typeof tool.prepareArguments === 'function',
    renders: typeof tool.renderCall === 'function' || typeof tool.renderResult === 'function',
  };
}

function toBridgedCommand(name: string, { description }: CommandOptions): BridgedCommand {
  return { name, ...(typeof description === 'string' && { description }) };
}

function toBridgedFlag(name: string, { type, description }: FlagOptions): BridgedFlag {
  return { name, type, ...(typeof description === 'string' && { description }) };
}

function toBridgedProvider(name: string, config: ProviderConfig): BridgedProvider {
  return { name, config: toJson(config) as Record<string, unknown>, streams: typeof config.streamSimple === 'function' };
}

/** Without functions and symbols, of which schemas and configurations have some. */
function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}
