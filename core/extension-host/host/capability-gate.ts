import { CodedError } from '../../base/coded-error.js';
import { BUS_NEED, eventNeed, MEMBER_NEEDS, type Need, OVERRIDE_NEED, STATE_NEEDS } from '../contract/capabilities.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import { HOOKS } from '../contract/hooks.js';
import type { BridgedRegistrations } from '../contract/registrations.js';
import type { StateTopic } from '../contract/state.js';
import type { ExtensionRecord } from './extension-record.js';

export interface CapabilityGateOptions {
  recordOf: (extension: string) => ExtensionRecord | undefined;
  /** Names of the program's own tools. */
  isBuiltInTool: (name: string) => boolean;
  /** Something was refused that fails nowhere else: told once for each. */
  onDenied: (record: ExtensionRecord, message: string) => void;
}

/** What a bridge asks before anything crosses it. */
export interface Gate {
  /**
   * The arguments that may pass; null for a note that is dropped. `speaker` where one extension has the whole channel. Throws
   * `CAPABILITY_DENIED`.
   */
  admit(member: string, args: readonly unknown[], speaker?: string): readonly unknown[] | null;
  admitEvent(extension: string, event: string): boolean;
  /** Whether it only hears of these events: what it says to them counts for nothing. */
  onlyObserves(extension: string, event: string): boolean;
  hearsBus(extension: string): boolean;
}

/**
 * Decides at the core's end of the boundary what extensions that are not trusted may do. What the contract's table of needs does not name, they
 * may not.
 */
export class CapabilityGate implements Gate {
  readonly #options: CapabilityGateOptions;
  readonly #told = new WeakMap<ExtensionRecord, Set<string>>();

  constructor(options: CapabilityGateOptions) {
    this.#options = options;
  }

  admit(member: string, args: readonly unknown[], speaker?: string): readonly unknown[] | null {
    const record = this.#restricted(speaker ?? args[0]);
    if (record === 'trusted') return args;
    if (member === 'register.all') return [args[0], this.#registrations(record, args[1] as BridgedRegistrations)];
    if (member === 'register.tool') this.#assertNotBuiltIn(record, (args[1] as { name: string }).name);
    const need = Object.hasOwn(MEMBER_NEEDS, member) ? MEMBER_NEEDS[member as keyof typeof MEMBER_NEEDS] : UNKNOWN;
    const refusal = this.#refusal(record, need, args);
    if (!refusal) return args;
    if (!NOTES.has(member)) throw refusal;
    this.#tellOnce(record, refusal.message);
    return null;
  }

  admitEvent(extension: string, event: string): boolean {
    const record = this.#restricted(extension);
    return record === 'trusted' || this.#admits(record, eventNeed(event));
  }

  onlyObserves(extension: string, event: string): boolean {
    return this.#restricted(extension) !== 'trusted' && !Object.hasOwn(HOOKS, event);
  }

  /** Throws when the extension may not read this state. */
  assertState(extension: string, topic: StateTopic): void {
    const record = this.#restricted(extension);
    const refusal = record === 'trusted' ? undefined : this.#refusal(record, STATE_NEEDS[topic], []);
    if (refusal) throw refusal;
  }

  hearsBus(extension: string): boolean {
    const record = this.#restricted(extension);
    return record === 'trusted' || this.#refusal(record, BUS_NEED, []) === undefined;
  }

  /** The error for something of an extension that is not granted, which is also noted. */
  deny(record: ExtensionRecord, what: string, capability: string): CodedError {
    record.denied.add(capability);
    const { name, path, level } = record.spec;
    return new CodedError(
      BOUNDARY_ERRORS.DENIED,
      `${what} is refused: the ${level} extension ${name} needs "${capability}" in extensionTrust.overrides[${JSON.stringify(path)}].grants of settings.json`,
      { data: { capability, extension: name } },
    );
  }

  /** Notes of a whole worker name no extension: such workers are those of trusted ones. */
  #restricted(extension: unknown): ExtensionRecord | 'trusted' {
    if (typeof extension !== 'string') return 'trusted';
    const record = this.#options.recordOf(extension);
    return !record || record.spec.level === 'trusted' || record.spec.auditFile !== undefined ? 'trusted' : record;
  }

  #refusal(record: ExtensionRecord, { anyOf, for: what }: Need, args: readonly unknown[]): CodedError | undefined {
    if (anyOf === 'nothing') return undefined;
    if (anyOf === 'trust') {
      record.denied.add('trusted');
      const { name, level } = record.spec;
      const message = `${what} is refused: the extension ${name} is ${level}, and only trusted ones may (extensionTrust in settings.json)`;
      return new CodedError(BOUNDARY_ERRORS.DENIED, message);
    }
    const fill = (text: string): string => text.replace('{1}', String(args[1]));
    const wanted = anyOf.map(fill);
    return record.spec.grants?.hasAny(...wanted) ? undefined : this.deny(record, fill(what), wanted[0] ?? '');
  }

  #admits(record: ExtensionRecord, need: Need): boolean {
    const refusal = this.#refusal(record, need, []);
    if (refusal) this.#tellOnce(record, refusal.message);
    return !refusal;
  }

  /** Of all that a factory registered, what is granted; the extension loads with that. */
  #registrations(record: ExtensionRecord, all: BridgedRegistrations): BridgedRegistrations {
    const ifAny = <T>(list: T[], member: keyof typeof MEMBER_NEEDS): T[] =>
      list.length > 0 && this.#admits(record, MEMBER_NEEDS[member]) ? list : [];
    return {
      ...all,
      events: all.events.filter((event) => this.#admits(record, eventNeed(event))),
      tools: ifAny(all.tools, 'register.tool').filter(
        ({ name }) => !this.#options.isBuiltInTool(name) || this.#admits(record, OVERRIDE_NEED),
      ),
      commands: ifAny(all.commands, 'register.command'),
      providers: ifAny(all.providers, 'register.provider'),
    };
  }

  #assertNotBuiltIn(record: ExtensionRecord, name: string): void {
    const refusal = this.#options.isBuiltInTool(name) ? this.#refusal(record, OVERRIDE_NEED, []) : undefined;
    if (refusal) throw refusal;
  }

  #tellOnce(record: ExtensionRecord, message: string): void {
    const told = this.#told.get(record) ?? new Set();
    this.#told.set(record, told);
    if (told.has(message)) return;
    told.add(message);
    this.#options.onDenied(record, message);
  }
}

const UNKNOWN: Need = { anyOf: 'trust', for: 'This' };
/** Members nobody waits for: refusing them fails no call. */
const NOTES: ReadonlySet<string> = new Set(['ui.notice', 'bus.emit', 'env.set']);
