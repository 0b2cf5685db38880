import type { Agent } from '../../agent/agent.js';
import type { ModelChoice } from '../../agent/model-choice.js';
import type { ModelSource } from '../../agent/ports.js';
import type { SessionControl } from '../../agent/session-control.js';
import type { ExtensionInfo, ToolInfo } from '../../protocol/commands/extensions.js';
import type { SlashCommand } from '../../protocol/commands/resources.js';
import type { Diagnostic } from '../../protocol/commands/state.js';
import type { ImageContent } from '../../protocol/content.js';
import type { Attachment } from '../../protocol/messages.js';
import type { UiResponse } from '../../protocol/ui.js';

export interface PromptText {
  message: string;
  images?: ImageContent[] | undefined;
  attachments?: Attachment[] | undefined;
}

/** What becomes of a client's text: commands of extensions, what extensions make of it, skills and templates, the agent. */
export interface PromptService {
  prompt(text: PromptText, source: 'rpc', whileRunning?: 'steering' | 'followUp'): Promise<Submission>;
  queue(text: PromptText, kind: 'steering' | 'followUp'): Promise<Submission>;
  /** An extension has a say in this text, which may take any time. */
  mayTakeTime(text: string): boolean;
}

export interface Submission {
  disposition: 'started' | 'queued' | 'handled';
  begin?: (() => void) | undefined;
}

/** Extensions, as clients may ask about them. */
export interface ExtensionService {
  /** False while they are loaded. */
  readonly isReady: boolean;
  readonly ready: Promise<void>;
  /** The chosen model may be one that an extension offers. */
  readonly isModelSettled: boolean;
  readonly pendingDialogs: { id: string; method: string; title: string }[];
  /** Resolves when handlers have heard of what a client changed; undefined when there is nothing to wait for. */
  heard(): Promise<void> | undefined;
  answerDialog(response: UiResponse): void;
  info(): ExtensionInfo[];
  toolInfo(): ToolInfo[];
  setActiveTools(names: readonly string[]): string[];
  reload(): Promise<void>;
  /** `ctx.signal` of extensions fires. */
  runAborted(): void;
}

/** What the handlers of commands work on; made by the composition root. */
export interface RpcServices {
  agent: Agent;
  models: ModelChoice;
  source: ModelSource;
  session: SessionControl;
  autoCompaction: { readonly enabled: boolean; set(enabled: boolean): Promise<void> };
  diagnostics: () => Promise<readonly Diagnostic[]>;
  slashCommands: () => Promise<SlashCommand[]>;
  prompting: PromptService;
  extensions: ExtensionService;
  /** Keeps a setting for later sessions too. */
  remember: (key: string, value: string) => Promise<void>;
  capabilities: { version: string; flags: readonly string[] };
}
