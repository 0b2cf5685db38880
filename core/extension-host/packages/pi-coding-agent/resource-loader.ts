import { resolve } from 'node:path';
import type { Diagnostic } from '../../../protocol/commands/state.js';
import { homeDir } from '../../../resources/agent-dir.js';
import type { ContextFile } from '../../../resources/context-files.js';
import type { SkillInfo } from '../../../resources/skills.js';
import { decideProjectTrust } from '../../../trust/project-trust.js';
import { createEventBus, type EventBus } from './event-bus.js';
import { createExtensionRuntime } from './extension-runtime.js';
import { getAgentDir } from './host.js';
import type { InlineExtension } from './inline-extensions.js';
import { SettingsManager } from './settings-manager.js';
import type { ResourceDiagnostic } from './skills.js';
import { createSyntheticSourceInfo, type SourceInfo } from './source-info.js';

/** A prompt template as extensions see it. Source: sdk document, "Slash Commands". */
export interface PromptTemplateInfo {
  name: string;
  description: string;
  argumentHint?: string;
  content: string;
  filePath: string;
  sourceInfo: SourceInfo;
}

type Found<K extends string, T> = { [key in K]: T[] } & { diagnostics: ResourceDiagnostic[] };
type Override<T> = (current: T) => T;

export interface LoadedExtensions {
  extensions: InlineExtension[];
  errors: { path: string; error: string }[];
  runtime: ReturnType<typeof createExtensionRuntime>;
}

export interface DefaultResourceLoaderOptions {
  cwd?: string;
  agentDir?: string;
  settingsManager?: SettingsManager;
  eventBus?: EventBus;
  additionalExtensionPaths?: readonly string[];
  additionalSkillPaths?: readonly string[];
  additionalPromptTemplatePaths?: readonly string[];
  additionalThemePaths?: readonly string[];
  extensionFactories?: readonly (InlineExtension | InlineExtension['factory'])[];
  noExtensions?: boolean;
  noSkills?: boolean;
  noPromptTemplates?: boolean;
  noThemes?: boolean;
  noContextFiles?: boolean;
  systemPrompt?: string;
  appendSystemPrompt?: string | readonly string[];
  extensionsOverride?: Override<LoadedExtensions>;
  skillsOverride?: Override<Found<'skills', SkillInfo>>;
  promptsOverride?: Override<Found<'prompts', PromptTemplateInfo>>;
  themesOverride?: Override<Found<'themes', never>>;
  agentsFilesOverride?: Override<{ agentsFiles: ContextFile[] }>;
  systemPromptOverride?: (base: string | undefined) => string | undefined;
  appendSystemPromptOverride?: (base: string[]) => string[];
}

/** What a session is made from besides its model and tools; everything is there after `reload`. Source: sdk document, "ResourceLoader". */
export interface ResourceLoader {
  getExtensions(): LoadedExtensions;
  getSkills(): Found<'skills', SkillInfo>;
  getPrompts(): Found<'prompts', PromptTemplateInfo>;
  getThemes(): Found<'themes', never>;
  getAgentsFiles(): { agentsFiles: ContextFile[] };
  getSystemPrompt(): string | undefined;
  getAppendSystemPrompt(): string[];
  reload(): Promise<void>;
}

/**
 * Finds what the program itself would find, and lets the caller change it. Extension files are not loaded into a session within an
 * extension: only factories that the caller brings are.
 */
export class DefaultResourceLoader implements ResourceLoader {
  readonly #options: DefaultResourceLoaderOptions;
  readonly eventBus: EventBus;
  #extensions: LoadedExtensions;
  #skills: Found<'skills', SkillInfo> = { skills: [], diagnostics: [] };
  #prompts: Found<'prompts', PromptTemplateInfo> = { prompts: [], diagnostics: [] };
  #agentsFiles: ContextFile[] = [];
  #systemPrompt: string | undefined;
  #append: string[] = [];

  constructor(options: DefaultResourceLoaderOptions = {}) {
    this.#options = options;
    this.eventBus = options.eventBus ?? createEventBus();
    this.#extensions = { extensions: [], errors: [], runtime: createExtensionRuntime() };
  }

  getExtensions = (): LoadedExtensions => this.#extensions;
  getSkills = (): Found<'skills', SkillInfo> => this.#skills;
  getPrompts = (): Found<'prompts', PromptTemplateInfo> => this.#prompts;
  getThemes = (): Found<'themes', never> =>
    this.#options.themesOverride?.({ themes: [], diagnostics: [] }) ?? { themes: [], diagnostics: [] };
  getAgentsFiles = (): { agentsFiles: ContextFile[] } => ({ agentsFiles: this.#agentsFiles });
  getSystemPrompt = (): string | undefined => this.#systemPrompt;
  getAppendSystemPrompt = (): string[] => this.#append;

  /** Reads everything anew. */
  async reload(): Promise<void> {
    const options = this.#options;
    const cwd = resolve(options.cwd ?? process.cwd());
    const agentDir = resolve(options.agentDir ?? getAgentDir());
    const home = homeDir(process.env);
    const settings = options.settingsManager ?? SettingsManager.create(cwd, agentDir);
    const { trusted } = await decideProjectTrust({
      agentDir,
      cwd,
      home,
      approve: false,
      noApprove: false,
      fallback: settings.getDefaultProjectTrust(),
    });
    const place = { agentDir, cwd, home, projectTrusted: trusted && settings.isProjectTrusted() };
    await Promise.all([this.#readFiles(place), this.#readPromptParts(place)]);
    this.#extensions = this.#bringExtensions();
  }

  async #readFiles(place: { agentDir: string; cwd: string; home: string; projectTrusted: boolean }): Promise<void> {
    const options = this.#options;
    const { ResourceLoader: CoreLoader } = await import('../../../resources/resource-loader.js');
    const { loadSettings } = await import('../../../resources/settings.js');
    const { toSkillInfo } = await import('../../../resources/skills.js');
    const { global, project } = loadSettings(place);
    const problems: Diagnostic[] = [];
    const loader = new CoreLoader({
      ...place,
      global,
      project,
      skillFlags: options.additionalSkillPaths ?? [],
      noSkills: options.noSkills ?? false,
      templateFlags: options.additionalPromptTemplatePaths ?? [],
      noTemplates: options.noPromptTemplates ?? false,
      builtin: [],
      skillCommands: true,
      onDiagnostic: (problem) => problems.push(problem),
    });
    const skills = [...(await loader.skills()).values()].map(toSkillInfo);
    const prompts = [...(await loader.templates()).values()].map(
      ({ name, description, argumentHint, body, path, origin }): PromptTemplateInfo => ({
        name,
        description,
        ...(argumentHint === undefined ? {} : { argumentHint }),
        content: body,
        filePath: path,
        sourceInfo: createSyntheticSourceInfo(path, { source: origin.source, scope: origin.scope, baseDir: origin.baseDir }),
      }),
    );
    const ofKind = (kind: string): ResourceDiagnostic[] => problems.filter((one) => one.kind === kind).map(toDiagnostic);
    const [foundSkills, foundPrompts] = [
      { skills, diagnostics: ofKind('skill') },
      { prompts, diagnostics: ofKind('prompt') },
    ];
    this.#skills = options.skillsOverride?.(foundSkills) ?? foundSkills;
    this.#prompts = options.promptsOverride?.(foundPrompts) ?? foundPrompts;
  }

  async #readPromptParts(place: { agentDir: string; cwd: string; home: string; projectTrusted: boolean }): Promise<void> {
    const options = this.#options;
    const { loadPromptResources } = await import('../../../resources/prompt-resources.js');
    const { systemPrompt, appendSystemPrompt } = options;
    const appended = typeof appendSystemPrompt === 'string' ? [appendSystemPrompt] : appendSystemPrompt;
    const parts = await loadPromptResources({
      ...place,
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(appended === undefined ? {} : { appendSystemPrompt: appended }),
      ...(options.noContextFiles === undefined ? {} : { noContextFiles: options.noContextFiles }),
    });
    const files = { agentsFiles: [...parts.contextFiles] };
    const append = parts.appendSystemPrompt === undefined ? [] : [parts.appendSystemPrompt];
    this.#agentsFiles = (options.agentsFilesOverride?.(files) ?? files).agentsFiles;
    this.#systemPrompt = options.systemPromptOverride ? options.systemPromptOverride(parts.customPrompt) : parts.customPrompt;
    this.#append = options.appendSystemPromptOverride?.(append) ?? append;
  }

  #bringExtensions(): LoadedExtensions {
    const { extensionFactories = [], additionalExtensionPaths = [], extensionsOverride } = this.#options;
    const brought: LoadedExtensions = {
      extensions: extensionFactories.map((given, at) =>
        typeof given === 'function' ? { name: String(at + 1), factory: given } : given,
      ),
      errors: additionalExtensionPaths.map((path) => ({
        path,
        error: 'Extension files are not loaded into a session within an extension; bring their factory in extensionFactories',
      })),
      runtime: createExtensionRuntime(),
    };
    return extensionsOverride?.(brought) ?? brought;
  }
}

const toDiagnostic = ({ severity, message, path }: Diagnostic): ResourceDiagnostic => ({
  type: severity === 'error' ? 'error' : 'warning',
  message,
  ...(path === undefined ? {} : { path }),
});
