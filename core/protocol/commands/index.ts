import type * as z from 'zod';
import { abortBashCommand, bashCommand } from './bash.js';
import { getExtensionsCommand, getToolsCommand, reloadCommand, setActiveToolsCommand } from './extensions.js';
import {
  cycleModelCommand,
  cycleThinkingLevelCommand,
  getAvailableModelsCommand,
  getAvailableThinkingLevelsCommand,
  setModelCommand,
  setThinkingLevelCommand,
} from './model.js';
import { abortCommand, clearQueueCommand, followUpCommand, promptCommand, steerCommand } from './prompting.js';
import { getCommandsCommand } from './resources.js';
import {
  cloneCommand,
  compactCommand,
  exportHtmlCommand,
  forkCommand,
  getEntriesCommand,
  getForkMessagesCommand,
  getSessionStatsCommand,
  getTreeCommand,
  newSessionCommand,
  setSessionNameCommand,
  switchSessionCommand,
} from './session.js';
import {
  abortRetryCommand,
  getCapabilitiesCommand,
  getDiagnosticsCommand,
  getEventsCommand,
  getLastAssistantTextCommand,
  getMessagesCommand,
  getStateCommand,
  setAutoCompactionCommand,
  setAutoRetryCommand,
  setFollowUpModeCommand,
  setSteeringModeCommand,
} from './state.js';
import { listSessionsCommand, navigateTreeCommand, setLabelCommand } from './tree.js';

/** The only list of commands: types, validators, dispatch and the reference in docs/ all come from it. */
export const COMMANDS = [
  promptCommand,
  steerCommand,
  followUpCommand,
  abortCommand,
  clearQueueCommand,
  newSessionCommand,
  getStateCommand,
  getMessagesCommand,
  setModelCommand,
  cycleModelCommand,
  getAvailableModelsCommand,
  setThinkingLevelCommand,
  cycleThinkingLevelCommand,
  getAvailableThinkingLevelsCommand,
  setSteeringModeCommand,
  setFollowUpModeCommand,
  compactCommand,
  setAutoCompactionCommand,
  setAutoRetryCommand,
  abortRetryCommand,
  bashCommand,
  abortBashCommand,
  getSessionStatsCommand,
  exportHtmlCommand,
  switchSessionCommand,
  forkCommand,
  cloneCommand,
  getForkMessagesCommand,
  getEntriesCommand,
  getTreeCommand,
  getLastAssistantTextCommand,
  setSessionNameCommand,
  getCommandsCommand,
  getCapabilitiesCommand,
  getDiagnosticsCommand,
  getEventsCommand,
  navigateTreeCommand,
  setLabelCommand,
  listSessionsCommand,
  getExtensionsCommand,
  reloadCommand,
  getToolsCommand,
  setActiveToolsCommand,
] as const;

type AnyCommand = (typeof COMMANDS)[number];
export type CommandName = AnyCommand['name'];
type CommandOf<N extends CommandName> = Extract<AnyCommand, { name: N }>;
/** The fields of a command besides `id` and `type`. */
export type Params<N extends CommandName> = z.infer<CommandOf<N>['params']>;
/** The `data` of a command's success; undefined where there is none. */
export type Result<N extends CommandName> = CommandOf<N>['result'] extends z.ZodType
  ? z.infer<CommandOf<N>['result']>
  : undefined;
