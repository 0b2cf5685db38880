import type { StoredEntry } from '../protocol/commands/session.js';
import type { AgentMessage } from '../protocol/messages.js';
import type { EntryIndex } from './entry-index.js';
import { contextMessage, retainedTail } from './stored-message.js';

/** What a branch reads its entries from. */
export interface BranchSource {
  readonly index: EntryIndex;
  /** The parsed entry; the same object for as long as it is in a context. */
  entry(at: number): StoredEntry;
}

/** Which model a branch last used or chose. */
export interface RecordedModel {
  provider: string;
  modelId: string;
}

/**
 * The current branch as the model sees it. Appending costs the new entry; a change of leaf or a compaction costs the branch
 * since the last compaction, never the file. Messages are parsed when they are first asked for.
 * Source: session-format document, "Context Building".
 */
export class Branch {
  readonly #source: BranchSource;
  #leaf = -1;
  /** The compaction in force, -1 without one. */
  #compaction = -1;
  /** Messages the compaction carries itself. */
  #carried: AgentMessage[] = [];
  /** Entries after the summary, oldest first; the first `#kept` are from before the compaction. */
  #entries: number[] = [];
  #kept = 0;
  /** Undefined until somebody asks. */
  #messages: AgentMessage[] | undefined;
  readonly #converted = new WeakMap<StoredEntry, AgentMessage>();
  #model: RecordedModel | null | undefined;
  #thinkingLevel: string | null | undefined;

  constructor(source: BranchSource) {
    this.#source = source;
  }

  /** Position of the leaf, -1 when the branch is empty. */
  get leaf(): number {
    return this.#leaf;
  }

  /** How many messages the context has. */
  get messageCount(): number {
    return (this.#compaction < 0 ? 0 : 1) + this.#carried.length + this.#entries.length;
  }

  /** Positions of the entries whose parsed form the context holds. */
  get entries(): readonly number[] {
    return this.#entries;
  }

  /** The compaction in force, -1 without one. */
  get compaction(): number {
    return this.#compaction;
  }

  /** The branch grew by an entry that hangs below the leaf. Returns true when the context was built anew. */
  grew(at: number): boolean {
    this.#leaf = at;
    const { index } = this.#source;
    const type = index.types[at];
    if (type === 'compaction') {
      this.#rebuild();
      return true;
    }
    if (type === 'model_change' || index.hasRole(at, 'assistant')) this.#model = undefined;
    if (type === 'thinking_level_change') this.#thinkingLevel = undefined;
    if (!this.#isInContext(at)) return false;
    this.#entries.push(at);
    if (this.#messages) this.#messages.push(this.#message(at));
    return false;
  }

  /** Another leaf; -1 for none. */
  moveTo(at: number): void {
    const { index } = this.#source;
    const old = this.#leaf;
    this.#leaf = at;
    this.#model = undefined;
    this.#thinkingLevel = undefined;
    // One step back, as before a retry, needs no walk.
    if (old < 0 || index.parent(old) !== at || old === this.#compaction) {
      this.#rebuild();
      return;
    }
    if (this.#entries.at(-1) !== old) return;
    this.#entries.pop();
    this.#messages?.pop();
  }

  /** The context, oldest first. The array grows with the branch. */
  messages(): AgentMessage[] {
    if (this.#messages) return this.#messages;
    const messages: AgentMessage[] = [];
    if (this.#compaction >= 0) messages.push(this.#message(this.#compaction));
    messages.push(...this.#carried);
    for (const at of this.#entries) messages.push(this.#message(at));
    this.#messages = messages;
    return messages;
  }

  /** Entry ids and messages after the summary in force, oldest first, with those it kept. */
  items(): { id: string; message: AgentMessage }[] {
    return this.#entries.map((at) => ({ id: this.#source.index.ids[at] ?? '', message: this.#message(at) }));
  }

  /** Messages that the compaction in force carries itself. */
  get carried(): readonly AgentMessage[] {
    return this.#carried;
  }

  /** True when nothing came after the compaction in force. */
  get isFresh(): boolean {
    return this.#compaction >= 0 && this.#entries.length === this.#kept;
  }

  /** Messages after the compaction (or all), newest first, parsing no more than are taken. */
  *newestFirst(): Generator<AgentMessage> {
    for (let i = this.#entries.length - 1; i >= this.#kept; i--) {
      const at = this.#entries[i];
      if (at !== undefined) yield this.#message(at);
    }
  }

  model(): RecordedModel | undefined {
    if (this.#model === undefined) this.#model = this.#findModel() ?? null;
    return this.#model ?? undefined;
  }

  thinkingLevel(): string | undefined {
    if (this.#thinkingLevel === undefined) this.#thinkingLevel = this.#findThinkingLevel() ?? null;
    return this.#thinkingLevel ?? undefined;
  }

  #isInContext(at: number): boolean {
    const { index } = this.#source;
    const type = index.types[at];
    return type === 'message' ? index.hasMessage(at) : type === 'custom_message' || type === 'branch_summary';
  }

  #rebuild(): void {
    const { index } = this.#source;
    this.#messages = undefined;
    this.#compaction = -1;
    this.#carried = [];
    this.#kept = 0;
    const newestFirst: number[] = [];
    for (const at of index.up(this.#leaf)) {
      if (index.types[at] === 'compaction') {
        this.#compaction = at;
        break;
      }
      if (this.#isInContext(at)) newestFirst.push(at);
    }
    if (this.#compaction >= 0) {
      const compaction = this.#source.entry(this.#compaction);
      const carried = retainedTail(compaction);
      if (carried) this.#carried = carried;
      else {
        const kept = this.#keptBefore(compaction.firstKeptEntryId);
        this.#kept = kept.length;
        newestFirst.push(...kept);
      }
    }
    this.#entries = newestFirst.reverse();
  }

  /** Entries from the first kept one up to the compaction, newest first; none when that one is not on the branch. */
  #keptBefore(firstKeptId: unknown): number[] {
    const { index } = this.#source;
    const kept: number[] = [];
    for (const at of index.up(index.parent(this.#compaction))) {
      if (this.#isInContext(at)) kept.push(at);
      if (index.ids[at] === firstKeptId) return kept;
    }
    return [];
  }

  #message(at: number): AgentMessage {
    const entry = this.#source.entry(at);
    const known = this.#converted.get(entry);
    if (known) return known;
    const message = contextMessage(entry);
    // #isInContext let only entries through that make a message.
    if (!message) throw new Error(`Entry ${entry.id} of type ${entry.type} has no message`);
    this.#converted.set(entry, message);
    return message;
  }

  #findModel(): RecordedModel | undefined {
    const { index } = this.#source;
    for (const at of index.up(this.#leaf)) {
      if (index.types[at] === 'model_change') {
        const { provider, modelId } = this.#source.entry(at);
        if (typeof provider === 'string' && typeof modelId === 'string') return { provider, modelId };
      } else if (index.hasRole(at, 'assistant')) {
        const message = this.#message(at);
        if (message.role === 'assistant' && message.provider !== '' && message.model !== '') {
          return { provider: message.provider, modelId: message.model };
        }
      }
    }
    return undefined;
  }

  #findThinkingLevel(): string | undefined {
    const { index } = this.#source;
    for (const at of index.up(this.#leaf)) {
      if (index.types[at] !== 'thinking_level_change') continue;
      const { thinkingLevel } = this.#source.entry(at);
      if (typeof thinkingLevel === 'string') return thinkingLevel;
    }
    return undefined;
  }
}
