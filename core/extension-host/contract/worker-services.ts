import type { AgentMessage } from '../../protocol/messages.js';
import type { Model, ThinkingLevel } from '../../protocol/model.js';
import type { ModelAnswer, ModelStreamEvent } from '../../protocol/model-stream.js';
import type { ToolDefinition } from '../../protocol/tool.js';

/** What the packages that extensions import need of the worker they run in. The worker sets it before it loads the first extension. */
export interface WorkerServices {
  /** Of this program. */
  readonly version: string;
  /** Folder of settings, sessions and credentials, absolute. */
  readonly agentDir: string;
  /** What starts this program again: what `process.argv[1]` is in the worker. */
  readonly cliPath: string;
  /** Every model known at this moment, also those without credentials and those of extensions. Read without waiting. */
  models(): readonly Model[];
  /** What a request to `model` needs. Rejects with a coded error that says which variable or file to set. */
  credentials(model: Model): Promise<{ apiKey?: string | undefined; headers: Record<string, string> }>;
  /**
   * Has the core ask `model` with its own credentials, hooks and connections. Gives the steps of the answer, then one
   * `answer`, and ends. Rejects only when the core can't be asked. `start` carries the message as it was when it was sent.
   */
  streamModel(
    model: Model,
    context: WorkerModelContext,
    options: WorkerModelOptions,
    signal: AbortSignal,
  ): AsyncIterable<WorkerModelEvent>;
}

/** Plain data: what is asked, already without functions. */
export interface WorkerModelContext {
  systemPrompt: string;
  messages: readonly AgentMessage[];
  tools: readonly ToolDefinition[];
}

/** Plain data. */
export interface WorkerModelOptions {
  /** Clamped to the model. */
  thinkingLevel: ThinkingLevel;
  thinkingBudgets?: Partial<Record<ThinkingLevel, number>>;
  /** Tokens of answer. */
  maxTokens?: number;
  /** Added to the headers of the request; null takes one away. */
  headers?: Record<string, string | null>;
  sessionId?: string;
  /** Milliseconds of silence after which the stream is broken. */
  idleTimeoutMs?: number;
  /** Fields to set in the request's body in the provider's own words, such as `temperature`. */
  bodyFields?: Record<string, unknown>;
}

export type WorkerModelEvent = ModelStreamEvent | { type: 'answer'; answer: ModelAnswer };

let current: WorkerServices | undefined;

/** Called by the worker, once; a test may set its own, or take it back with `undefined`. */
export function setWorkerServices(services: WorkerServices | undefined): void {
  current = services;
}

/** The services of this worker; undefined when the packages are imported outside of one. */
export function workerServices(): WorkerServices | undefined {
  return current;
}
