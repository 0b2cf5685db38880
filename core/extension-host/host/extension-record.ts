import { CodedError } from '../../base/coded-error.js';
import type { ExtensionLimits, TrustLevel } from '../../trust/extension-trust.js';
import type { Grants } from '../../trust/grants.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import { MAX_COMMANDS, MAX_TOOLS, whyNoCommandName, whyNoFlagName, whyNoToolName } from '../contract/names.js';
import type { BridgedCommand, BridgedFlag, BridgedProvider, BridgedRegistrations } from '../contract/registrations.js';
import type { SourceInfo } from '../contract/state-values.js';
import type { BridgedTool } from '../contract/tools.js';

/** An extension that was found, in the order of rank: what it registers counts in that order, whenever it has loaded. */
export interface ExtensionSpec {
  /** Unique among all. */
  name: string;
  /** Absolute path of the file that is loaded. */
  path: string;
  sourceInfo: SourceInfo;
  level: TrustLevel;
  /** What its author says it needs. */
  declared?: readonly string[];
  /** What its user lets it do; only of one that is not trusted. */
  grants?: Grants;
  limits?: ExtensionLimits;
  /** Everything is allowed for once, and what it uses is written to this file. */
  auditFile?: string;
  /** From the start not among the others. */
  own?: 'worker' | 'process';
}

/** Who asks for something of an extension that is being restarted waits this long, in milliseconds. */
export const RESTART_MS = 10_000;

export type ExtensionState = 'loading' | 'ready' | 'failed' | 'restarting' | 'quarantined';

export interface HookTimes {
  calls: number;
  totalMs: number;
  maxMs: number;
}

/** One extension as the core knows it: where it is in its life, what it registered, how it has behaved. */
export class ExtensionRecord {
  readonly spec: ExtensionSpec;
  #state: ExtensionState = 'loading';
  #waiting: (() => void)[] = [];
  /** Why it is not loaded. */
  reason: string | undefined;
  lastStack: string | undefined;
  loadMs: number | undefined;
  restarts = 0;
  errors = 0;
  /** What it listens to; kept while it is being restarted, so that its gates are waited for. */
  readonly events = new Set<string>();
  /** Capabilities it was refused. */
  readonly denied = new Set<string>();
  readonly hookTimes = new Map<string, HookTimes>();
  readonly tools = new Map<string, BridgedTool>();
  readonly commands = new Map<string, BridgedCommand>();
  readonly flags = new Map<string, BridgedFlag>();
  readonly providers = new Map<string, BridgedProvider>();

  constructor(spec: ExtensionSpec) {
    this.spec = spec;
  }

  get name(): string {
    return this.spec.name;
  }

  get state(): ExtensionState {
    return this.#state;
  }

  set state(state: ExtensionState) {
    this.#state = state;
    if (state !== 'restarting' && state !== 'loading') for (const go of this.#waiting.splice(0)) go();
  }

  /** Resolves when it is neither being loaded nor restarted, or after `ms`. */
  async whenSettled(ms: number): Promise<void> {
    if (this.#state !== 'restarting' && this.#state !== 'loading') return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
      this.#waiting.push(resolve);
    });
    clearTimeout(timer);
  }

  /** Everything a factory registered. Throws and takes nothing when a part of it can't be. */
  registerAll(registrations: BridgedRegistrations): void {
    for (const { name } of registrations.tools) assertName('tool', name, whyNoToolName(name));
    for (const { name } of registrations.commands) assertName('command', name, whyNoCommandName(name));
    for (const { name } of registrations.flags) assertName('flag', name, whyNoFlagName(name));
    if (registrations.tools.length > MAX_TOOLS || registrations.commands.length > MAX_COMMANDS) throw tooMany();
    this.forget();
    for (const tool of registrations.tools) this.tools.set(tool.name, tool);
    for (const command of registrations.commands) this.commands.set(command.name, command);
    for (const flag of registrations.flags) this.flags.set(flag.name, flag);
    for (const event of registrations.events) this.events.add(event);
    for (const provider of registrations.providers) this.providers.set(provider.name, provider);
  }

  registerTool(tool: BridgedTool): void {
    assertName('tool', tool.name, whyNoToolName(tool.name));
    if (!this.tools.has(tool.name) && this.tools.size >= MAX_TOOLS) throw tooMany();
    this.tools.set(tool.name, tool);
  }

  registerCommand(command: BridgedCommand): void {
    assertName('command', command.name, whyNoCommandName(command.name));
    if (!this.commands.has(command.name) && this.commands.size >= MAX_COMMANDS) throw tooMany();
    this.commands.set(command.name, command);
  }

  forget(): void {
    for (const all of [this.tools, this.commands, this.flags, this.providers, this.events]) all.clear();
  }

  took(hook: string, us: number): void {
    const times = this.hookTimes.get(hook) ?? { calls: 0, totalMs: 0, maxMs: 0 };
    this.hookTimes.set(hook, times);
    const ms = us / 1_000;
    times.calls += 1;
    times.totalMs += ms;
    times.maxMs = Math.max(times.maxMs, ms);
  }
}

function assertName(kind: string, name: string, why: string | undefined): void {
  if (why !== undefined)
    throw new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `The ${kind} name ${JSON.stringify(name)} can't be used: ${why}`);
}

function tooMany(): CodedError {
  return new CodedError(BOUNDARY_ERRORS.TOO_LARGE, `An extension may have ${MAX_TOOLS} tools and ${MAX_COMMANDS} commands`);
}
