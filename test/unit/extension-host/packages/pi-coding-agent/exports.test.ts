import { describe, expect, it } from 'vitest';
import { isCoded } from '../../../../../core/base/coded-error.js';
import { PACKAGE_ERRORS } from '../../../../../core/extension-host/packages/errors.js';
import { unsupportedReason } from '../../../../../core/extension-host/packages/unsupported.js';
import names from './export-names.json' with { type: 'json' };

const load = (): Promise<Record<string, unknown>> => import('../../../../../core/extension-host/packages/pi-coding-agent.js');

/** Names that counted repositories import as values. Source: EXTENSION-USAGE, section 5. */
const USED =
  'getAgentDir getMarkdownTheme DynamicBorder SessionManager SettingsManager BorderedLoader defineTool createAgentSession DefaultResourceLoader convertToLlm CONFIG_DIR_NAME keyHint CustomEditor DEFAULT_MAX_BYTES DEFAULT_MAX_LINES truncateHead highlightCode ModelRuntime getLanguageFromPath serializeConversation formatSize copyToClipboard resolveCliModel isToolCallEventType parseFrontmatter buildSessionContext createBashTool withFileMutationQueue keyText createEditTool createWriteTool truncateTail createFindTool createGrepTool createLsTool createReadTool createBashToolDefinition createReadOnlyTools createEditToolDefinition createFindToolDefinition createGrepToolDefinition createLsToolDefinition createReadToolDefinition createWriteToolDefinition generateDiffString estimateTokens generateUnifiedPatch compact sessionEntryToContextMessages TreeSelectorComponent VERSION readStoredCredential getPackageDir getShellConfig CURRENT_SESSION_VERSION createLocalBashOperations SessionSelectorComponent ModelSelectorComponent createExtensionRuntime AssistantMessageComponent UserMessageComponent Theme getSettingsListTheme convertToPng AgentSession ProjectTrustStore isEditToolResult isWriteToolResult ModelRegistry findCutPoint generateSummaryWithUsage isBashToolResult parseSessionEntries parseArgs formatSkillsForPrompt renderDiff truncateLine ExtensionSelectorComponent LoginDialogComponent buildContextEntries getSelectListTheme rawKeyHint resizeImage ToolExecutionComponent loadSkills SkillInvocationMessageComponent createCodingTools findTurnStartIndex stripFrontmatter';

describe('the package pi-coding-agent', () => {
  it('has every export name of the existing package, and an import of it never fails', async () => {
    const exported = Object.keys(await load());
    expect(names.names.length).toBeGreaterThan(100);
    expect(names.names.filter((name) => !exported.includes(name))).toEqual([]);
  });

  it('has the file that extensions import by its path', async () => {
    const file = await import('../../../../../core/extension-host/packages/pi-coding-agent/image-resize.js');
    expect(Object.keys(file).sort()).toEqual(names.imageResize);
  });

  it('works for every name that extensions were seen to use', async () => {
    const module = await load();
    const broken = USED.split(' ').filter((name) => module[name] === undefined || unsupportedReason(module[name]) !== undefined);
    expect(broken).toEqual([]);
  });

  it('says of the rest, when it is used and not before, what to do instead', async () => {
    const module = await load();
    const rest = Object.entries(module).filter(([, value]) => unsupportedReason(value) !== undefined);
    expect(rest.length).toBeGreaterThan(10);
    for (const [name, value] of rest) {
      const isClass = Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false;
      let thrown: unknown;
      try {
        if (isClass) new (value as new () => unknown)();
        else (value as () => unknown)();
      } catch (error) {
        thrown = error;
      }
      expect(isCoded(thrown, PACKAGE_ERRORS.UNSUPPORTED), name).toBe(true);
      expect(String(thrown)).toContain(unsupportedReason(value));
    }
  });
});
