/**
 * `@earendil-works/pi-coding-agent` and `@mariozechner/pi-coding-agent`: sessions on files, settings, tools, models and sessions of an
 * extension's own, and the components extensions construct. Every export name of 0.84.0 is there.
 */
export { AgentSession } from './pi-coding-agent/agent-session.js';
export { AuthStorage } from './pi-coding-agent/auth-storage.js';
export { createLocalBashOperations } from './pi-coding-agent/bash-operations.js';
export {
  collectEntriesForBranchSummary,
  generateBranchSummary,
  prepareBranchEntries,
} from './pi-coding-agent/branch-summary.js';
export { resolveCliModel, resolveModelScopeWithDiagnostics } from './pi-coding-agent/cli-model.js';
export { copyToClipboard } from './pi-coding-agent/clipboard.js';
export { parseArgs } from './pi-coding-agent/command-line.js';
export { getMarkdownTheme, getSelectListTheme, getSettingsListTheme, initTheme } from './pi-coding-agent/component-themes.js';
export {
  buildContextEntries,
  buildSessionContext,
  CURRENT_SESSION_VERSION,
  getLastAssistantUsage,
  getLatestCompactionEntry,
  migrateSessionEntries,
  parseSessionEntries,
  sessionEntryToContextMessages,
} from './pi-coding-agent/context.js';
export { loadProjectContextFiles } from './pi-coding-agent/context-files.js';
export { createAgentSession } from './pi-coding-agent/create-agent-session.js';
export { CredentialSynchronizationError } from './pi-coding-agent/credential-error.js';
export { CustomEditor } from './pi-coding-agent/custom-editor.js';
export {
  DEFAULT_COMPACTION_SETTINGS,
  findCutPoint,
  findTurnStartIndex,
  shouldCompact,
} from './pi-coding-agent/cut-point.js';
export { generateDiffString, generateUnifiedPatch, renderDiff } from './pi-coding-agent/diffs.js';
export { createEventBus } from './pi-coding-agent/event-bus.js';
export {
  isBashToolResult,
  isEditToolResult,
  isFindToolResult,
  isGrepToolResult,
  isLsToolResult,
  isReadToolResult,
  isToolCallEventType,
  isWriteToolResult,
} from './pi-coding-agent/event-checks.js';
export { createExtensionRuntime } from './pi-coding-agent/extension-runtime.js';
export { getLanguageFromPath } from './pi-coding-agent/file-language.js';
export { BorderedLoader, DynamicBorder, truncateToVisualLines } from './pi-coding-agent/frame-components.js';
export { parseFrontmatter, stripFrontmatter } from './pi-coding-agent/front-matter.js';
export { highlightCode } from './pi-coding-agent/highlight.js';
export {
  CONFIG_DIR_NAME,
  getAgentDir,
  getDocsPath,
  getExamplesPath,
  getPackageDir,
  getReadmePath,
  VERSION,
} from './pi-coding-agent/host.js';
export { convertToPng, formatDimensionNote, resizeImage } from './pi-coding-agent/images.js';
export { keyHint, keyText, rawKeyHint } from './pi-coding-agent/key-hints.js';
export { LoginDialogComponent } from './pi-coding-agent/login-dialog.js';
export {
  AssistantMessageComponent,
  BranchSummaryMessageComponent,
  CompactionSummaryMessageComponent,
  CustomMessageComponent,
  SkillInvocationMessageComponent,
  UserMessageComponent,
} from './pi-coding-agent/message-components.js';
export { calculateContextTokens, convertToLlm, estimateTokens, serializeConversation } from './pi-coding-agent/messages.js';
export * from './pi-coding-agent/missing.js';
export { ModelRegistry } from './pi-coding-agent/model-registry.js';
export { ModelRuntime } from './pi-coding-agent/model-runtime.js';
export { DefaultResourceLoader } from './pi-coding-agent/resource-loader.js';
export {
  ExtensionSelectorComponent,
  ModelSelectorComponent,
  SessionSelectorComponent,
  TreeSelectorComponent,
} from './pi-coding-agent/selector-components.js';
export { SessionManager } from './pi-coding-agent/session-manager.js';
export { SettingsManager } from './pi-coding-agent/settings-manager.js';
export { getShellConfig } from './pi-coding-agent/shell-config.js';
export { parseSkillBlock } from './pi-coding-agent/skill-block.js';
export { formatSkillsForPrompt, loadSkills, loadSkillsFromDir } from './pi-coding-agent/skills.js';
export { createSyntheticSourceInfo } from './pi-coding-agent/source-info.js';
export { readStoredCredential } from './pi-coding-agent/stored-credential.js';
export { compact, generateSummary, generateSummaryWithUsage } from './pi-coding-agent/summaries.js';
export { ToolExecutionComponent } from './pi-coding-agent/tool-component.js';
export {
  createBashTool,
  createBashToolDefinition,
  createCodingTools,
  createEditTool,
  createEditToolDefinition,
  createFindTool,
  createFindToolDefinition,
  createGrepTool,
  createGrepToolDefinition,
  createLsTool,
  createLsToolDefinition,
  createReadOnlyTools,
  createReadTool,
  createReadToolDefinition,
  createWriteTool,
  createWriteToolDefinition,
  defineTool,
  withFileMutationQueue,
  wrapRegisteredTool,
  wrapRegisteredTools,
} from './pi-coding-agent/tools.js';
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
} from './pi-coding-agent/truncation.js';
export { hasTrustRequiringProjectResources, ProjectTrustStore } from './pi-coding-agent/trust-store.js';
export { Theme } from './theme.js';
