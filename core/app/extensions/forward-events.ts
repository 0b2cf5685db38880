import { settledWithin } from '../../base/deadline.js';
import type { Extensions } from '../../extension-host/host/extensions.js';
import type { AgentEvent, AgentEventType } from '../../protocol/events.js';

/** Events of the agent that listeners hear, and whether the agent waits until they have. `message_end` is a hook and told as one. */
const FORWARDED: Partial<Record<AgentEventType, 'waits' | 'told'>> = {
  agent_start: 'waits',
  agent_end: 'waits',
  turn_start: 'waits',
  turn_end: 'waits',
  message_start: 'told',
  message_update: 'told',
  tool_execution_start: 'waits',
  tool_execution_update: 'told',
  tool_execution_end: 'waits',
  agent_settled: 'told',
  session_info_changed: 'waits',
};

/** Events after which what extensions read of the agent may be other than before. */
const CHANGES_STATE: ReadonlySet<AgentEventType> = new Set([
  'agent_start',
  'agent_end',
  'agent_settled',
  'message_end',
  'queue_update',
  'compaction_end',
  'session_info_changed',
  'thinking_level_changed',
  'entry_appended',
]);

const SETTLED_MS = 100;

/** Takes the agent's events to extensions. Gives a promise where the agent shall wait. */
export class EventForwarder {
  readonly #extensions: Extensions;
  #turn = 0;
  #settledHeard: Promise<void> | undefined;

  constructor(extensions: Extensions) {
    this.#extensions = extensions;
  }

  /** Handlers of `agent_settled` find an idle agent: the next prompt waits a moment for them, and no longer. */
  async beforePrompt(): Promise<void> {
    const heard = this.#settledHeard;
    if (!heard) return;
    this.#settledHeard = undefined;
    await settledWithin(heard, SETTLED_MS);
  }

  forward(event: AgentEvent): Promise<void> | undefined {
    if (CHANGES_STATE.has(event.type)) this.#extensions.touch('agent', 'session');
    const how = FORWARDED[event.type];
    if (event.type === 'agent_start') this.#turn = 0;
    if (how === undefined) return undefined;
    const turn = this.#turn;
    if (event.type === 'turn_end') this.#turn += 1;
    if (!this.#extensions.listens(event.type)) {
      // Listeners of a growing message must know how it began.
      if (event.type === 'message_start') this.#extensions.emit(event);
      return undefined;
    }
    const told =
      event.type === 'turn_start'
        ? { ...event, turnIndex: turn, timestamp: Date.now() }
        : event.type === 'turn_end'
          ? { ...event, turnIndex: turn }
          : event;
    if (event.type === 'agent_settled') {
      const heard = this.#extensions.hook(told)?.then(() => undefined);
      this.#settledHeard = heard;
      return undefined;
    }
    if (how === 'told') {
      this.#extensions.emit(told);
      return undefined;
    }
    return this.#extensions.hook(told)?.then(() => undefined);
  }
}
