import { CodedError } from '../../base/coded-error.js';
import { StoppableClock } from '../../base/stoppable-clock.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { LoadSettings } from '../contract/lifecycle.js';
import type { CommandContext, ExtensionContext } from '../contract/public.js';
import type { WorkerExtension } from './current-extension.js';
import type { Registrations } from './registrations.js';

interface InstanceParts {
  registrations: Registrations;
  context: ExtensionContext;
  commandContext: CommandContext;
}

/** One life of one extension: from its factory to a reload, another session, or the end. */
export class ExtensionInstance {
  readonly extension: WorkerExtension;
  readonly settings: LoadSettings;
  /** Milliseconds for each of its handlers, where its settings say so. */
  readonly hookMs: number | undefined;
  readonly clock = new StoppableClock();
  /** Aborted when the instance ends: its dialogs are withdrawn. */
  readonly ending = new AbortController();
  #phase: 'loading' | 'active' | 'ended' = 'loading';
  #parts: InstanceParts | undefined;

  constructor(extension: WorkerExtension, settings: LoadSettings, hookMs?: number) {
    this.extension = extension;
    this.settings = settings;
    this.hookMs = hookMs;
  }

  get name(): string {
    return this.extension.name;
  }

  get isActive(): boolean {
    return this.#phase === 'active';
  }

  get registrations(): Registrations {
    return this.#made().registrations;
  }

  get context(): ExtensionContext {
    return this.#made().context;
  }

  get commandContext(): CommandContext {
    return this.#made().commandContext;
  }

  complete(parts: InstanceParts): void {
    this.#parts = parts;
  }

  activate(): void {
    this.#phase = 'active';
  }

  end(): void {
    this.#phase = 'ended';
    this.ending.abort(stale(this.name, 'It'));
  }

  /** Throws when the instance is no longer in use: its `pi` and `ctx` belong to a session that was replaced. */
  assertAlive(member: string): void {
    if (this.#phase === 'ended') throw stale(this.name, member);
  }

  /** Throws as well while the factory runs: there is no session yet that could be acted on. */
  assertActive(member: string): void {
    this.assertAlive(member);
    if (this.#phase === 'loading') {
      throw new CodedError(
        BOUNDARY_ERRORS.NOT_LOADED,
        `${member}: the extension runtime is not initialized while the extension loads. Call it from a handler, a command or a tool`,
      );
    }
  }

  #made(): InstanceParts {
    if (!this.#parts) throw new Error(`${this.name} was used before it was made`);
    return this.#parts;
  }
}

function stale(extension: string, member: string): CodedError {
  return new CodedError(
    BOUNDARY_ERRORS.NOT_LOADED,
    `${member}: this extension instance (${extension}) is stale after a reload or a change of session. Use the ctx given to withSession or to the next handler`,
  );
}
