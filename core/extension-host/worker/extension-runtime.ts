import { CodedError, messageOf } from '../../base/coded-error.js';
import { withDeadline } from '../../base/deadline.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { HookFailure } from '../contract/hooks.js';
import type { ExtensionRef } from '../contract/lifecycle.js';
import type { Implementation } from '../contract/method.js';
import type { ExtensionContext, ExtensionTool } from '../contract/public.js';
import type { CoreForWorkerContract, WorkerContract } from '../contract/sides.js';
import type { BridgedToolResult } from '../contract/tools.js';
import type { Peer } from '../contract/wire/peer.js';
import type { CurrentExtension, WorkerExtension } from './current-extension.js';
import { createExtensionApi, toBridgedTool } from './extension-api.js';
import { loadFactory } from './load-factory.js';
import { Registrations } from './registrations.js';
import { runGate, tellListeners } from './run-hook.js';

type CorePeer = Pick<Peer<WorkerContract, CoreForWorkerContract>, 'notify'>;

/** The extensions of this worker, and what the core may do with them. */
export class ExtensionRuntime {
  readonly #current: CurrentExtension;
  readonly #context: ExtensionContext;
  /** By name, in order of loading. */
  readonly #loaded = new Map<string, Registrations>();
  readonly #loadMs: number;
  #core: CorePeer | undefined;
  #count = 0;

  constructor(current: CurrentExtension, context: ExtensionContext, loadMs: number) {
    this.#current = current;
    this.#context = context;
    this.#loadMs = loadMs;
  }

  /** Must be called before the first message arrives. */
  connect(core: CorePeer): void {
    this.#core = core;
  }

  /** Loads one extension; what goes wrong in its code is a value, as it is nothing unexpected. */
  async load(ref: ExtensionRef): Promise<{ message: string; stack?: string } | null> {
    const extension: WorkerExtension = { ...ref, index: this.#count++ };
    const registrations = new Registrations(extension, {
      subscribed: (who, event, active) => this.#core?.notify('hooks.subscribed', [who.name, event, active]),
      toolRegistered: (who, tool) => this.#core?.notify('tools.registered', [who.name, toBridgedTool(tool)]),
    });
    try {
      const running = this.#current.run(extension, async () => {
        const factory = await loadFactory(ref.path);
        // In a run of its own: the mark in shared memory ends with the synchronous part.
        await this.#current.run(extension, () => factory(createExtensionApi(registrations)));
      });
      await withDeadline(running, this.#loadMs, `the factory of ${ref.name}`);
      this.#loaded.set(ref.name, registrations);
      registrations.commit();
      return null;
    } catch (error) {
      this.#loaded.delete(ref.name);
      return { message: messageOf(error), ...(error instanceof Error && error.stack && { stack: error.stack }) };
    }
  }

  /** Resolves when the shutdown handlers are done. */
  async stop(): Promise<void> {
    const event = { type: 'session_shutdown' };
    const failed = (failure: HookFailure): void => this.#core?.notify('hooks.failed', [failure]);
    await tellListeners(this.#loaded.values(), event, this.#surroundings(), failed);
  }

  implementation(): Implementation<WorkerContract> {
    return {
      'hooks.run': ([hook, names, event]) => {
        const extensions = names.flatMap((name) => this.#loaded.get(name) ?? []);
        return runGate(hook, extensions, event, this.#surroundings());
      },
      'hooks.emit': ([event]) => {
        // Never rejects, and nobody waits for listeners.
        void tellListeners(this.#loaded.values(), event, this.#surroundings(), (failure) =>
          this.#core?.notify('hooks.failed', [failure]),
        );
      },
      'tools.execute': async ([name, toolName, toolCallId, args], { signal, progress }): Promise<BridgedToolResult> => {
        const { extension, tool } = this.#findTool(name, toolName);
        const outcome = await this.#current.run(extension, () => tool.execute(toolCallId, args, signal, progress, this.#context));
        return outcome;
      },
    };
  }

  #findTool(name: string, toolName: string): { extension: WorkerExtension; tool: ExtensionTool } {
    const registrations = this.#loaded.get(name);
    const tool = registrations?.tool(toolName);
    if (!registrations || !tool) throw new CodedError(BOUNDARY_ERRORS.NOT_LOADED, `Extension ${name} has no tool ${toolName}`);
    return { extension: registrations.extension, tool };
  }

  #surroundings() {
    return { current: this.#current, context: this.#context };
  }
}
