import type { AgentMessage, AssistantMessage } from '../../../protocol/messages.js';
import type { Model, ThinkingLevel } from '../../../protocol/model.js';
import type { AgentSessionEvent } from './session-events.js';
import type { AgentSessionParts } from './session-parts.js';
import type { AgentTool } from './tool-shape.js';

/** What a session does now and is made of. Assigning replaces it. Source: sdk document, "Agent and AgentState". */
export interface AgentState {
  messages: AgentMessage[];
  tools: AgentTool[];
  systemPrompt: string;
  model: Model | undefined;
  thinkingLevel: ThinkingLevel;
  readonly isStreaming: boolean;
  readonly streamingMessage: AssistantMessage | undefined;
  readonly errorMessage: string | undefined;
}

/** What of its session this looks at. */
interface FacedSession {
  readonly sessionId: string;
  readonly messages: AgentMessage[];
  readonly systemPrompt: string;
  readonly model: Model | undefined;
  readonly thinkingLevel: ThinkingLevel;
  readonly isStreaming: boolean;
  subscribe(listener: (event: AgentSessionEvent) => void): () => void;
}

/** `session.agent`: the state, and waiting for the end of a run. */
export class AgentFacade {
  readonly state: AgentState;
  readonly #session: FacedSession;
  readonly #parts: AgentSessionParts;

  constructor(session: FacedSession, parts: AgentSessionParts) {
    this.#session = session;
    this.#parts = parts;
    this.state = this.#makeState();
  }

  get sessionId(): string {
    return this.#session.sessionId;
  }

  get signal(): AbortSignal | undefined {
    return this.#parts.agent.signal;
  }

  waitForIdle(): Promise<void> {
    return this.#parts.agent.whenIdle();
  }

  abort(): void {
    void this.#parts.agent.abort();
  }

  subscribe(listener: (event: AgentSessionEvent) => void): () => void {
    return this.#session.subscribe(listener);
  }

  #makeState(): AgentState {
    const session = this.#session;
    const parts = this.#parts;
    return {
      get messages() {
        return session.messages;
      },
      set messages(messages) {
        const given = [...messages];
        parts.manager.resetLeaf();
        for (const message of given) parts.manager.appendMessage(message);
      },
      get tools() {
        return parts.tools.agentTools;
      },
      set tools(tools) {
        const known = new Set(parts.tools.agentTools);
        for (const tool of tools) if (!known.has(tool)) parts.tools.add(tool);
        parts.tools.setActive(tools.map(({ name }) => name));
      },
      get systemPrompt() {
        return session.systemPrompt;
      },
      set systemPrompt(text) {
        parts.overrides.systemPrompt = text;
      },
      get model() {
        return session.model;
      },
      set model(model) {
        if (model) parts.models.use(model);
      },
      get thinkingLevel() {
        return session.thinkingLevel;
      },
      set thinkingLevel(level) {
        parts.models.setLevel(level);
      },
      get isStreaming() {
        return session.isStreaming;
      },
      get streamingMessage() {
        return parts.events.streaming;
      },
      get errorMessage() {
        const last = session.messages.at(-1);
        return last?.role === 'assistant' ? last.errorMessage : undefined;
      },
    };
  }
}
