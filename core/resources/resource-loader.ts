import type { SlashCommand } from '../protocol/commands/resources.js';
import type { Diagnostic } from '../protocol/commands/state.js';
import type { ResourceKind } from './find-resources.js';
import { printable } from './printable.js';
import { listResourceFiles, type ResourceFile, type ResourceLocations, type ResourceOrigin } from './resource-files.js';
import { readSkill, type Skill, skillMessage, skillsSection } from './skills.js';
import { nextTurn, SLICE } from './slices.js';
import { fillTemplate, splitArguments } from './template-grammar.js';
import { type PromptTemplate, readTemplate } from './templates.js';

export interface ResourceLoaderOptions extends Omit<ResourceLocations, 'builtin' | 'flags' | 'flagsOnly' | 'report'> {
  skillFlags: readonly string[];
  noSkills: boolean;
  templateFlags: readonly string[];
  noTemplates: boolean;
  /** Kinds of which what comes with the program is wanted too. */
  builtin: readonly ResourceKind[];
  /** Setting: whether skills are offered as `/skill:name`. */
  skillCommands: boolean;
  /** Called once for each problem, when it is found. */
  onDiagnostic: (diagnostic: Diagnostic) => void;
}

interface Named {
  name: string;
  path: string;
  origin: ResourceOrigin;
}

/**
 * The skills and prompt templates of every place, read once, when first asked for. A text is expanded in one pass: what comes out is
 * never looked at again.
 */
export class ResourceLoader {
  readonly #options: ResourceLoaderOptions;
  #skills: Promise<ReadonlyMap<string, Skill>> | undefined;
  #templates: Promise<ReadonlyMap<string, PromptTemplate>> | undefined;
  #section: Promise<string> | undefined;
  readonly #diagnostics = new Map<string, Diagnostic>();
  /** What extensions found, besides the flags. */
  #more: Record<ResourceKind, readonly string[]> = { skills: [], prompts: [] };

  constructor(options: ResourceLoaderOptions) {
    this.#options = options;
  }

  skills(): Promise<ReadonlyMap<string, Skill>> {
    const { skillFlags, noSkills } = this.#options;
    this.#skills ??= this.#load('skills', [...skillFlags, ...this.#more.skills], noSkills, async (file) => {
      const { skill, diagnostics } = await readSkill(file);
      return { item: skill, diagnostics };
    });
    return this.#skills;
  }

  templates(): Promise<ReadonlyMap<string, PromptTemplate>> {
    const { templateFlags, noTemplates } = this.#options;
    this.#templates ??= this.#load('prompts', [...templateFlags, ...this.#more.prompts], noTemplates, async (file) => {
      const { template, diagnostics } = await readTemplate(file);
      return { item: template, diagnostics };
    });
    return this.#templates;
  }

  /** Files and folders that extensions name, in place of those they named before. */
  setMore(more: Record<ResourceKind, readonly string[]>): void {
    const isSame = JSON.stringify(more) === JSON.stringify(this.#more);
    this.#more = more;
    if (!isSame) this.invalidate();
  }

  /** Forgets what was read: the next question reads again. */
  invalidate(): void {
    this.#skills = undefined;
    this.#templates = undefined;
    this.#section = undefined;
    this.#diagnostics.clear();
  }

  /** Every problem of what is loaded; reads what was not read yet. */
  async diagnostics(): Promise<readonly Diagnostic[]> {
    await Promise.all([this.skills(), this.templates()]);
    return [...this.#diagnostics.values()];
  }

  /** What the model is told of skills. */
  skillsSection(): Promise<string> {
    this.#section ??= this.skills().then((skills) => skillsSection([...skills.values()]));
    return this.#section;
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
      if (!skill) return text;
      const message = await skillMessage(skill, args, (severity, problem) =>
        this.#report({ kind: 'skill', severity, message: `${skill.path}: ${problem}`, path: skill.path }),
      );
      return message ?? text;
    }
    const template = (await this.templates()).get(name);
    return template ? fillTemplate(template.body, splitArguments(args)) : text;
  }

  async #load<T extends Named>(
    kind: ResourceKind,
    flags: readonly string[],
    flagsOnly: boolean,
    read: (file: ResourceFile) => Promise<{ item: T | undefined; diagnostics: Diagnostic[] }>,
  ): Promise<ReadonlyMap<string, T>> {
    const word = kind === 'skills' ? 'skill' : 'prompt';
    const builtin = this.#options.builtin.includes(kind);
    const report: ResourceLocations['report'] = (problem) => this.#report({ kind: word, severity: 'warning', ...problem });
    const files = await listResourceFiles(kind, { ...this.#options, builtin, flags, flagsOnly, report });
    const items = new Map<string, T>();
    for (let at = 0; at < files.length; at += SLICE) {
      for (const { item, diagnostics } of await Promise.all(files.slice(at, at + SLICE).map(read))) {
        for (const diagnostic of diagnostics) this.#report(diagnostic);
        if (!item) continue;
        const first = items.get(item.name);
        if (!first) items.set(item.name, item);
        // A user's own /review in the place of ours is no accident.
        else if (item.origin.source !== 'builtin') report(collision(word, first, item));
      }
      if (at + SLICE < files.length) await nextTurn();
    }
    return items;
  }

  #report(diagnostic: Diagnostic): void {
    const problem = { ...diagnostic, message: printable(diagnostic.message) };
    const key = `${problem.path}\0${problem.message}`;
    if (this.#diagnostics.has(key)) return;
    this.#diagnostics.set(key, problem);
    this.#options.onDiagnostic(problem);
  }
}

function collision(word: string, first: Named, other: Named): Pick<Diagnostic, 'message' | 'path' | 'line'> {
  const message = `${other.path}, line 1: the ${word} "${other.name}" is taken already by ${first.path}, so this one is not used`;
  return { message, path: other.path, line: 1 };
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
