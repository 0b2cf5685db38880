import { CodedError, messageOf } from '../../base/coded-error.js';
import { withDeadline } from '../../base/deadline.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { ExtensionRef, LoadOutcome, LoadSettings } from '../contract/lifecycle.js';
import type { CallContext, Implementation } from '../contract/method.js';
import type { BashOperations, ExtensionTool, ThemeApi } from '../contract/public.js';
import type { WorkerContract } from '../contract/sides.js';
import type { BridgedToolResult } from '../contract/tools.js';
import { type ContextParts, createCommandContext, createContext } from './context.js';
import type { CorePort } from './core-port.js';
import type { CurrentExtension, WorkerExtension } from './current-extension.js';
import { EventBus, writableOrNothing } from './event-bus.js';
import { createExtensionApi } from './extension-api.js';
import type { Intrinsics } from './fixed-intrinsics.js';
import { Handles } from './handles.js';
import { ExtensionInstance } from './instance.js';
import { withoutLosses } from './json-value.js';
import type { Leftovers } from './leftovers.js';
import { LiveMessage } from './live-message.js';
import { loadFactory, type ModuleSource } from './load-factory.js';
import { streamProvider } from './provider-stream.js';
import { Registrations } from './registrations.js';
import { renderTool } from './render-tool.js';
import { type HookRun, runHook, tellListeners } from './run-hook.js';
import { RunSignals } from './run-signals.js';
import { createSessionReader } from './session-manager.js';

export interface RuntimeOptions {
  current: CurrentExtension;
  core: CorePort;
  leftovers: Leftovers;
  modules: ModuleSource;
  theme: () => ThemeApi;
  loadPiAi: ContextParts['loadPiAi'];
  /** A factory that only waits is given up after this. */
  loadMs: number;
  intrinsics: Intrinsics;
}

type Fields = Record<string, unknown>;

/** The extensions of this worker, and what the core may do with them. */
export class ExtensionRuntime {
  readonly #options: RuntimeOptions;
  /** By name, in order of loading. */
  readonly #instances = new Map<string, ExtensionInstance>();
  readonly #handles: Handles;
  readonly #bus: EventBus;
  readonly #signals = new RunSignals();
  readonly #live = new LiveMessage();
  readonly #hookRun: HookRun;
  readonly #contextParts: ContextParts;
  #chainedPrompt: string | undefined;
  #count = 0;

  constructor(options: RuntimeOptions) {
    const { current, core, theme, intrinsics } = options;
    this.#options = options;
    this.#handles = new Handles(current);
    this.#bus = new EventBus({
      current,
      onFailure: (extension, channel, error) => this.failed(extension, `events:${channel}`, error),
      forward: (extension, channel, data) => {
        const writable = writableOrNothing(data);
        core.notify('bus.emit', [extension.name, channel.slice(0, 200), writable === undefined ? [] : [writable]]);
      },
    });
    this.#hookRun = { current, onFailure: (failure) => core.notify('hooks.failed', [failure]), isBroken: intrinsics.isBroken };
    this.#contextParts = {
      core,
      view: createSessionReader(core),
      current,
      handles: this.#handles,
      signals: this.#signals,
      theme,
      loadPiAi: options.loadPiAi,
      chainedPrompt: () => this.#chainedPrompt,
      refreshModels: () => this.#refreshModels(),
      freshInstance: (name) => this.#instances.get(name),
    };
  }

  /** Something of an extension's code failed where nobody waits for it. */
  failed(extension: WorkerExtension | undefined, where: string, error: unknown): void {
    const stack = error instanceof Error && typeof error.stack === 'string' ? { stack: error.stack } : {};
    const name = extension?.name ?? this.#extensionIn(stack.stack) ?? '';
    this.#options.core.notify('hooks.failed', [
      { extension: name, hook: where.slice(0, 200), message: messageOf(error), ...stack, ...this.#brokenCode(error) },
    ]);
  }

  /** Loads one extension; what goes wrong in its code is a value, as it is nothing unexpected. */
  async load(ref: ExtensionRef, settings: LoadSettings): Promise<LoadOutcome['failure'] | null> {
    const { current, core, modules, loadMs, intrinsics } = this.#options;
    const extension: WorkerExtension = { ...ref, index: this.#count++ };
    const instance = new ExtensionInstance(extension, settings, ref.hookMs);
    const context = createContext(instance, this.#contextParts);
    instance.complete({
      registrations: this.#registrations(instance),
      context,
      commandContext: createCommandContext(context, instance, this.#contextParts),
    });
    const api = createExtensionApi(instance, core, this.#bus);
    try {
      const running = current.run(extension, async () => {
        const factory = await loadFactory(modules, ref.path);
        // In a run of its own: the mark in shared memory ends with the synchronous part.
        await current.run(extension, () => factory(api));
      });
      await withDeadline(running, ref.loadMs ?? loadMs, `the factory of ${ref.name}`);
      intrinsics.assertIntact();
      instance.registrations.commit();
      instance.activate();
      this.#instances.set(ref.name, instance);
      return null;
    } catch (error) {
      this.#end(instance);
      return {
        message: messageOf(error),
        ...(error instanceof Error && error.stack && { stack: error.stack }),
        ...this.#brokenCode(error),
      };
    }
  }

  /** Ends all instances. What they left running is stopped; their `pi` and `ctx` throw from now on. */
  unload(): boolean {
    for (const instance of this.#instances.values()) this.#end(instance);
    this.#instances.clear();
    const { modules } = this.#options;
    modules.renew();
    return !modules.nativeChanged();
  }

  /** The end for good: what `exit` handlers want to do is done now. */
  stop(): void {
    this.#options.leftovers.runExitHandlers((extension, error) => this.failed(extension, 'exit', error));
    this.unload();
  }

  implementation(): Implementation<WorkerContract> {
    const { current } = this.#options;
    return {
      'hooks.run': ([names, event, outcome], call) =>
        current.answering(call.signal, () => this.#runHook(names, event, outcome, call)),
      'hooks.emit': ([event]) => {
        this.#live.follow(event);
        tellListeners(this.#instances.values(), event, this.#hookRun);
      },
      'hooks.leave': ([name]) => {
        const instance = this.#instances.get(name);
        if (instance) this.#end(instance);
        return this.#instances.delete(name);
      },
      'hooks.run_ended': ([runId, aborted]) => this.#signals.ended(runId, aborted),
      'tools.execute': ([name, tool, toolCallId, args], call) => this.#executeTool(name, tool, toolCallId, args, call),
      'tools.prepare': ([name, toolName, args]) => {
        const { instance, tool } = this.#findTool(name, toolName);
        return this.#options.current.run(instance.extension, () => tool.prepareArguments?.(args) ?? args);
      },
      'tools.render': ([name, toolName, call]) => {
        const { instance, tool } = this.#findTool(name, toolName);
        return this.#options.current.run(instance.extension, () => renderTool(tool, call, this.#options.theme()));
      },
      'commands.run': async ([name, commandName, args], { progress }) => {
        const instance = this.#find(name);
        const command = instance.registrations.command(commandName);
        if (!command) throw new CodedError(BOUNDARY_ERRORS.NOT_LOADED, `Extension ${name} has no command ${commandName}`);
        progress(true);
        await this.#watched(instance, () => command.handler(args, instance.commandContext));
        return true;
      },
      'handles.call': ([id, args], call) => this.#handles.call(id, args, call),
      'handles.release': ([id]) => this.#handles.release(id),
      'providers.stream': ([name, provider, request], { signal, progress }) => {
        const instance = this.#find(name);
        const config = instance.registrations.provider(provider);
        if (!config?.streamSimple)
          throw new CodedError(BOUNDARY_ERRORS.NOT_LOADED, `Extension ${name} has no provider ${provider}`);
        return this.#options.current.run(instance.extension, () => streamProvider(config, request, signal, progress));
      },
      'bus.emit': ([channel, [data]]) => this.#bus.deliver(channel, data),
    };
  }

  async #runHook(names: readonly string[], event: Fields, outcome: Fields, { signal }: CallContext<never>) {
    const type = String(event.type);
    const instances = names.flatMap((name) => this.#instances.get(name) ?? []);
    if (type === 'session_before_compact' || type === 'session_before_tree') {
      // Not enumerable: it is no part of what crosses.
      Object.defineProperty(event, 'signal', { value: signal });
    }
    this.#live.follow(event);
    if (type !== 'before_agent_start')
      return this.#withOperations(await runHook(instances, event, outcome, this.#hookRun), instances);
    this.#chainedPrompt = String(event.systemPrompt);
    try {
      const onStep = (now: Fields): void => {
        this.#chainedPrompt = String(now.systemPrompt);
      };
      return await runHook(instances, event, outcome, { ...this.#hookRun, onStep });
    } finally {
      this.#chainedPrompt = undefined;
    }
  }

  /** `operations` of `user_bash` are functions: they stay here, and the core gets a number to call them by. */
  #withOperations(
    result: Awaited<ReturnType<typeof runHook>>,
    instances: readonly ExtensionInstance[],
  ): Awaited<ReturnType<typeof runHook>> {
    const operations = result.outcome.operations as BashOperations | undefined;
    const [owner] = instances;
    if (operations === undefined || !owner) return result;
    const handle = this.#handles.add(owner.extension, async ([command, cwd, options], { signal, progress }) =>
      operations.exec(String(command), String(cwd), {
        ...(options as Fields),
        signal,
        onData: (data) => progress(typeof data === 'string' ? data : data.toString('utf8')),
      }),
    );
    return { ...result, outcome: { ...result.outcome, operations: { handle, extension: owner.name } } };
  }

  async #executeTool(
    name: string,
    toolName: string,
    toolCallId: string,
    args: Fields,
    { signal, progress }: CallContext<BridgedToolResult>,
  ): Promise<BridgedToolResult> {
    const { instance, tool } = this.#findTool(name, toolName);
    const member = `the result of the tool ${toolName}`;
    const update = (partial: unknown): void => progress(withoutLosses(asResult(partial), member, name) as BridgedToolResult);
    const outcome = await this.#options.current.answering(signal, () =>
      this.#watched(instance, () => tool.execute(toolCallId, args as never, signal, update, instance.context)),
    );
    return withoutLosses(asResult(outcome), member, name) as BridgedToolResult;
  }

  /** Providers that can tell which models they have now are asked; one that fails keeps those it had. */
  async #refreshModels(): Promise<void> {
    const asked = [...this.#instances.values()].flatMap((instance) =>
      [...instance.registrations.providers].map(async ([name, config]) => {
        if (typeof config.refreshModels !== 'function') return;
        try {
          const models = await this.#options.current.run(instance.extension, () =>
            config.refreshModels?.({ signal: instance.ending.signal }),
          );
          if (Array.isArray(models)) instance.registrations.addProvider(name, { ...config, models });
        } catch (error) {
          this.failed(instance.extension, 'refreshModels', error);
        }
      }),
    );
    await Promise.all(asked);
  }

  #registrations(instance: ExtensionInstance): Registrations {
    const { core } = this.#options;
    const { name } = instance;
    const told = new Set<string>();
    return new Registrations({
      all: (registrations) => core.sync('register.all', [name, registrations]),
      subscribed: (event, active) => core.notify('hooks.subscribed', [name, event.slice(0, 200), active]),
      tool: (tool) => core.sync('register.tool', [name, tool]),
      command: (command) => core.sync('register.command', [name, command]),
      flag: (flag) => core.sync('register.flag', [name, flag]),
      provider: (provider) => core.sync('register.provider', [name, provider]),
      noProvider: (provider) => core.sync('register.no_provider', [name, provider]),
      refused: (member, why) => {
        // One report of each kind says it all.
        if (told.has(member)) return;
        told.add(member);
        this.failed(instance.extension, `pi.${member}`, new Error(why));
      },
    });
  }

  /** Runs code whose failure is told to the one who asked; that it can't work in this worker is told to the core as well. */
  async #watched<T>(instance: ExtensionInstance, code: () => T): Promise<Awaited<T>> {
    try {
      return await this.#options.current.run(instance.extension, code);
    } catch (error) {
      if (this.#options.intrinsics.isBroken(error)) this.failed(instance.extension, 'intrinsics', error);
      throw error;
    }
  }

  #brokenCode(error: unknown): { code?: string } {
    return this.#options.intrinsics.isBroken(error) ? { code: BOUNDARY_ERRORS.INTRINSIC_FIXED } : {};
  }

  #end(instance: ExtensionInstance): void {
    instance.end();
    this.#bus.removeAllOf(instance.extension);
    this.#handles.releaseAllOf(instance.extension);
    this.#options.leftovers.clear(instance.extension);
  }

  #find(name: string): ExtensionInstance {
    const instance = this.#instances.get(name);
    if (!instance) throw new CodedError(BOUNDARY_ERRORS.NOT_LOADED, `Extension ${name} is not loaded`);
    return instance;
  }

  #findTool(name: string, toolName: string): { instance: ExtensionInstance; tool: ExtensionTool } {
    const instance = this.#find(name);
    const tool = instance.registrations.tool(toolName);
    if (!tool) throw new CodedError(BOUNDARY_ERRORS.NOT_LOADED, `Extension ${name} has no tool ${toolName}`);
    return { instance, tool };
  }

  /** The extension whose file a stack names first; the longest path wins where one lies in another's folder. */
  #extensionIn(stack: string | undefined): string | undefined {
    for (const line of stack?.split('\n') ?? []) {
      const found = [...this.#instances.values()]
        .map(({ extension }) => extension)
        .filter(({ path }) => line.includes(path) || line.includes(folderOf(path)))
        .sort((one, other) => other.path.length - one.path.length)[0];
      if (found) return found.name;
    }
    return undefined;
  }
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1) || path;

/** A tool may leave out `content`, or answer with a text: the model gets something all the same. */
function asResult(value: unknown): unknown {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (typeof value !== 'object' || value === null) return { content: [] };
  const { content } = value as Fields;
  if (Array.isArray(content)) return value;
  return { ...value, content: typeof content === 'string' ? [{ type: 'text', text: content }] : [] };
}
