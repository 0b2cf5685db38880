import type { ParsedOptions } from '../modes/cli/option-table.js';
import type { Tool } from '../protocol/tool.js';
import { createPromptResourceLoader, type PromptResources } from '../resources/prompt-resources.js';
import { ResourceLoader } from '../resources/resource-loader.js';
import { toSkillInfo } from '../resources/skills.js';
import { buildSystemPrompt, localDate, type SystemPromptOptions, toolParts } from '../resources/system-prompt.js';
import type { Problems } from './problems.js';
import type { Surroundings } from './surroundings.js';

export interface PromptPartsOptions {
  options: ParsedOptions;
  surroundings: Surroundings;
  /** The tools the model is offered now. */
  tools: () => readonly Tool[];
  problems: Problems;
  warn: (text: string) => void;
}

/** Skills, templates and context files, and the system prompt that is made of them. */
export class PromptParts {
  /** Skills and prompt templates. */
  readonly slash: ResourceLoader;
  readonly #options: PromptPartsOptions;
  readonly #resources: ReturnType<typeof createPromptResourceLoader>;
  #told: PromptResources | undefined;

  constructor(given: PromptPartsOptions) {
    this.#options = given;
    const { options, surroundings, warn } = given;
    const { agentDir, cwd, home, projectTrusted, loaded, temporaryPackages } = surroundings;
    this.#resources = createPromptResourceLoader({
      agentDir,
      cwd,
      home,
      projectTrusted,
      ...(options.systemPrompt === undefined ? {} : { systemPrompt: options.systemPrompt }),
      ...(options.appendSystemPrompt === undefined ? {} : { appendSystemPrompt: options.appendSystemPrompt }),
      noContextFiles: options.noContextFiles,
    });
    this.slash = new ResourceLoader({
      agentDir,
      cwd,
      home,
      projectTrusted,
      global: loaded.global,
      project: loaded.project,
      skillFlags: options.skill ?? [],
      noSkills: options.noSkills,
      templateFlags: options.promptTemplate ?? [],
      noTemplates: options.noPromptTemplates,
      temporaryPackages,
      builtin: loaded.settings.builtin,
      skillCommands: loaded.settings.enableSkillCommands,
      onDiagnostic: (problem) => warn(problem.message),
    });
  }

  /** Context files and the texts of SYSTEM.md and APPEND_SYSTEM.md. Rejects when a file that an option names can't be read. */
  async resources(): Promise<PromptResources> {
    const parts = await this.#resources.load();
    // What they say is told once for each time they are read.
    if (this.#told !== parts) for (const problem of parts.diagnostics) this.#options.problems.report(problem);
    this.#told = parts;
    return parts;
  }

  /** The system prompt as it is now, and what it is made of. */
  async systemPrompt(): Promise<{ text: string; options: SystemPromptOptions & Record<string, unknown> }> {
    const { surroundings, tools } = this.#options;
    const { contextFiles, customPrompt, appendSystemPrompt } = await this.resources();
    const active = tools();
    const canRead = active.some((tool) => tool.name === 'read');
    const options = {
      cwd: surroundings.cwd,
      skills: [...(await this.slash.skills()).values()].map(toSkillInfo),
      contextFiles,
      ...toolParts(active),
      ...(customPrompt === undefined ? {} : { customPrompt }),
      ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
    };
    const skillsSection = canRead ? await this.slash.skillsSection() : '';
    return { text: buildSystemPrompt({ ...options, skillsSection, date: localDate(new Date()) }), options };
  }

  /** Forgets what was read: the next question reads again. */
  invalidate(): void {
    this.slash.invalidate();
    this.#resources.invalidate();
  }
}
