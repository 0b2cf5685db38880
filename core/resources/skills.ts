import path from 'node:path';
import type { Diagnostic } from '../protocol/commands/state.js';
import { parseFrontMatter } from './front-matter.js';
import { withoutControls } from './printable.js';
import { readResource, type TellProblem } from './read-resource.js';
import type { ResourceFile, ResourceOrigin } from './resource-files.js';
import { brokenRules, fatalFlaw } from './skill-rules.js';

/** A skill as it was found. Its text is read again when it is invoked. Source: Agent Skills specification. */
export interface Skill {
  name: string;
  description: string;
  /** Absolute path of the file. */
  path: string;
  origin: ResourceOrigin;
  /** The model is not told of it; `/skill:name` still works. */
  disableModelInvocation: boolean;
}

/** Reads one skill. What keeps it from loading is an error, what is only against the specification a warning. */
export async function readSkill(file: ResourceFile): Promise<{ skill?: Skill; diagnostics: Diagnostic[] }> {
  const diagnostics: Diagnostic[] = [];
  const report = (severity: Diagnostic['severity'], message: string, line = 1): void => {
    diagnostics.push({ kind: 'skill', severity, message: `${file.path}, line ${line}: ${message}`, path: file.path, line });
  };
  const text = await readResource(file.path, report);
  if (text === undefined) return { diagnostics };
  const { data, problems, lineOf } = await parseFrontMatter(text);
  for (const { severity, message, line } of problems) report(severity, message, line);
  if (!data) {
    if (problems.length === 0)
      report('error', 'it does not begin with a line "---", a description and another line "---", so it is not loaded');
    return { diagnostics };
  }
  const isSkillFile = path.basename(file.path) === 'SKILL.md';
  const fallback = isSkillFile ? path.basename(path.dirname(file.path)) : path.basename(file.path, '.md');
  const name = wordOf(data.name) ?? fallback;
  const description = withoutControls(wordOf(data.description) ?? '');
  const flaw = fatalFlaw(name, description, data.description);
  if (flaw) {
    report('error', `${flaw.message}, so it is not loaded`, lineOf(flaw.key));
    return { diagnostics };
  }
  if (isOddName(data.name)) report('warning', `the name must be a text; "${name}" is taken instead`, lineOf('name'));
  for (const { key, message } of brokenRules(name, description, data)) report('warning', message, lineOf(key));
  const hidden = data[HIDDEN];
  const isHidden = hidden === true || (typeof hidden === 'string' && /^(?:true|yes|on)$/i.test(hidden));
  if (hidden !== undefined && hidden !== null && typeof hidden !== 'boolean')
    report('warning', `"${HIDDEN}" must be true or false; it was taken as ${isHidden}`, lineOf(HIDDEN));
  return { skill: { name, description, path: file.path, origin: file.origin, disableModelInvocation: isHidden }, diagnostics };
}

const HIDDEN = 'disable-model-invocation';

function isOddName(written: unknown): boolean {
  return written !== undefined && written !== null && typeof written !== 'string' && wordOf(written) === undefined;
}

/** What the model is told of skills: name, description and where to read the rest. '' when there are none for it. */
export function skillsSection(skills: readonly Skill[]): string {
  const offered = skills.filter(({ disableModelInvocation }) => !disableModelInvocation);
  if (offered.length === 0) return '';
  const items = offered.map(
    ({ name, description, path: file }) =>
      `  <skill>\n    <name>${escapeXml(name)}</name>\n    <description>${escapeXml(description)}</description>\n    <location>${escapeXml(file)}</location>\n  </skill>`,
  );
  return `Skills are instructions for special tasks. When a task fits a description, read the skill's file with the read tool before you begin; paths in it count from its folder.\n<available_skills>\n${items.join('\n')}\n</available_skills>`;
}

/**
 * The message for `/skill:name args`: the skill's text as it is now, where it lies, and what the user added. Undefined, with the reason
 * told, when the file can't be read any more.
 */
export async function skillMessage(skill: Skill, args: string, tell: TellProblem): Promise<string | undefined> {
  const text = await readResource(skill.path, tell);
  if (text === undefined) return undefined;
  const { body } = await parseFrontMatter(text);
  const block = `<skill name="${escapeXml(skill.name)}" location="${escapeXml(skill.path)}">\nPaths in this skill count from ${path.dirname(skill.path)}\n\n${body.trim()}\n</skill>`;
  return args.trim() === '' ? block : `${block}\n\nUser: ${args.trim()}`;
}

/** A skill as extensions see it. Source: "SDK", Skills. */
export function toSkillInfo({ name, description, path: filePath, origin, disableModelInvocation }: Skill): SkillInfo {
  const { source, scope, origin: kind, baseDir } = origin;
  const sourceInfo = { path: filePath, source, scope, origin: kind, baseDir };
  return { name, description, filePath, baseDir: path.dirname(filePath), sourceInfo, disableModelInvocation };
}

export interface SkillInfo {
  name: string;
  description: string;
  filePath: string;
  /** The skill's folder: what paths in it count from. */
  baseDir: string;
  sourceInfo: { path: string; source: string; scope: string; origin: string; baseDir: string };
  disableModelInvocation: boolean;
}

function wordOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;').replace(/'/g, '&apos;');
}
