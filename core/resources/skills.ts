import path from 'node:path';
import type { Diagnostic } from '../protocol/commands/state.js';
import { parseFrontMatter } from './front-matter.js';
import { readResource } from './read-resource.js';
import type { ResourceFile, ResourceOrigin } from './resource-files.js';

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

const NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;

/** Reads one skill. What keeps it from loading is an error, what is only against the specification a warning. */
export async function readSkill(file: ResourceFile): Promise<{ skill?: Skill; diagnostics: Diagnostic[] }> {
  const diagnostics: Diagnostic[] = [];
  const report = (severity: Diagnostic['severity'], message: string, line?: number): void => {
    diagnostics.push({
      kind: 'skill',
      severity,
      message: `${file.path}: ${message}`,
      path: file.path,
      ...(line === undefined ? {} : { line }),
    });
  };
  const text = await readResource(file.path, (message) => report('error', message));
  if (text === undefined) return { diagnostics };
  const { data, problems } = await parseFrontMatter(text);
  for (const { severity, message, line } of problems) report(severity, message, line);
  if (!data) {
    if (problems.length === 0) report('error', 'it has no front matter with a description, so it is not loaded');
    return { diagnostics };
  }
  const fallback =
    path.basename(file.path) === 'SKILL.md' ? path.basename(path.dirname(file.path)) : path.basename(file.path, '.md');
  const name = wordOf(data.name) ?? fallback;
  const description = typeof data.description === 'string' ? data.description.trim() : '';
  if (description === '') report('error', 'its description is missing or blank, so it is not loaded', 1);
  // A name is typed after /skill: and is part of nothing else: blanks, slashes and control characters can't be.
  else if (/[\s/\\\p{Cc}]/u.test(name) || name === '.' || name === '..')
    report('error', `"${JSON.stringify(name).slice(1, -1)}" can't be the name of a skill`, 1);
  else {
    if (!NAME.test(name) || name.length > MAX_NAME)
      report('warning', `the name "${name}" should be of small letters, digits and single dashes, at most ${MAX_NAME}`, 1);
    else if (name !== fallback) report('info', `the name "${name}" is not that of its folder, "${fallback}"`, 1);
    if (description.length > MAX_DESCRIPTION)
      report('warning', `the description has ${description.length} characters; at most ${MAX_DESCRIPTION} are meant`, 1);
    const disableModelInvocation = data['disable-model-invocation'] === true;
    return { skill: { name, description, path: file.path, origin: file.origin, disableModelInvocation }, diagnostics };
  }
  return { diagnostics };
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

/** The message for `/skill:name args`: the skill's text, where it lies, and what the user added. */
export async function skillMessage(skill: Skill, args: string): Promise<string> {
  const text = (await readResource(skill.path, () => undefined)) ?? '';
  const { body } = await parseFrontMatter(text);
  const block = `<skill name="${escapeXml(skill.name)}" location="${escapeXml(skill.path)}">\nPaths in this skill count from ${path.dirname(skill.path)}\n\n${body.trim()}\n</skill>`;
  return args.trim() === '' ? block : `${block}\n\nUser: ${args.trim()}`;
}

function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : typeof value === 'number' ? String(value) : undefined;
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;').replace(/'/g, '&apos;');
}
