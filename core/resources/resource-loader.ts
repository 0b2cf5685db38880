import { realpath } from 'node:fs/promises';
import type { SlashCommand } from '../protocol/commands/resources.js';
import type { Diagnostic } from '../protocol/commands/state.js';
import {
  listResourceFiles,
  type ResourceFile,
  type ResourceKind,
  type ResourceLocations,
  type ResourceOrigin,
} from './resource-files.js';
import { readSkill, type Skill, skillMessage, skillsSection } from './skills.js';
import { fillTemplate, splitArguments } from './template-grammar.js';
import { type PromptTemplate, readTemplate } from './templates.js';

export interface ResourceLoaderOptions extends Omit<ResourceLocations, 'flags' | 'flagsOnly' | 'report'> {
  skillFlags: readonly string[];
  noSkills: boolean;
  templateFlags: readonly string[];
  noTemplates: boolean;
  /** Setting: whether skills are offered as `/skill:name`. */
  skillCommands: boolean;
  onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** How many files are read at the same time. */
const PARALLEL = 32;

/**
 * The skills and prompt templates of every place, read once, when first asked for. A text is expanded in one pass: what comes out is
 * never looked at again.
 */
export class ResourceLoader {
  readonly #options: ResourceLoaderOptions;
  #skills: Promise<ReadonlyMap<string, Skill>> | undefined;
  #templates: Promise<ReadonlyMap<string, PromptTemplate>> | undefined;

  constructor(options: ResourceLoaderOptions) {
    this.#options = options;
  }

  skills(): Promise<ReadonlyMap<string, Skill>> {
    const { skillFlags, noSkills } = this.#options;
    this.#skills ??= this.#load('skills', skillFlags, noSkills, async (file) => {
      const { skill, diagnostics } = await readSkill(file);
      return { item: skill, diagnostics };
    });
    return this.#skills;
  }

  templates(): Promise<ReadonlyMap<string, PromptTemplate>> {
    const { templateFlags, noTemplates } = this.#options;
    this.#templates ??= this.#load('prompts', templateFlags, noTemplates, async (file) => {
      const { template, diagnostics } = await readTemplate(file);
      return { item: template, diagnostics };
    });
    return this.#templates;
  }

  /** Forgets what was read: the next question reads again. */
  invalidate(): void {
    this.#skills = undefined;
    this.#templates = undefined;
  }

  /** What the model is told of skills. */
  async skillsSection(): Promise<string> {
    return skillsSection([...(await this.skills()).values()]);
  }

  /** Templates, then skills, as `get_commands` lists them. */
  async slashCommands(): Promise<SlashCommand[]> {
    const [templates, skills] = await Promise.all([this.templates(), this.skills()]);
    return [
      ...[...templates.values()].map(({ name, description, path, origin }) =>
        commandOf(name, description, 'prompt', path, origin),
      ),
      ...(this.#options.skillCommands ? [...skills.values()] : []).map(({ name, description, path, origin }) =>
        commandOf(`skill:${name}`, description, 'skill', path, origin),
      ),
    ];
  }

  /** The text for the model: `/skill:name args` and `/template args` replaced, anything else as it is. */
  async expand(text: string): Promise<string> {
    const match = /^\/(\S+)(?:\s([\s\S]*))?$/.exec(text);
    const name = match?.[1];
    if (name === undefined) return text;
    const args = match?.[2] ?? '';
    if (name.startsWith('skill:')) {
      const skill = (await this.skills()).get(name.slice('skill:'.length));
      return skill ? skillMessage(skill, args) : text;
    }
    const template = (await this.templates()).get(name);
    return template ? fillTemplate(template.body, splitArguments(args)) : text;
  }

  async #load<T extends { name: string; path: string }>(
    kind: ResourceKind,
    flags: readonly string[],
    flagsOnly: boolean,
    read: (file: ResourceFile) => Promise<{ item: T | undefined; diagnostics: Diagnostic[] }>,
  ): Promise<ReadonlyMap<string, T>> {
    const { onDiagnostic } = this.#options;
    const word = kind === 'skills' ? 'skill' : 'prompt';
    const report = (message: string, path: string): void => onDiagnostic({ kind: word, severity: 'warning', message, path });
    const files = await distinct(await listResourceFiles(kind, { ...this.#options, flags, flagsOnly, report }));
    const items = new Map<string, T>();
    for (let at = 0; at < files.length; at += PARALLEL) {
      for (const { item, diagnostics } of await Promise.all(files.slice(at, at + PARALLEL).map(read))) {
        for (const diagnostic of diagnostics) onDiagnostic(diagnostic);
        if (!item) continue;
        const first = items.get(item.name);
        if (first)
          report(
            `${item.path}: the ${word} "${item.name}" is taken already by ${first.path}, so this one is not used`,
            item.path,
          );
        else items.set(item.name, item);
      }
    }
    return items;
  }
}

/** Each file once, whatever ways lead to it. */
async function distinct(files: readonly ResourceFile[]): Promise<ResourceFile[]> {
  const real = await Promise.all(files.map(({ path }) => realpath(path).catch(() => path)));
  const seen = new Set<string>();
  return files.filter((_, at) => {
    const path = real[at] ?? '';
    return !seen.has(path) && seen.add(path);
  });
}

function commandOf(
  name: string,
  description: string,
  source: 'prompt' | 'skill',
  path: string,
  from: ResourceOrigin,
): SlashCommand {
  const { location, scope, origin, source: where, baseDir } = from;
  return { name, description, source, location, path, sourceInfo: { path, source: where, scope, origin, baseDir } };
}
