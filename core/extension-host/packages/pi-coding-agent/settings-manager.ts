import { resolve } from 'node:path';
import { expandHome, homeDir } from '../../../resources/agent-dir.js';
import { type CompactionSettings, DEFAULT_COMPACTION_SETTINGS } from './cut-point.js';
import { getAgentDir } from './host.js';
import { type SettingsError, SettingsStore } from './settings-store.js';
import { isGroup, type SettingValues } from './settings-values.js';

type Texts = string[];
type QueueMode = 'all' | 'one-at-a-time';

/**
 * The settings, read without waiting. Setters count at once and are written in the background, to the global file unless their name says
 * project. Source: sdk document, "Settings Management"; settings document (names and defaults); return values as observed, 0.84.0.
 */
export class SettingsManager {
  readonly #store: SettingsStore;

  private constructor(store: SettingsStore) {
    this.#store = store;
  }

  static create(
    cwd: string = process.cwd(),
    agentDir: string = getAgentDir(),
    options: { projectTrusted?: boolean } = {},
  ): SettingsManager {
    const place = { cwd: resolve(cwd), agentDir: resolve(expandHome(agentDir, homeDir(process.env))) };
    return new SettingsManager(new SettingsStore(place, {}, options.projectTrusted ?? true));
  }

  /** Reads and writes no file. */
  static inMemory(settings: SettingValues = {}): SettingsManager {
    return new SettingsManager(new SettingsStore(undefined, structuredClone(settings), true));
  }

  getGlobalSettings = (): SettingValues => this.#store.global;
  getProjectSettings = (): SettingValues => this.#store.project;
  isProjectTrusted = (): boolean => this.#store.trusted;
  setProjectTrusted = (trusted: boolean): void => {
    this.#store.trusted = trusted;
  };
  async reload(): Promise<void> {
    await this.#store.flush();
    this.#store.read();
  }
  /** For as long as this object lives; never written. */
  applyOverrides = (overrides: SettingValues): void => this.#store.override(overrides);
  flush = (): Promise<void> => this.#store.flush();
  /** What could not be read or written since the last call. */
  drainErrors = (): SettingsError[] => this.#store.drainErrors();

  getDefaultProvider = (): string | undefined => this.#text('defaultProvider');
  setDefaultProvider = (provider: string): void => this.#set('defaultProvider', provider);
  getDefaultModel = (): string | undefined => this.#text('defaultModel');
  setDefaultModel = (modelId: string): void => this.#set('defaultModel', modelId);
  setDefaultModelAndProvider(provider: string, modelId: string): void {
    this.setDefaultProvider(provider);
    this.setDefaultModel(modelId);
  }
  getDefaultThinkingLevel = (): string | undefined => this.#text('defaultThinkingLevel');
  setDefaultThinkingLevel = (level: string): void => this.#set('defaultThinkingLevel', level);
  getThinkingBudgets = (): Record<string, number> | undefined => this.#group('thinkingBudgets') as Record<string, number>;
  getEnabledModels = (): Texts | undefined => this.#texts('enabledModels');
  setEnabledModels = (patterns: Texts | undefined): void => this.#set('enabledModels', patterns);
  getTransport = (): string => this.#text('transport') ?? 'auto';
  setTransport = (transport: string): void => this.#set('transport', transport);

  getSteeringMode = (): QueueMode => this.#word('steeringMode', ['one-at-a-time', 'all']);
  setSteeringMode = (mode: QueueMode): void => this.#set('steeringMode', mode);
  getFollowUpMode = (): QueueMode => this.#word('followUpMode', ['one-at-a-time', 'all']);
  setFollowUpMode = (mode: QueueMode): void => this.#set('followUpMode', mode);

  getCompactionEnabled = (): boolean => this.#flag('compaction.enabled', DEFAULT_COMPACTION_SETTINGS.enabled);
  setCompactionEnabled = (enabled: boolean): void => this.#set('compaction.enabled', enabled);
  getCompactionReserveTokens = (): number => this.#number('compaction.reserveTokens', DEFAULT_COMPACTION_SETTINGS.reserveTokens);
  getCompactionKeepRecentTokens = (): number =>
    this.#number('compaction.keepRecentTokens', DEFAULT_COMPACTION_SETTINGS.keepRecentTokens);
  getCompactionSettings(): CompactionSettings {
    return {
      enabled: this.getCompactionEnabled(),
      reserveTokens: this.getCompactionReserveTokens(),
      keepRecentTokens: this.getCompactionKeepRecentTokens(),
    };
  }
  getBranchSummarySettings = (): { reserveTokens: number; skipPrompt: boolean } => ({
    reserveTokens: this.#number('branchSummary.reserveTokens', 16_384),
    skipPrompt: this.getBranchSummarySkipPrompt(),
  });
  getBranchSummarySkipPrompt = (): boolean => this.#flag('branchSummary.skipPrompt', false);

  getRetryEnabled = (): boolean => this.#flag('retry.enabled', true);
  setRetryEnabled = (enabled: boolean): void => this.#set('retry.enabled', enabled);
  getRetrySettings = (): { enabled: boolean; maxRetries: number; baseDelayMs: number } => ({
    enabled: this.getRetryEnabled(),
    maxRetries: this.#number('retry.maxRetries', 3),
    baseDelayMs: this.#number('retry.baseDelayMs', 2000),
  });
  getProviderRetrySettings(): { timeoutMs?: number; maxRetries?: number; maxRetryDelayMs: number } {
    const [timeoutMs, maxRetries] = [
      this.#store.value('retry.provider.timeoutMs'),
      this.#store.value('retry.provider.maxRetries'),
    ];
    return {
      ...(typeof timeoutMs === 'number' && { timeoutMs }),
      ...(typeof maxRetries === 'number' && { maxRetries }),
      maxRetryDelayMs: this.#number('retry.provider.maxRetryDelayMs', 60_000),
    };
  }
  getHttpIdleTimeoutMs = (): number => this.#number('httpIdleTimeoutMs', 300_000);
  setHttpIdleTimeoutMs = (timeoutMs: number): void => this.#set('httpIdleTimeoutMs', timeoutMs);
  getWebSocketConnectTimeoutMs = (): number | undefined => this.#maybeNumber('websocketConnectTimeoutMs');

  getShellPath = (): string | undefined => this.#text('shellPath');
  setShellPath = (path: string | undefined): void => this.#set('shellPath', path);
  getShellCommandPrefix = (): string | undefined => this.#text('shellCommandPrefix');
  setShellCommandPrefix = (prefix: string | undefined): void => this.#set('shellCommandPrefix', prefix);
  getNpmCommand = (): Texts | undefined => this.#texts('npmCommand');
  setNpmCommand = (command: Texts | undefined): void => this.#set('npmCommand', command);
  getSessionDir(): string | undefined {
    const dir = this.#text('sessionDir');
    return dir === undefined ? undefined : expandHome(dir, homeDir(process.env));
  }
  getDefaultProjectTrust = (): 'ask' | 'always' | 'never' => this.#word('defaultProjectTrust', ['ask', 'always', 'never']);
  setDefaultProjectTrust = (trust: 'ask' | 'always' | 'never'): void => this.#set('defaultProjectTrust', trust);

  getPackages = (): unknown[] => this.#list('packages');
  setPackages = (packages: unknown[]): void => this.#set('packages', packages);
  setProjectPackages = (packages: unknown[]): void => this.#setInProject('packages', packages);
  getExtensionPaths = (): Texts => this.#texts('extensions') ?? [];
  setExtensionPaths = (paths: Texts): void => this.#set('extensions', paths);
  setProjectExtensionPaths = (paths: Texts): void => this.#setInProject('extensions', paths);
  getSkillPaths = (): Texts => this.#texts('skills') ?? [];
  setSkillPaths = (paths: Texts): void => this.#set('skills', paths);
  setProjectSkillPaths = (paths: Texts): void => this.#setInProject('skills', paths);
  getPromptTemplatePaths = (): Texts => this.#texts('prompts') ?? [];
  setPromptTemplatePaths = (paths: Texts): void => this.#set('prompts', paths);
  setProjectPromptTemplatePaths = (paths: Texts): void => this.#setInProject('prompts', paths);
  getThemePaths = (): Texts => this.#texts('themes') ?? [];
  setThemePaths = (paths: Texts): void => this.#set('themes', paths);
  setProjectThemePaths = (paths: Texts): void => this.#setInProject('themes', paths);
  getEnableSkillCommands = (): boolean => this.#flag('enableSkillCommands', true);
  setEnableSkillCommands = (enabled: boolean): void => this.#set('enableSkillCommands', enabled);

  getImageAutoResize = (): boolean => this.#flag('images.autoResize', true);
  setImageAutoResize = (enabled: boolean): void => this.#set('images.autoResize', enabled);
  getBlockImages = (): boolean => this.#flag('images.blockImages', false);
  setBlockImages = (blocked: boolean): void => this.#set('images.blockImages', blocked);
  getShowImages = (): boolean => this.#flag('terminal.showImages', true);
  setShowImages = (show: boolean): void => this.#set('terminal.showImages', show);
  getImageWidthCells = (): number => this.#number('terminal.imageWidthCells', 60);
  setImageWidthCells = (cells: number): void => this.#set('terminal.imageWidthCells', cells);
  getClearOnShrink = (): boolean => this.#flag('terminal.clearOnShrink', false);
  setClearOnShrink = (enabled: boolean): void => this.#set('terminal.clearOnShrink', enabled);
  getShowTerminalProgress = (): boolean => this.#flag('terminal.showTerminalProgress', false);
  setShowTerminalProgress = (show: boolean): void => this.#set('terminal.showTerminalProgress', show);

  getTheme = (): string | undefined => this.#text('theme');
  getThemeSetting = (): string | undefined => this.#text('theme');
  setTheme = (theme: string): void => this.#set('theme', theme);
  getHideThinkingBlock = (): boolean => this.#flag('hideThinkingBlock', false);
  setHideThinkingBlock = (hide: boolean): void => this.#set('hideThinkingBlock', hide);
  getShowCacheMissNotices = (): boolean => this.#flag('showCacheMissNotices', false);
  setShowCacheMissNotices = (show: boolean): void => this.#set('showCacheMissNotices', show);
  getExternalEditorCommand = (): string =>
    this.#text('externalEditor') ??
    process.env.VISUAL ??
    process.env.EDITOR ??
    (process.platform === 'win32' ? 'notepad' : 'nano');
  getQuietStartup = (): boolean => this.#flag('quietStartup', false);
  setQuietStartup = (quiet: boolean): void => this.#set('quietStartup', quiet);
  getCollapseChangelog = (): boolean => this.#flag('collapseChangelog', false);
  setCollapseChangelog = (collapse: boolean): void => this.#set('collapseChangelog', collapse);
  getLastChangelogVersion = (): string | undefined => this.#text('lastChangelogVersion');
  setLastChangelogVersion = (version: string): void => this.#set('lastChangelogVersion', version);
  getEnableInstallTelemetry = (): boolean => this.#flag('enableInstallTelemetry', true);
  setEnableInstallTelemetry = (enabled: boolean): void => this.#set('enableInstallTelemetry', enabled);
  getEnableAnalytics = (): boolean => this.#flag('enableAnalytics', false);
  setEnableAnalytics = (enabled: boolean): void => this.#set('enableAnalytics', enabled);
  getTrackingId = (): string | undefined => this.#text('trackingId');
  getTuiMode = (): 'regular' | 'fullscreen' => this.#word('tuiMode', ['regular', 'fullscreen']);
  setTuiMode = (mode: 'regular' | 'fullscreen'): void => this.#set('tuiMode', mode);
  getFullscreenScrollbar = (): 'auto' | 'always' | 'hidden' => this.#word('fullscreenScrollbar', ['auto', 'always', 'hidden']);
  setFullscreenScrollbar = (mode: 'auto' | 'always' | 'hidden'): void => this.#set('fullscreenScrollbar', mode);
  getDoubleEscapeAction = (): 'tree' | 'fork' | 'none' => this.#word('doubleEscapeAction', ['tree', 'fork', 'none']);
  setDoubleEscapeAction = (action: 'tree' | 'fork' | 'none'): void => this.#set('doubleEscapeAction', action);
  getTreeFilterMode = (): string => this.#text('treeFilterMode') ?? 'default';
  setTreeFilterMode = (mode: string): void => this.#set('treeFilterMode', mode);
  getShowHardwareCursor = (): boolean => this.#flag('showHardwareCursor', process.env.PI_HARDWARE_CURSOR === '1');
  setShowHardwareCursor = (show: boolean): void => this.#set('showHardwareCursor', show);
  getEditorPaddingX = (): number => this.#number('editorPaddingX', 0);
  setEditorPaddingX = (padding: number): void => this.#set('editorPaddingX', padding);
  getOutputPad = (): number => this.#number('outputPad', 1);
  setOutputPad = (pad: number): void => this.#set('outputPad', pad);
  getAutocompleteMaxVisible = (): number => this.#number('autocompleteMaxVisible', 5);
  setAutocompleteMaxVisible = (count: number): void => this.#set('autocompleteMaxVisible', count);
  getCodeBlockIndent = (): string => this.#text('markdown.codeBlockIndent') ?? '  ';
  getMermaidRenderingMode = (): string => this.#text('markdown.mermaid') ?? 'streaming';
  setMermaidRenderingMode = (mode: string): void => this.#set('markdown.mermaid', mode);
  getWarnings = (): SettingValues => this.#group('warnings') ?? {};
  setWarnings = (warnings: SettingValues): void => this.#set('warnings', warnings);

  #set(path: string, value: unknown): void {
    this.#store.change('global', path, value);
  }

  #setInProject(path: string, value: unknown): void {
    if (!this.#store.trusted) throw new Error('The project is not trusted: its settings are not written');
    this.#store.change('project', path, value);
  }

  #text(path: string): string | undefined {
    const value = this.#store.value(path);
    return typeof value === 'string' ? value : undefined;
  }

  #flag(path: string, fallback: boolean): boolean {
    const value = this.#store.value(path);
    return typeof value === 'boolean' ? value : fallback;
  }

  #maybeNumber(path: string): number | undefined {
    const value = this.#store.value(path);
    return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  }

  #number(path: string, fallback: number): number {
    return this.#maybeNumber(path) ?? fallback;
  }

  #list(path: string): unknown[] {
    const value = this.#store.value(path);
    return Array.isArray(value) ? [...value] : [];
  }

  #texts(path: string): Texts | undefined {
    const value = this.#store.value(path);
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
  }

  #group(path: string): SettingValues | undefined {
    const value = this.#store.value(path);
    return isGroup(value) ? structuredClone(value) : undefined;
  }

  /** One of the words; the first one is what counts when nobody said another. */
  #word<const W extends string>(path: string, words: readonly [W, ...W[]]): W {
    const value = this.#store.value(path);
    return words.find((word) => word === value) ?? words[0];
  }
}
