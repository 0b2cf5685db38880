import type { Model, ThinkingLevel } from '../../protocol/model.js';

/** What the value topics hold. The core makes them, workers read them. */

export interface SessionState {
  id: string;
  /** Left out when nothing is kept on disk. */
  file?: string;
  dir: string;
  cwd: string;
  name?: string;
  leafId: string | null;
  header: Record<string, unknown>;
}

export interface AgentState {
  model: Model | null;
  thinkingLevel: ThinkingLevel;
  scopedModels: { model: Model; thinkingLevel?: ThinkingLevel }[];
  isIdle: boolean;
  hasPendingMessages: boolean;
  /** Names a run; null when none is on. */
  runId: string | null;
  /** Left out without a model. */
  contextUsage?: { tokens: number | null; contextWindow: number; percent: number | null };
  activeTools: string[];
}

/** Before there is an agent. */
export const NO_AGENT: AgentState = {
  model: null,
  thinkingLevel: 'off',
  scopedModels: [],
  isIdle: true,
  hasPendingMessages: false,
  runId: null,
  activeTools: [],
};

export interface ModelsState {
  all: Model[];
  /** `provider/id` of those with credentials. */
  available: string[];
  providers: { id: string; name: string; configured: boolean; source?: string; registered: boolean }[];
  error?: string;
}

/** Where something comes from. Source: rpc-mode document, `get_commands`; `sourceInfo` as today's clients read it. */
export interface SourceInfo {
  path: string;
  source: string;
  scope: string;
  origin: string;
  baseDir?: string | undefined;
}

export interface ToolState {
  name: string;
  label?: string;
  description: string;
  parameters: Record<string, unknown>;
  promptSnippet?: string;
  promptGuidelines?: string[];
  sourceInfo: SourceInfo;
}

export interface CommandState {
  name: string;
  description?: string;
  source: 'extension' | 'prompt' | 'skill';
  sourceInfo: SourceInfo;
}

export interface PromptState {
  text: string;
  /** Source: extensions document, `getSystemPromptOptions`. */
  options: Record<string, unknown>;
}
